"""Word2vec and the counts it factorises: four word models on the same corpus, and the check against PMI."""

from armillary.origins.word2vec.check import PmiCheck, check_pmi
from armillary.origins.word2vec.comparison import Comparison, compare, first_order, nearest, spearman_on, word_pairs
from armillary.origins.word2vec.corpus import BUILT_IN, Corpus, of_lines, open_corpus
from armillary.origins.word2vec.counting import cooccurrence
from armillary.origins.word2vec.model import Snapshot, WordModel
from armillary.origins.word2vec.optimum import optimum
from armillary.origins.word2vec.pmi import factorise, pmi, positive
from armillary.origins.word2vec.settings import KINDS, Kind, Settings
from armillary.origins.word2vec.training import train

__all__ = [
    "BUILT_IN",
    "KINDS",
    "Comparison",
    "Corpus",
    "Kind",
    "PmiCheck",
    "Settings",
    "Snapshot",
    "WordModel",
    "check_pmi",
    "compare",
    "cooccurrence",
    "factorise",
    "first_order",
    "nearest",
    "of_lines",
    "open_corpus",
    "optimum",
    "pmi",
    "positive",
    "spearman_on",
    "train",
    "word_pairs",
]
