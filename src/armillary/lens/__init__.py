"""The lens: a running model, what it reads off its table, and how a word drifts through its layers.

`open_model` opens a GGUF file or a folder, offline; everything else takes what it returns. torch and transformers
(the extra `lens`) are imported only then.
"""

from armillary.lens.bias import BiasAgainstFrequency, bias_against_frequency, bias_of
from armillary.lens.cone import ConeByLayer, LayerGeometry, cone_by_layer
from armillary.lens.decompose import Decomposition, decompose
from armillary.lens.drift import Drift, anisotropy, drift, intra_sentence, word_states
from armillary.lens.logit_lens import LogitLens, lens_of, logit_lens
from armillary.lens.model import LanguageModel
from armillary.lens.opening import model_of, open_model
from armillary.lens.path import Path, path
from armillary.lens.readout import Norm, Readout
from armillary.lens.senses import SenseStudy, Separation, sense_study, separation
from armillary.lens.states import States, table_of
from armillary.lens.texts import built_in_senses, paragraphs, read_senses

__all__ = [
    "BiasAgainstFrequency",
    "ConeByLayer",
    "Decomposition",
    "Drift",
    "LanguageModel",
    "LayerGeometry",
    "LogitLens",
    "Norm",
    "Path",
    "Readout",
    "SenseStudy",
    "Separation",
    "States",
    "anisotropy",
    "bias_against_frequency",
    "bias_of",
    "built_in_senses",
    "cone_by_layer",
    "decompose",
    "drift",
    "intra_sentence",
    "lens_of",
    "logit_lens",
    "model_of",
    "open_model",
    "paragraphs",
    "path",
    "read_senses",
    "sense_study",
    "separation",
    "table_of",
    "word_states",
]
