"""Which tests share a worker, so that no module's fixtures are made twice and one worker alone imports torch; and what
the tests of the page open: a browser, and a server over the module's own `study`; and the command line, called in process.

Fast tests of a file stay together; those that run torch all do, since importing it costs as much as they do. The long
ones (slow, real, browser) go wherever there is room.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    import armillary as arm

TORCH = ("test_lens_", "test_cli_lens", "test_formats_pytorch", "test_health_verify", "test_origins_figures", "test_origins_superposition", "test_origins_tying", "test_patch", "test_repairs_contrastive", "test_sentences")  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not any(item.get_closest_marker(name) for name in ("slow", "real", "browser")):
            name = item.path.stem
            item.add_marker(pytest.mark.xdist_group("torch" if name.startswith(TORCH) else name))


@pytest.fixture(scope="module")
def demo_study(tmp_path_factory) -> Iterator[arm.Study]:
    """The demo with a cache of its own, as a fresh reader has: what a scan of the user would add must not matter."""
    import armillary as arm

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARMILLARY_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield arm.open("demo")


@pytest.fixture(scope="module")
def url(study: arm.Study) -> str:
    """The address of a live server over the module's `study`."""
    from browser_pages import served

    return served(study)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Of one module: while it runs, its thread has an event loop that other tests must not find."""
    from browser_pages import chromium

    with chromium() as running:
        yield running


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    """The page at the module's `url`, watched for errors."""
    from browser_pages import opened

    with opened(browser, url) as page:
        yield page


@pytest.fixture
def command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Calls `armillary ARGUMENTS…` in this process: (exit code, standard output, standard error)."""
    from armillary.cli import main

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["armillary", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        return int(end.value.code or 0), out, err

    return call
