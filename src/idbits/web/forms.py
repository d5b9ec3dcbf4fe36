"""Forms as browsers send them."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request

from idbits.errors import InputError

__all__ = ["read_form"]

_MOST_FIELDS = 1000


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form; its size has been checked at the door."""
    body = await request.body()
    try:
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise InputError("the form cannot be read") from None
