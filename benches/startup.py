"""How long `armillary --help` takes beside `python -c "import numpy"`: the minimum of five interleaved runs."""

from __future__ import annotations

import subprocess
import sys
import time

RUNS = 5
COMMANDS = {"import numpy": ["-c", "import numpy"], "armillary --help": ["-m", "armillary", "--help"]}


def seconds(arguments: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS):
        for name, arguments in COMMANDS.items():
            times[name].append(seconds(arguments))
    best = {name: min(values) for name, values in times.items()}
    for name, value in best.items():
        print(f"{name:18} {1000 * value:6.0f} ms")
    print(f"ratio {best['armillary --help'] / best['import numpy']:.2f} (at most 3)")


if __name__ == "__main__":
    main()
