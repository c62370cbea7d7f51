"""Progress in stages: one share of the whole, never going back; and rows that tell when they are read."""

from __future__ import annotations

import numpy as np
import pytest

import armillary as arm
from armillary.study.stages import STEPS, Stages, heard


class Stopped(Exception):
    pass


def test_stages_share_the_whole_and_never_go_back():
    told: list[int] = []
    stages = Stages(lambda done, total: told.append(done * 100 // total), 1, 3)
    first, second = stages.next(), stages.next()
    second(1, 2)
    first(1, 1)
    second(3, 3)
    assert told == [62, 62, 100]
    Stages(None, 1).next()(1, 2)  # nobody listens


def test_rows_that_are_heard_are_the_same_rows():
    rows = np.arange(12, dtype=np.float32).reshape(6, 2)
    table, told = arm.Table.from_array(rows), []
    there = heard(table, lambda done, total: told.append((done, total)), passes=2)
    np.testing.assert_array_equal(np.concatenate([block for _, block in there.blocks(4)]), rows)
    np.testing.assert_array_equal(there.rows([5, 0]), rows[[5, 0]])
    for _ in there.blocks():
        pass
    assert told == [(4, 12), (6, 12), (8, 12), (12, 12)]
    assert heard(table, None) is table


@pytest.mark.parametrize("at", [0.05, 0.3, 0.6, 0.9])
def test_a_repair_and_a_comparison_of_metrics_can_be_stopped_anywhere(at):
    rows = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    study = arm.open(arm.Table.from_array(rows), cache=False)

    def stop(done: int, total: int) -> None:
        if done >= at * total:
            raise Stopped

    with pytest.raises(Stopped):
        study.repair("centre", progress=stop)
    with pytest.raises(Stopped):
        study.compare_metrics("#5", progress=stop)


def test_a_repair_tells_all_of_its_way():
    rows = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    told: list[int] = []
    arm.open(arm.Table.from_array(rows), cache=False).repair("centre", progress=lambda done, _: told.append(done))
    assert told == sorted(told) and told[-1] > 0.9 * STEPS
    assert len({done // (STEPS // 10) for done in told}) >= 8  # no tenth but two is passed over in silence
