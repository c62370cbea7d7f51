"""The machine a figure was taken on, and what else it did meanwhile."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def processor() -> str:
    """Name and number of the processors, and memory."""
    info = Path("/proc/cpuinfo")
    names = [line.split(":", 1)[1].strip() for line in _lines(info) if line.startswith("model name")]
    flags = next((set(line.split()) for line in _lines(info) if line.startswith("flags")), set())
    has = [name for name in ("avx2", "avx512f", "avx512_vnni") if name in flags]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{(names or [platform.processor()])[0]}, {os.cpu_count()} cores ({', '.join(has)}), {memory:.0f} GiB"


@dataclass(frozen=True)
class Load:
    """CPU seconds since boot: used by anyone, and stolen by the host."""

    busy: float
    steal: float

    @classmethod
    def now(cls) -> Load:
        line = next(iter(_lines(Path("/proc/stat"))), "cpu 0 0 0 0 0 0 0 0")
        user, nice, system, _idle, _wait, hard, soft, steal = (int(n) / _TICKS for n in line.split()[1:9])
        return cls(user + nice + system + hard + soft, steal)

    def since(self, before: Load, seconds: float, own: float) -> tuple[float, float]:
        """(steal, foreign) as shares of all cores over these seconds; `own` CPU seconds are not foreign."""
        room = seconds * (os.cpu_count() or 1)
        return (self.steal - before.steal) / room, max(0.0, self.busy - before.busy - own) / room


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []
