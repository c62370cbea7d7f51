"""Answers that cost a moment and never change, remembered: the second asker, and those who ask meanwhile, wait for one."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

MOST = 128


class Remembered:
    """The last 128 answers by key, each computed once however many ask at the same time."""

    def __init__(self) -> None:
        self._answers: OrderedDict[Hashable, Any] = OrderedDict()
        self._turns: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """The answer kept under this key, else computed and kept; an error is not remembered."""
        with self._lock:
            turn = self._turns.setdefault(key, threading.Lock())
        with turn:
            if key not in self._answers:
                answer = compute()
                with self._lock:
                    self._answers[key] = answer
                    while len(self._answers) > MOST:
                        oldest, _ = self._answers.popitem(last=False)
                        self._turns.pop(oldest, None)
            return self._answers[key]
