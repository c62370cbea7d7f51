"""Which tests share a worker, so that no module's fixtures are made twice and one worker alone imports torch.

Fast tests of a file stay together; those that run torch all do, since importing it costs as much as they do. The long
ones (slow, real, browser) go wherever there is room.
"""

from __future__ import annotations

import pytest

TORCH = ("test_lens_", "test_cli_lens", "test_formats_pytorch", "test_health_verify", "test_origins_figures", "test_origins_superposition", "test_origins_tying", "test_patch", "test_repairs_contrastive", "test_sentences")  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not any(item.get_closest_marker(name) for name in ("slow", "real", "browser")):
            name = item.path.stem
            item.add_marker(pytest.mark.xdist_group("torch" if name.startswith(TORCH) else name))
