"""Every refusal has one shape, {"message", "cure"}, whoever refuses; none repeats what was sent.

What was sent is hostile text, and not always text: JSON from elsewhere may hold halves of surrogate pairs and numbers
that are none, which no answer could hold.
"""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from armillary.errors import ArmillaryError

AS_THE_PAGE, LESS = "ask as the page does", "ask for less at a time"


def refusal(status: int, message: str, cure: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A refusal as the page reads it."""
    told = {"message": message, "cure": cure}
    return JSONResponse({k: v.encode("utf-8", "backslashreplace").decode() for k, v in told.items()}, status, headers)


def refuse_in_one_shape(app: FastAPI) -> None:
    """Give an application the answers of this file."""
    app.add_exception_handler(ArmillaryError, _by_the_library)
    app.add_exception_handler(RequestValidationError, _by_the_limits)
    app.add_exception_handler(HTTPException, _by_the_address)
    app.add_exception_handler(Exception, _by_a_defect)


async def _by_the_library(_: Request, error: Exception) -> Response:
    assert isinstance(error, ArmillaryError)
    return refusal(422, error.message, error.cure)


async def _by_the_limits(_: Request, error: Exception) -> Response:
    """What is beyond a limit of `asking`: where it is, and which limit."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return refusal(400, f"expected JSON, found none at character {first['loc'][-1]}", AS_THE_PAGE)
    if first["type"] == "extra_forbidden":  # its place is a name that was sent
        return refusal(422, "expected the fields of the question alone, found another", AS_THE_PAGE)
    place = ".".join(str(part) for part in first["loc"][1:]) or "a body"
    most = first.get("ctx", {}).get("max_length")
    if most is not None and first["type"] == "string_too_long":
        return refusal(422, f"expected at most {most} characters in {place}, found more", LESS)
    if most is not None:
        return refusal(422, f"expected at most {most} items in {place}, found more", LESS)
    reason = first["msg"][0].lower() + first["msg"][1:]
    return refusal(422, f"expected another value of {place}: {reason}", AS_THE_PAGE)


async def _by_the_address(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        message, cure = "there is nothing at this address", AS_THE_PAGE
    elif error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "GET")
        message, cure = "this address is asked by another method", f"use {allowed}"
    else:
        message, cure = "expected a body of JSON, found one that cannot be read", AS_THE_PAGE
    return refusal(error.status_code, message, cure, error.headers)


async def _by_a_defect(_: Request, error: Exception) -> Response:
    return refusal(500, f"the server failed: {type(error).__name__}", "this is a defect; the terminal shows where")
