"""A program of its own: `python source_archive.py NAME VERSION TARGET` downloads a source archive through pip.

`pip download` would run the archive's build script to learn its dependencies. Here pip's own finder and session (so
the user's index, proxy and certificates hold) only find the link and bring the bytes; nothing in them is run.
"""

from __future__ import annotations

import sys
from pathlib import Path


def download(name: str, version: str, target: Path) -> None:
    """Write the source archive of one version of a package to `target`; LookupError where the index has none."""
    from pip._internal.commands import create_command

    command = create_command("index")
    with command.main_context():
        options, _ = command.parse_args(["versions", name, "--no-binary", ":all:", "--quiet"])
        session = command.get_default_session(options)  # pyright: ignore[reportAttributeAccessIssue]
        finder = command._build_package_finder(options, session)  # pyright: ignore[reportAttributeAccessIssue]
        found = [c.link for c in finder.find_all_candidates(name) if str(c.version) == version and not c.link.is_wheel]
        if not found:
            raise LookupError(f"error: the index has no source archive of {name} {version}")
        response = session.get(found[0].url_without_fragment, headers={"Accept-Encoding": "identity"}, stream=True)
        response.raise_for_status()
        with target.open("wb") as file:
            for chunk in response.iter_content(1 << 16):
                file.write(chunk)


if __name__ == "__main__":
    download(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
