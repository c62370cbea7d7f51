"""Word models: the exact optimum, the counts by hand, odd corpora, and the dictionary."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from armillary.cli import main
from armillary.errors import UnreadableError, UsageError
from armillary.origins import word2vec
from armillary.origins.word2vec import Settings, counting


def text(lines: int = 400, seed: int = 0) -> list[str]:
    """Two topics that never meet: a b c d with each other, w x y z with each other."""
    generator = np.random.default_rng(seed)
    return [" ".join(generator.choice(list("abcd" if i % 2 else "wxyz"), 12)) for i in range(lines)]


PLAIN = Settings(dimension=3, window=2, minimum_count=1, subsample=0.0, epochs=5)


@pytest.mark.parametrize("size", [2, 5, 10])
def test_the_exact_optimum_is_pmi_minus_log_k(size):
    generator = np.random.default_rng(size)
    counts = generator.integers(1, 40, (size, size)).astype(float)
    counts += counts.T
    w, c = word2vec.optimum(counts, negative=5, smoothing=0.75)
    total = [[0.0] * size for _ in range(size)]
    smoothed = [sum(counts[i][j] for i in range(size)) ** 0.75 for j in range(size)]
    for i in range(size):
        for j in range(size):
            chance = sum(counts[i]) * smoothed[j] / sum(smoothed)
            total[i][j] = math.log(counts[i][j] / chance) - math.log(5)
    assert w @ c.T == pytest.approx(np.array(total), abs=1e-5)


def test_an_optimum_at_minus_infinity_is_refused():
    with pytest.raises(UsageError, match="every pair to occur together"):
        word2vec.optimum(np.array([[1.0, 0.0], [0.0, 1.0]]))


def test_counts_by_hand():
    corpus = word2vec.of_lines(["a b c", "c a"], "text", 1)
    assert corpus.words == ("a", "c", "b")  # count descending, then the word
    found = word2vec.cooccurrence(corpus, PLAIN).toarray()
    # distance 1 weighs 1, distance 2 weighs ½; a·b 1, b·c 1, a·c ½ + 1
    assert found.tolist() == [[0.0, 1.5, 1.0], [1.5, 0.0, 1.0], [1.0, 1.0, 0.0]]


def test_windows_stay_in_their_sentence_and_match_a_plain_count():
    corpus = word2vec.of_lines(text(20), "text", 1)
    naive = np.zeros((8, 8))
    for sentence in corpus.sentences():
        ids = [corpus.index[w] for w in sentence]
        for i, a in enumerate(ids):
            for j in range(max(0, i - 2), min(len(ids), i + 3)):
                if i != j:
                    naive[a, ids[j]] += (3 - abs(i - j)) / 2
    assert np.array_equal(word2vec.cooccurrence(corpus, PLAIN).toarray(), naive)


def test_subsampling_keeps_what_word2vec_keeps():
    corpus = word2vec.of_lines(["a " * 90 + "b " * 10], "text", 1)
    t = 0.05
    expected = [min(1.0, math.sqrt(t / f) + t / f) for f in (0.9, 0.1)]
    assert counting.kept_share(corpus, t) == pytest.approx(np.array(expected), abs=1e-15)


def test_pmi_by_hand_and_its_positive_part():
    counts = csr_array(np.array([[0.0, 2.0, 1.0], [2.0, 0.0, 3.0], [1.0, 3.0, 4.0]]))
    found = word2vec.pmi(counts, smoothing=1.0).toarray()
    assert found[0, 1] == pytest.approx(math.log(2.0 * 16 / (3 * 5)), abs=1e-14)
    assert found[2, 2] == pytest.approx(math.log(4.0 * 16 / (8 * 8)), abs=1e-14)
    assert word2vec.positive(word2vec.pmi(counts, 1.0), 0.1).toarray()[0, 1] == pytest.approx(found[0, 1] - 0.1)
    assert (word2vec.positive(word2vec.pmi(counts, 1.0), 0.1).data > 0).all()


def test_the_svd_gives_the_matrix_back_and_one_sign():
    generator = np.random.default_rng(0)
    low = generator.standard_normal((9, 3)) @ generator.standard_normal((3, 9))
    w, c = word2vec.factorise(csr_array(low), 3)
    assert w @ c.T == pytest.approx(low, abs=1e-10)
    assert (w[np.abs(w).argmax(axis=0), range(3)] > 0).all()
    again = word2vec.factorise(csr_array(low), 3)
    assert np.array_equal(w, again[0]) and np.array_equal(c, again[1])
    with pytest.raises(UsageError, match="dimension from 1 to 8"):
        word2vec.factorise(csr_array(low), 9)


@pytest.mark.parametrize("kind", word2vec.KINDS)
def test_every_model_tells_two_topics_apart_and_repeats_itself(kind):
    corpus = word2vec.of_lines(text(), "text", 1)
    settings = replace(PLAIN, negative=1) if kind == "shifted-pmi" else PLAIN
    first, again = (word2vec.train(corpus, kind, settings) for _ in range(2))
    assert np.array_equal(first.vectors, again.vectors) and np.array_equal(first.contexts, again.contexts)
    assert first.vectors.shape == first.contexts.shape == (8, 3)
    near = word2vec.nearest(first, corpus.index["a"], 3)
    assert set(near) == set("bcd")
    assert first.to_table().find("a") == [corpus.index["a"]]


def test_a_shift_above_every_pmi_is_told():
    """Two topics of four words: PMI is log 2 at most, and log 5 leaves nothing."""
    with pytest.raises(UsageError, match="a pair with PMI above log 5"):
        word2vec.train(word2vec.of_lines(text(), "text", 1), "shifted-pmi", PLAIN)


def test_snapshots_from_step_0_and_losses():
    corpus = word2vec.of_lines(text(), "text", 1)
    model = word2vec.train(corpus, "skip-gram", PLAIN, snapshots=True)
    assert [s.epoch for s in model.snapshots] == [0, 1, 2, 3, 4, 5]
    assert np.array_equal(model.at(5).vectors.block(0, 8), model.vectors)
    start = model.snapshots[0].vectors
    assert np.abs(start).max() <= 1 / 3  # gensim starts uniform on ±1/d
    assert len(model.losses) == 5 and model.losses[-1] < model.losses[0]


def test_the_loss_of_one_job_is_gensims():
    from gensim.models import Word2Vec

    corpus = word2vec.of_lines(text(), "text", 1)  # one job of gensim's
    model = Word2Vec(vector_size=3, window=2, min_count=1, sg=1, sample=0, workers=1, seed=1)
    model.build_vocab_from_freq(dict(zip(corpus.words, corpus.counts.tolist(), strict=True)))
    sentences = list(corpus.sentences())
    model.train(sentences, total_examples=len(sentences), epochs=1, compute_loss=True)
    theirs = model.get_latest_training_loss() / len(corpus)
    assert word2vec.train(corpus, "skip-gram", replace(PLAIN, epochs=1)).losses == pytest.approx([theirs], rel=1e-9)


def test_an_interrupt_keeps_what_was_learned():
    corpus = word2vec.of_lines(text(3000), "text", 1)

    def stop(done: int, total: int) -> None:
        if done > 12 * 1024:
            raise KeyboardInterrupt

    model = word2vec.train(corpus, "skip-gram", PLAIN, progress=stop)
    assert model.interrupted and np.isfinite(model.vectors).all() and "Interrupted" in str(model)


def test_never_together_is_negative_and_the_check_counts():
    corpus = word2vec.of_lines(text(2000), "text", 1)
    settings = Settings(dimension=8, window=2, minimum_count=1, subsample=0.0, epochs=10)
    counts = word2vec.cooccurrence(corpus, settings)
    model = word2vec.train(corpus, "skip-gram", settings)
    found = word2vec.check_pmi(model, counts, pairs=50)
    assert found.pairs == 32 and found.never_pairs > 0  # 2 topics of 4 × 4 pairs, a word with itself included
    assert found.never_negative == 1.0 and found.never_mean < found.observed_mean
    assert found.residuals and str(found).startswith("w·c against PMI")


def test_one_line(tmp_path):
    file = tmp_path / "one.txt"
    file.write_text("the cat and the dog and the cat " * 500)
    corpus = word2vec.open_corpus(file)
    assert corpus.words == ("the", "and", "cat", "dog") and len(corpus) == 4000
    assert len(corpus.starts) == 5  # cut into sentences of 1,000 words
    assert word2vec.train(corpus, "skip-gram", PLAIN).vectors.shape == (4, 3)


def test_bytes_that_are_not_utf8(tmp_path):
    file = tmp_path / "odd.txt"
    file.write_bytes(b"good words here\nbad\xff\xfewords here\n" * 10)
    corpus = word2vec.open_corpus(file)
    assert corpus.odd_lines == 10 and set(corpus.words) == {"good", "bad", "words", "here"}


def test_utf16_is_refused_and_a_mark_of_utf8_is_no_part_of_a_word(tmp_path):
    file = tmp_path / "wide.txt"
    file.write_text("the cat and the dog\n" * 9, "utf-16")
    with pytest.raises(UnreadableError, match=r"expected UTF-8, found UTF-16 in .*wide\.txt"):
        word2vec.open_corpus(file)
    file.write_text("the cat and the dog\n" * 9, "utf-8-sig")
    assert set(word2vec.open_corpus(file).words) == {"the", "cat", "and", "dog"}


def test_one_repeated_word(tmp_path):
    file = tmp_path / "same.txt"
    file.write_text("same " * 5000)
    with pytest.raises(UsageError, match=r"two words or more.*'same', occurs 5,000 times"):
        word2vec.open_corpus(file)


def test_an_empty_text_a_missing_file_and_a_cut_gz(tmp_path):
    (tmp_path / "empty.txt").write_bytes(b"")
    with pytest.raises(UsageError, match="found 0 among 0 words"):
        word2vec.open_corpus(tmp_path / "empty.txt")
    with pytest.raises(UnreadableError, match="found nothing"):
        word2vec.open_corpus(tmp_path / "none.txt")
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(b"a b c d e f " * 1000)[:40])
    with pytest.raises(UnreadableError, match="cannot be read as text"):
        word2vec.open_corpus(cut)


def test_gz_and_folders_read_as_the_plain_text(tmp_path):
    lines = "\n".join(text(40))
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.txt").write_text(lines)
    (tmp_path / "b.bin").write_bytes(gzip.compress(lines.encode()))
    plain, zipped = (word2vec.open_corpus(tmp_path / name, 1) for name in ("plain", "b.bin"))
    assert plain.words == zipped.words and np.array_equal(plain.ids, zipped.ids)


def test_segmented_chinese_and_apostrophes():
    corpus = word2vec.of_lines(["北京 是 首都 , don't 北京"], "text", 1)
    assert set(corpus.words) == {"北京", "是", "首都", "don't"}


def test_the_command(capsys, monkeypatch, tmp_path):
    file, target = tmp_path / "text.txt", tmp_path / "v.safetensors"
    file.write_text("\n".join(text()))
    (tmp_path / "snap").mkdir()
    arguments = [
        str(file),
        "-d",
        "3",
        "--epochs",
        "2",
        "-o",
        str(target),
        "--snapshots",
        str(tmp_path / "snap"),
        "--json",
    ]
    monkeypatch.setattr("sys.argv", ["armillary", "train", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    result = json.loads(capsys.readouterr().out)["result"]
    assert end.value.code == 0 and result["corpus"]["vocabulary"] == 8
    assert result["pmi"]["skip-gram"]["pairs"] > 0
    assert {p.name for p in (tmp_path / "snap").glob("*.safetensors")} == {f"epoch-{i}.safetensors" for i in range(3)}
    assert (tmp_path / "v.contexts.safetensors").exists()


def test_an_interrupt_in_a_count_model_keeps_the_models_before_it(capsys, monkeypatch, tmp_path):
    from armillary.origins.word2vec import training

    def stop(*_):
        raise KeyboardInterrupt

    (tmp_path / "text.txt").write_text("\n".join(text()))
    monkeypatch.setattr(training, "factorise", stop)
    arguments = [str(tmp_path / "text.txt"), "-d", "3", "--epochs", "1", "--model", "all", "--json"]
    monkeypatch.setattr("sys.argv", ["armillary", "train", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    result = json.loads(capsys.readouterr().out)["result"]
    assert end.value.code == 130 and [m["kind"] for m in result["comparison"]["models"]] == ["skip-gram", "cbow"]


@pytest.mark.slow
@pytest.mark.real
def test_the_dictionary_reaches_men_and_is_far_from_the_optimum():
    corpus = word2vec.open_corpus("dictionary")
    model = word2vec.train(corpus, "skip-gram", Settings())
    name, pairs = word2vec.word_pairs()
    score, covered = word2vec.spearman_on(model, pairs)
    assert name == "MEN" and covered > 2500
    assert score is not None and score >= 0.57
    assert {"queen", "prince", "emperor"} & set(word2vec.nearest(model, corpus.index["king"]))
    assert model.losses[-1] < model.losses[0]
    found = word2vec.check_pmi(model, word2vec.cooccurrence(corpus, Settings()))
    assert 0 < found.slope < 1 and found.correlation > 0  # docs/origins.md has the numbers
    assert found.never_negative > 0.99 > found.observed_negative and found.never_mean < found.observed_mean
    means = [mean for mean, _ in found.residuals]
    assert means == sorted(means) and means[-1] < 0  # the rarer the word, the further below PMI − log k
