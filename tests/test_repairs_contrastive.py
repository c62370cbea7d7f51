"""The contrastive repair on a space where the answer is known, and where there is nothing to learn."""

from __future__ import annotations

import numpy as np
import pytest

from armillary.errors import UsageError
from armillary.repairs import Training, groups_of, neighbour_pairs, read_pairs, train, variant_pairs
from armillary.repairs.contrastive import reciprocal_ranks
from armillary.sphere import Code
from armillary.table import Table
from naive_scan import naive_scan

D, PAIRS = 24, 600


def noisy_pairs(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Partners agree in 6 coordinates; 18 louder ones are noise: centring cannot know which, training can."""
    random = np.random.default_rng(seed)
    shared = random.standard_normal((PAIRS, 6))
    sides = [np.concatenate([shared, 3 * random.standard_normal((PAIRS, 18))], 1) + 5 for _ in range(2)]
    return sides[0], sides[1]


@pytest.mark.long
@pytest.mark.parametrize("hidden", [0, 16])
def test_it_finds_what_partners_share_and_beats_centring(hidden):
    left, right = noisy_pairs(0)
    training = Training(hidden=hidden, temperature=0.2, rate=3e-2, batch=256, epochs=15, seed=1)
    found = train(left, right, np.full(D, 5.0), training=training)
    assert found.better and found.low > 0.2 and found.held_out == 60
    assert "beats centring" in str(found)
    gain = np.linalg.norm(found.repair.matrix, axis=1)
    assert gain[:6].min() > 2 * gain[6:].max()
    assert found.log[-1]["held_out_loss"] < found.log[0]["held_out_loss"]
    assert {"loss", "held_out_loss", "alignment", "uniformity"} < found.log[0].keys()
    again = train(left, right, np.full(D, 5.0), training=training)
    assert (again.repair.matrix == found.repair.matrix).all() and (again.low, again.high) == (found.low, found.high)


def test_it_says_where_it_does_not_beat_centring():
    random = np.random.default_rng(2)
    found = train(random.standard_normal((200, D)), random.standard_normal((200, D)), np.zeros(D))
    assert not found.better and "does not beat centring" in str(found)


def test_linked_pairs_stay_on_one_side():
    pairs = np.array([[1, 2], [3, 4], [2, 5], [9, 3], [7, 8]])
    groups = groups_of(pairs)
    assert groups[0] == groups[2] and groups[1] == groups[3]
    assert len({groups[0], groups[1], groups[4]}) == 3


def test_reciprocal_ranks_by_hand():
    left = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    right = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    # row 0: cosines 0, .71, .71: its own is last; row 1: 1, .71, .71 with a tie counted against; row 2: .71, 1, 1
    assert reciprocal_ranks(left, right) == pytest.approx([1 / 3, 1 / 3, 1 / 2])


def test_too_few_or_all_linked():
    few = np.ones((10, D))
    with pytest.raises(UsageError, match="at least 50 pairs"):
        train(few, few, np.zeros(D))
    left, right = noisy_pairs(0)
    with pytest.raises(UsageError, match="linked"):
        train(left, right, np.zeros(D), groups=np.zeros(PAIRS, np.int64))


def test_pairs_from_variants_neighbours_and_files(tmp_path):
    rows = np.array([[1, 0, 0.1], [1, 0.01, 0.1], [0, 1, 0], [0, 1, 0.2], [5, 5, -9], [-3, 0, 1]], np.float32)
    table = Table.from_array(rows, ["King", " king", "cat", "KING", "dog", "1"])
    assert variant_pairs(table).tolist() == [[0, 1], [1, 3]]
    assert neighbour_pairs(naive_scan(Code.of(table), 2)).tolist() == [[0, 1], [2, 3]]
    file = tmp_path / "pairs.txt"
    file.write_text("# a comment\ncat dog\ncat\tKing\nnowhere cat\n", "utf-8")
    pairs, lost = read_pairs(file, table)
    assert pairs.tolist() == [[2, 4], [2, 0]] and lost == 1
