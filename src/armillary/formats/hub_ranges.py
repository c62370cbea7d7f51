"""Byte ranges of files on the hub: asked for, checked, resumed where a connection breaks; and its failures in one line.

A range that is answered with the whole file, or with other bytes than those asked for, is refused before it is stored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from armillary.errors import ArmillaryError, UnreadableError, WorkError

_ATTEMPTS = 5  # in a row without a new byte
_TIMEOUT = 20.0  # seconds without a byte
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
Sink = Callable[[bytes], None]


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Failures of the hub and of the network as one line each: exit 2 for what is not there, 3 for what failed."""
    import httpx2
    from huggingface_hub import errors

    try:
        yield
    except ArmillaryError:
        raise
    except errors.GatedRepoError as error:
        raise UnreadableError(
            f"{name} is gated: its owner lets in those who accept its terms",
            "accept them on its page, and set HF_TOKEN",
        ) from error
    except errors.RevisionNotFoundError as error:
        raise UnreadableError(f"expected a revision of {name}, found none of that name", "see its page") from error
    except errors.RepositoryNotFoundError as error:
        raise UnreadableError(
            f"expected a model {name}, found none, or a private one", "check its name; for a private model set HF_TOKEN"
        ) from error
    except errors.HFValidationError as error:
        raise UnreadableError(
            f"expected hf:owner/name[@revision], found {name}", "see the page of the model"
        ) from error
    except (httpx2.HTTPError, OSError, ValueError) as error:
        raise _failed(name, error) from error


def _failed(name: str, error: Exception) -> ArmillaryError:
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status == 429:
        return WorkError(
            f"the hub answers no more requests for {name} now: too many were made", "wait, or set HF_TOKEN"
        )
    if status in (401, 403, 404):
        return UnreadableError(
            f"expected a model {name} that may be read, found none, or a private one (status {status})",
            "check its name; for a private model set HF_TOKEN",
        )
    said = f"status {status}" if status else (str(error).splitlines() or [type(error).__name__])[0][:100]
    return WorkError(f"the hub could not be reached for {name}: {said or type(error).__name__}", "try again later")


def fetch_range(url: str, begin: int, end: int, sink: Sink, token: str | bool | None = None) -> int:
    """Hand bytes begin … end−1 of a file to `sink` in order; the size of the whole file.

    A broken connection is taken up where it broke. WorkError if the answer is not the range that was asked for.
    """
    total, failures = 0, 0
    at = begin
    while at < end:
        before = at
        try:
            for size, chunk in _answer(url, at, end, token):
                total = size
                sink(chunk)
                at += len(chunk)
            end = min(end, total)
        except _broken():
            if failures + 1 >= _ATTEMPTS:
                raise
        failures = 0 if at > before else failures + 1
        if failures >= _ATTEMPTS:
            raise WorkError(f"the hub sent {at - begin:,} of {end - begin:,} bytes of {_file(url)}", "try again later")
    return total


def _answer(url: str, at: int, end: int, token: str | bool | None) -> Iterator[tuple[int, bytes]]:
    """(size of the file, bytes) of one request, never more bytes than were asked for."""
    from huggingface_hub import get_session
    from huggingface_hub.utils import build_hf_headers, hf_raise_for_status

    headers = build_hf_headers(token=token) | {"Range": f"bytes={at}-{end - 1}", "Accept-Encoding": "identity"}
    with get_session().stream("GET", url, headers=headers, timeout=_TIMEOUT) as response:
        hf_raise_for_status(response)
        found = _CONTENT_RANGE.match(response.headers.get("content-range", ""))
        if response.status_code != 206 or not found or int(found[1]) != at or int(found[2]) >= end:
            raise WorkError(
                f"expected bytes {at:,} to {end - 1:,} of {_file(url)}, found an answer of status {response.status_code}"
                f" with the range {response.headers.get('content-range', 'of the whole file')}",
                "the server or a proxy between does not serve ranges; download the model instead",
            )
        left = end - at
        for chunk in response.iter_bytes():  # as they come: what came before a break is kept
            if len(chunk) > left:
                raise WorkError(f"the hub sent more bytes of {_file(url)} than were asked for", "try again later")
            left -= len(chunk)
            yield int(found[3]), chunk


def _broken() -> tuple[type[Exception], ...]:
    import httpx2

    return httpx2.TimeoutException, httpx2.NetworkError, httpx2.RemoteProtocolError


def _file(url: str) -> str:
    return url.rpartition("/")[2]
