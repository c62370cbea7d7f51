"""The errors of Armillary: what was expected and found, and what to do about it.

Every error a person can cause or meet is an `ArmillaryError` of one of the few kinds below. The message says in
one line what was expected and what was found; `cure` says what to do. The command line prints both, without a
traceback, and ends with the exit code of the kind.
"""

from __future__ import annotations

MOST_SEED = 2**63 - 1  # numpy and torch both take any whole number from 0 to this one


class ArmillaryError(Exception):
    """An error with its cure; the base of all others.

    `message` is one line: what was expected, what was found, and where. `cure` is one line: what to do now. Line
    breaks in either (names inside a hostile file hold them) become spaces.
    """

    exit_code = 2

    def __init__(self, message: str, cure: str = "") -> None:
        self.message: str = " ".join(message.splitlines())
        self.cure: str = " ".join(cure.splitlines())
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message}\n{self.cure}" if self.cure else self.message


class UsageError(ArmillaryError):
    """An argument that cannot be meant: an unknown word, an empty list, a number out of its range."""


def check_range(what: str, value: int, least: int, most: int) -> None:
    """UsageError unless `value`, named `what` in the message, lies from `least` to `most`."""
    if not least <= value <= most:
        raise UsageError(f"expected {what} from {least:,} to {most:,}, found {value:,}")


def check_seed(seed: int) -> None:
    """UsageError for a seed that random numbers cannot be drawn with."""
    check_range("a seed", seed, 0, MOST_SEED)


class UnreadableError(ArmillaryError):
    """A file that is missing, cut, corrupt, hostile, or of a kind that is not read."""


class MissingExtra(ArmillaryError):
    """A feature whose optional packages are not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs packages that are not installed", f"pip install 'armillary[{extra}]'")


class WorkError(ArmillaryError):
    """A failure while working: the disk is full, the network is gone, a checksum is wrong."""

    exit_code = 3
