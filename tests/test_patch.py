"""Plans: rows made anew, tokens added, padding dropped; the model written whole, and only what was touched changes."""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

import armillary as arm
from armillary.cli import main
from armillary.errors import UnreadableError, UsageError
from armillary.formats.rewriting import encoded
from armillary.repairs.pieces import Pieces
from armillary.repairs.plan import Change, Plan, read_plan
from armillary.repairs.replaced import ReplacedRows, changed_table, made_rows
from armillary.study import open as open_study
from armillary.table import Kind, Table, Token, Vocabulary
from lazy import torch, transformers
from lens_models import WORDS, network, save_folder
from test_health_planted import DOUBLES, HOLE, INFINITE, NAN, PADDED, TIRED, ZERO, V, planted

NAMED = 60  # tokens of the padded model below; its table has WORDS rows


def words(*names: bytes) -> Vocabulary:
    return Vocabulary.of_words(names)


def plan_of(table: Table, *changes: Change, seed: int = 0) -> Plan:
    return Plan("test", table.row_facts.sha256, *table.shape, tuple(changes), seed)


def test_pieces_are_the_fewest_tokens_that_spell_it() -> None:
    rng = np.random.default_rng(0)
    tokens = sorted({bytes(rng.choice([97, 98], rng.integers(1, 4))) for _ in range(12)})
    pieces = Pieces(words(*tokens))
    for _ in range(60):
        raw = bytes(rng.choice([97, 98], rng.integers(1, 8)))
        fewest = next(
            (n for n in range(1, 9) if any(b"".join(p) == raw for p in itertools.product(tokens, repeat=n))), 0
        ) if len(raw) < 6 else None  # fmt: skip
        found = pieces.of(raw)
        assert b"".join(tokens[i] for i in found) == (raw if found else b"")
        assert fewest is None or len(found) == fewest
    assert Pieces(words(b"ab", b"a", b"b")).of(b"ab", not_itself=0) == (1, 2)
    assert Pieces(words(b"ab", b"a", b"b"), without={1}).of(b"ab", not_itself=0) == ()


def test_pieces_of_a_wordpiece_vocabulary_keep_their_place() -> None:
    names = ["un", "##do", "do", "##ing", "undo"]
    raw = [name.removeprefix("##").encode() for name in names]
    pieces = Pieces(Vocabulary(raw, names, np.zeros(5, np.uint8)))
    assert pieces.of(b"undoing") == (4, 3)
    assert pieces.of(b"undo", not_itself=4) == (0, 1)
    assert pieces.of(b"doing", inside=True) == (1, 3)
    assert pieces.of(b"ing") == ()  # it stands only inside a word


def test_new_rows_are_what_they_say() -> None:
    rows = np.random.default_rng(1).normal(2, 3, (500, 6)) @ np.diag([1, 2, 3, 1, 1, 0.5])
    table = Table.from_array(rows, [f"w{i}" for i in range(500)])
    plan = plan_of(
        table, Change(3, "reset", "pieces", (10, 11, 12)), Change(4, "reset", "token", (9,)), Change(5, "reset", "mean"),
        Change(500, "add", "draw", token=b"new"), seed=7,
    )  # fmt: skip
    made = made_rows(plan, table)
    stored = table.vectors.block(0, 500).astype(np.float64)
    np.testing.assert_array_equal(made[3], stored[[10, 11, 12]].mean(0).astype(np.float32))
    np.testing.assert_array_equal(made[4], stored[9].astype(np.float32))
    np.testing.assert_allclose(made[5], stored.mean(0), rtol=1e-6)
    alone = made_rows(plan_of(table, Change(500, "add", "draw", token=b"new"), seed=7), table)
    np.testing.assert_array_equal(alone[500], made[500])  # whatever else the plan holds
    many = plan_of(table, *(Change(500 + i, "add", "draw", token=str(i).encode()) for i in range(4000)))
    drawn = np.array(list(made_rows(many, table).values()), np.float64)
    spread = np.cov(stored.T, bias=True)
    np.testing.assert_allclose(drawn.mean(0), stored.mean(0), atol=5 * np.sqrt(spread.max() / 4000))
    np.testing.assert_allclose(np.cov(drawn.T), spread, atol=0.1 * spread.max())


def test_rows_cannot_be_made_of_broken_ones() -> None:
    table = Table.from_array(np.array([[1, 2], [np.nan, 1], [3, 4]]))
    with pytest.raises(UsageError, match=r"expected finite rows to make row 0 of, found others: \[1\]"):
        made_rows(plan_of(table, Change(0, "reset", "token", (1,))), table)


@pytest.mark.parametrize("rows", [7, 10, 13])
def test_replaced_rows_are_the_old_ones_with_the_new_in_their_place(rows: int) -> None:
    old = np.random.default_rng(2).normal(size=(10, 3)).astype(np.float32)
    new = {2: np.ones(3, np.float32), **{i: np.full(3, i, np.float32) for i in range(10, rows)}}
    expected = np.zeros((rows, 3), np.float32)
    expected[: min(rows, 10)] = old[:rows]
    for id, row in new.items():
        expected[id] = row
    found = ReplacedRows(Table.from_array(old).vectors, new, rows)
    for start, stop in itertools.combinations(range(rows + 1), 2):
        np.testing.assert_array_equal(found.block(start, stop), expected[start:stop])
    order = np.random.default_rng(3).permutation(rows)
    np.testing.assert_array_equal(found.take(order), expected[order])


def test_a_plan_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    table = Table.from_array(np.eye(5))
    wrong = [
        ([Change(1, "drop"), Change(1, "drop")], "one change a row in the plan, found two of row 1"),
        ([Change(3, "drop")], "to be the last ones of the table"),
        ([Change(4, "drop"), Change(5, "add", "mean", token=b"x")], "to be the last ones of the table"),
        ([Change(6, "add", "mean", token=b"x")], "to follow one another from 5, found 6"),
        ([Change(5, "reset", "mean")], "a row from 0 to 4 to reset, found 5"),
        ([Change(1, "reset", "token", (1, 2))], "expected a way to make row 1"),
        ([Change(1, "reset", "pieces")], "expected a way to make row 1"),
        ([Change(1, "reset")], "expected a way to make row 1"),
        ([Change(1, "reset", "token", (9,))], "expected rows from 0 to 4 to make row 1 of, found 9"),
    ]
    for changes, message in wrong:
        with pytest.raises(UsageError, match=message):
            plan_of(table, *changes).check()
    plan = plan_of(table, Change(1, "reset", "token", (2,), b"\xff1", "because"))
    file = plan.save(tmp_path / "plan.json")
    assert read_plan(file) == plan
    with pytest.raises(UsageError, match="expected no file at"):
        plan.save(file)  # somebody may have edited it
    with pytest.raises(UsageError, match="expected a plan made for the rows of array, found one for test"):
        changed_table(Table.from_array(2 * np.eye(5)), plan)


def test_an_edited_plan_may_name_tokens(tmp_path: Path) -> None:
    table = Table.from_array(np.eye(3), ["a", "b", "c"])
    value = plan_of(table, Change(0, "reset", "mean")).to_dict()
    file = tmp_path / "plan.json"
    value["changes"][0] |= {"to": "pieces", "of": ["b", 2]}
    file.write_text(json.dumps(value))
    assert read_plan(file, table.find).changes[0].of == (1, 2)
    for edit, message in (
        ({"of": ["nothing"]}, "'nothing' is neither"),
        ({"do": "swap"}, "do is one of reset, add, fill, drop, not 'swap'"),
        ({"to": "guess"}, "to is one of pieces, token, mean, draw, not 'guess'"),
        ({"id": -1}, "an id is a whole number from 0 up, not -1"),
        ({"bytes": "zz"}, "non-hexadecimal"),
    ):
        file.write_text(json.dumps({**value, "changes": [value["changes"][0] | edit]}))
        with pytest.raises(UnreadableError, match=message):
            read_plan(file, table.find)
    for text in ("{", "[]", '{"plan": 2}', '{"plan": 1}'):
        file.write_text(text)
        with pytest.raises(UnreadableError, match=r"expected (a plan|the changes)"):
            read_plan(file)


def test_a_fix_is_proposed_for_what_is_broken_and_for_nothing_else() -> None:
    study = open_study(planted(), cache=False)
    plan = study.propose_fix().plan
    by_why = {why: [c.id for c in plan.changes if c.why == why] for why in {c.why for c in plan.changes}}
    assert by_why == {
        "non-finite": [NAN, INFINITE],
        "zero": [ZERO],
        "duplicate": [*DOUBLES[1:]],
        "under-trained": list(TIRED),
        "token without a row": [V + 3],
        "before a token without a row": [V, V + 1, V + 2],
    }
    seventeen = next(c for c in plan.changes if c.id == ZERO)
    assert seventeen.do == "reset" and seventeen.way == "draw"  # "word17" is made of no other tokens here
    changed = changed_table(study.table, plan)
    again = open_study(changed, cache=False).health(round_trip=False)
    assert {kind: len(again.kinds[kind]) for kind in ("zero", "non-finite", "duplicate", "token without a row")} == {
        "zero": 0, "non-finite": 0, "duplicate": 0, "token without a row": 0,
    }  # fmt: skip
    touched = {c.id for c in plan.changes}
    kept = [i for i in range(V) if i not in touched]
    np.testing.assert_array_equal(changed.rows(kept), study.table.rows(kept))
    assert changed.token(V + 3).bytes == b"late" and changed.token(V).kind is Kind.NO_TOKEN


def test_padding_is_kept_dropped_or_filled() -> None:
    from dataclasses import replace

    table = planted()
    table = replace(table, vocabulary=Vocabulary(table.vocabulary.raw, table.vocabulary.names, table.vocabulary.kinds))
    study = open_study(table, cache=False)
    assert study.propose_fix().plan.rows_after == 600
    dropped = study.propose_fix(padded="drop").plan
    assert dropped.rows_after == 600 - len(PADDED) and [c.id for c in dropped.changes if c.do == "drop"] == list(PADDED)
    assert changed_table(study.table, dropped).shape == (596, 24)
    filled = study.propose_fix(padded="fill").plan
    assert [c.id for c in filled.changes if c.do == "fill"] == [HOLE, *PADDED]
    with pytest.raises(UsageError, match="padded rows to keep, drop or fill, found 'lose'"):
        study.propose_fix(padded="lose")  # pyright: ignore[reportArgumentType]


def test_new_tokens_fall_into_the_padding_first() -> None:
    kinds = np.zeros(6, np.uint8)
    kinds[4:] = Kind.NO_TOKEN
    table = Table.from_array(np.random.default_rng(5).normal(size=(6, 3)))
    vocabulary = Vocabulary([b"a", b"b", b"ab", b"c", b"", b""], ["a", "b", "ab", "c", "", ""], kinds)
    table = Table(table.vectors, vocabulary, table.provenance, table.load_report)
    study = open_study(table, cache=False)
    found = study.propose_extension(["abc", "ba", "a", "cab", "zz"], multiple=8)
    assert [(c.id, c.do, c.way, c.of, c.token) for c in found.plan.changes] == [
        (4, "add", "pieces", (2, 3), b"abc"),
        (5, "add", "pieces", (1, 0), b"ba"),
        (6, "add", "pieces", (3, 2), b"cab"),
        (7, "add", "draw", (), b"zz"),
    ]
    assert found.verdict == "Rows to add 4 (2 of the new tokens inside the padding); 6 rows become 8."
    assert found.plan.notes == ("1 of the tokens are in the table already: a",)
    padded = study.propose_extension(["ba"], "token:c", multiple=4).plan
    assert [(c.id, c.do, c.of) for c in padded.changes] == [(4, "add", (3,)), (6, "fill", ()), (7, "fill", ())]
    with pytest.raises(UsageError, match="expected new tokens, found none among 1"):
        study.propose_extension(["a"])
    with pytest.raises(UsageError, match="expected pieces, mean, draw or token:WORD, found 'token'"):
        study.propose_extension(["x"], "token")
    with pytest.raises(UsageError, match="expected a token of the table, found 'q'"):
        study.propose_extension(["x"], "token:q")


@pytest.mark.parametrize(("stored", "row"), [("F16", [1e5, 0]), ("F16", [np.nan, 0])])
def test_a_number_too_large_for_its_type_is_refused(stored: str, row: list[float]) -> None:
    with pytest.raises(UsageError, match="expected a row whose numbers F16 can hold"):
        encoded(np.array(row, np.float32), stored)


def test_bfloat16_rounds_to_the_nearest_as_torch_does() -> None:
    values = np.random.default_rng(6).normal(size=5000).astype(np.float32)
    values[:3] = [1 + 2**-8, 1 + 3 * 2**-8, -(1 + 2**-8)]  # halves: to the even neighbour
    expected = torch.from_numpy(values).bfloat16().view(torch.int16).numpy().tobytes()
    assert encoded(values, "BF16") == expected


MODELS = {
    "llama tied": ("llama", {"tie_word_embeddings": True}),
    "llama untied": ("llama", {"tie_word_embeddings": False}),
    "gpt2": ("gpt2", {}),
    "phi": ("phi", {}),  # untied, with a bias of the head
}


def padded_folder(name: str, folder: Path, dtype: str = "float32") -> Path:
    """A model of 64 rows whose tokenizer knows 60 of them."""
    kind, fields = MODELS[name]
    save_folder(network(kind, **fields).to(getattr(torch, dtype)), folder)
    file = folder / "tokenizer.json"
    value = json.loads(file.read_text())
    value["model"]["vocab"] = {token: id for token, id in value["model"]["vocab"].items() if id < NAMED}
    file.write_text(json.dumps(value))
    return folder


def digests(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}


def logits(folder: Path, ids: list[int]) -> np.ndarray:
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.inference_mode():
        return model(torch.tensor([ids])).logits[0].numpy()


@pytest.mark.parametrize("name", MODELS)
def test_a_patch_changes_the_touched_tokens_and_nothing_else(name: str, tmp_path: Path) -> None:
    folder = padded_folder(name, tmp_path / "model")
    before, ids = digests(folder), [1, 5, 40, 3]
    study = open_study(folder, cache=False)
    plan = plan_of(study.table, Change(9, "reset", "pieces", (5, 6)), Change(30, "reset", "draw"))
    applied = study.apply_plan(plan, tmp_path / "patched")
    old, new = logits(folder, ids), logits(tmp_path / "patched", ids)
    touched = np.flatnonzero((old != new).any(axis=0)).tolist()
    assert touched == [9, 30]
    assert digests(folder) == before and not list(tmp_path.glob(".*"))
    weights = [load_file(path / "model.safetensors") for path in (folder, tmp_path / "patched")]
    assert weights[0].keys() == weights[1].keys()
    changed = {key for key in weights[0] if not np.array_equal(weights[0][key], weights[1][key])}
    record = json.loads(applied.record.read_text())
    assert changed == set(record["changes"][0]["tensors"]) and record["files_changed"] == ["model.safetensors"]
    for key in changed:
        rows = weights[0][key].reshape(WORDS, -1)
        np.testing.assert_allclose(weights[1][key].reshape(WORDS, -1)[9], rows[[5, 6]].mean(0), rtol=1e-6)
    assert len(changed) == {"llama tied": 1, "gpt2": 1, "llama untied": 2, "phi": 3}[name]
    norm = record["changes"][0]["tensors"][study.provenance.tensor]
    assert norm["norm_before"] == pytest.approx(np.linalg.norm(study.table.row(9)))
    assert record["changes"][0]["why"] == "" and record["rows_sha256"] == study.facts.sha256


@pytest.mark.parametrize("name", MODELS)
def test_an_extension_places_tokens_and_the_tokenizer_finds_them(name: str, tmp_path: Path) -> None:
    folder = padded_folder(name, tmp_path / "model")
    study = open_study(folder, cache=False)
    fresh = [f"new{i}" for i in range(7)]  # four fall inside the padding, three beyond
    proposal = study.propose_extension(fresh, "mean", multiple=8)
    assert [c.id for c in proposal.plan.changes if c.do == "add"] == [60, 61, 62, 63, 64, 65, 66]
    study.apply_plan(proposal.plan, tmp_path / "grown")
    grown = tmp_path / "grown"
    tokenizer = transformers.AutoTokenizer.from_pretrained(grown)
    assert tokenizer.convert_tokens_to_ids(fresh) == list(range(60, 67))
    assert tokenizer("w5 new2 new6", add_special_tokens=False)["input_ids"][-1] == 66
    ids = [1, 5, 40, 3]
    old, new = logits(folder, ids), logits(grown, ids)
    assert new.shape[1] == 72  # 67 rows, up to a multiple of 8
    np.testing.assert_array_equal(old[:, :60], new[:, :60])
    ours = open_study(grown, cache=False)
    assert ours.table.find("new6") == [66] and not ours.load_report.contradictions
    assert json.loads((grown / "config.json").read_text())["vocab_size"] == 72
    for end in ("input", "output"):
        table = arm.open(grown, role=end, cache=False).table
        source = arm.open(folder, role=end, cache=False).table.rows(range(60)).astype(np.float64)
        np.testing.assert_allclose(table.row(64), source.mean(0), atol=1e-6)
    assert logits(grown, [1, 66]).shape == (2, 72)  # the new token can be read
    record = json.loads((grown / "armillary-changes.json").read_text())
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= set(record["files_changed"])


def test_stored_types_are_kept(tmp_path: Path) -> None:
    folder = padded_folder("llama untied", tmp_path / "model", "bfloat16")
    study = open_study(folder, cache=False)
    study.apply_plan(plan_of(study.table, Change(9, "reset", "pieces", (5, 6))), tmp_path / "patched")
    patched = arm.open(tmp_path / "patched", cache=False)
    assert patched.provenance.stored == "BF16" and patched.shape == study.shape
    expected = torch.from_numpy(study.table.rows([5, 6])).mean(0).bfloat16().float().numpy()
    np.testing.assert_array_equal(patched.table.row(9), expected)


def test_dropped_padding_leaves_a_smaller_model(tmp_path: Path) -> None:
    folder = padded_folder("phi", tmp_path / "model")
    study = open_study(folder, cache=False)
    fix = study.propose_fix(padded="drop")
    assert [c.id for c in fix.plan.changes] == [60, 61, 62, 63]
    study.apply_plan(fix.plan, tmp_path / "small")
    old, new = (logits(path, [1, 5, 40]) for path in (folder, tmp_path / "small"))
    assert new.shape[1] == 60
    np.testing.assert_array_equal(old[:, :60], new)


def test_shards_are_written_as_shards(tmp_path: Path) -> None:
    made = network("llama", tie_word_embeddings=False)
    save_folder(made, tmp_path / "model")
    made.save_pretrained(tmp_path / "model", max_shard_size="12KB")
    (tmp_path / "model" / "model.safetensors").unlink()
    study = open_study(tmp_path / "model", cache=False)
    study.apply_plan(study.propose_extension(["new"], "mean").plan, tmp_path / "grown")
    index = json.loads((tmp_path / "grown" / "model.safetensors.index.json").read_text())
    stored = [t for name in set(index["weight_map"].values()) for t in load_file(tmp_path / "grown" / name).values()]
    assert index["metadata"]["total_size"] == sum(t.nbytes for t in stored)
    old, new = (logits(tmp_path / name, [1, 5, 40]) for name in ("model", "grown"))
    np.testing.assert_array_equal(old, new[:, :WORDS])


def test_what_cannot_be_written_is_told_before_anything_is(tmp_path: Path) -> None:
    folder = padded_folder("llama tied", tmp_path / "model")
    study = open_study(folder, cache=False)
    plan = plan_of(study.table, Change(9, "reset", "mean"))
    with pytest.raises(UsageError, match=r"expected nothing at .* yet, found something"):
        study.apply_plan(plan, folder)
    file = open_study(folder / "model.safetensors", cache=False)
    with pytest.raises(UsageError, match="expected a Hugging Face folder to write a whole model"):
        file.apply_plan(plan, tmp_path / "out")
    with pytest.raises(UsageError, match="a file of its own to write"):
        file.apply_plan(plan, folder / "model.safetensors")
    broken = study.propose_extension([b"\xff\xfe"], "mean")
    with pytest.raises(UsageError, match="expected UTF-8 in the new token of row 60"):
        study.apply_plan(broken.plan, tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model"]


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["armillary", *map(str, arguments)])
    with pytest.raises(SystemExit) as exit:
        main()
    return int(exit.value.code or 0)


def test_the_commands_propose_first_and_write_when_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = padded_folder("llama tied", tmp_path / "model")
    fresh = tmp_path / "tokens.txt"
    fresh.write_text("hello\nworld\n")
    assert call(monkeypatch, "extend", folder, fresh, "--init", "draw", "--no-cache") == 0
    out, err = capsys.readouterr()
    assert "Rows to add 2 (2 of the new tokens inside the padding)." in out and "nothing is changed" in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model", "tokens.txt"]
    table = tmp_path / "grown.safetensors"
    assert call(monkeypatch, "extend", folder, fresh, "--init", "draw", "-o", table, "--no-cache", "--json") == 0
    result = json.loads(capsys.readouterr().out)["result"]
    assert [c["token"] for c in result["changes"]] == ["hello", "world"] and Path(result["record"]).is_file()
    assert open_study(table, cache=False).table.find("world") == [61]

    plan = tmp_path / "plan.json"
    assert call(monkeypatch, "health", folder, "--fix", plan, "--padded", "drop", "--no-cache") == 0
    out, err = capsys.readouterr()
    assert "Rows to drop 4; 64 rows become 60." in out and "nothing is changed" in err
    assert call(monkeypatch, "health", folder, "--fix", plan, "--no-cache") == 0
    assert "is there already and is shown as it stands" in capsys.readouterr().err
    assert call(monkeypatch, "health", folder, "--fix", plan, "-o", tmp_path / "small", "--no-cache") == 0
    assert "record of each change" in capsys.readouterr().out
    assert open_study(tmp_path / "small", cache=False).shape[0] == 60
    assert call(monkeypatch, "health", folder, "-o", tmp_path / "x") == 2
    assert "expected --fix PLAN.json with -o" in capsys.readouterr().err
    assert call(monkeypatch, "extend", folder, tmp_path / "none.txt") == 2
    assert "expected a file of tokens, found none" in capsys.readouterr().err


def test_tokens_added_beyond_are_named() -> None:
    late = Token.of(4, b"late", "late", Kind.NORMAL)
    vocabulary = Vocabulary([b"la", b"te"], ["la", "te"], np.zeros(2, np.uint8), beyond=[late])
    rows = Table.from_array(np.eye(2))
    study = open_study(Table(rows.vectors, vocabulary, rows.provenance, rows.load_report), cache=False)
    plan = study.propose_fix().plan
    assert [(c.id, c.do, c.way, c.of) for c in plan.changes] == [
        (2, "fill", "draw", ()), (3, "fill", "draw", ()), (4, "add", "pieces", (0, 1)),
    ]  # fmt: skip
    np.testing.assert_array_equal(changed_table(study.table, plan).row(4), [0.5, 0.5])
