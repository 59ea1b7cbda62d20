"""What all parts of the API share: its texts, its errors, who is calling."""

from collections.abc import Mapping
from typing import Annotated, TypeVar

from django.http import HttpRequest
from ninja import Schema
from pydantic import AfterValidator, ConfigDict, StringConstraints

from tournament_site.common.errors import Reason, Refused

T = TypeVar("T")
MAX_ID = 2**63 - 1


def _no_nul(text: str) -> str:
    if "\0" in text or not text.isprintable():
        raise ValueError("may hold printable characters only")
    return text


Text = Annotated[str, StringConstraints(max_length=200), AfterValidator(_no_nul)]
# Hostile names get our own sentences, so these pass everything that fits.
AnyText = Annotated[str, StringConstraints(max_length=400)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,50}$")]
TokenId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]


class Input(Schema):
    """What clients send."""

    model_config = ConfigDict(frozen=True)


class Output(Schema):
    """What we answer."""

    model_config = ConfigDict(frozen=True)


class ErrorBody(Output):
    """Why a request was refused.

    Attributes:
        code: a stable word for programs.
        message: a sentence for people.
        fields: field name -> sentence.

    """

    code: str
    message: str
    fields: dict[str, str]


class ErrorAnswer(Output):
    error: ErrorBody


ERRORS: dict[int, type[ErrorAnswer]] = dict.fromkeys((400, 401, 404, 409, 413, 422, 429), ErrorAnswer)
# Codes of errors that are not a service's `Reason`.
CODES: Mapping[int, str] = {
    400: "malformed",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    500: "internal",
}
_SENTENCES: Mapping[int, str] = {
    400: "This request cannot be read.",
    404: "There is nothing at this address.",
    405: "This address does not know this method.",
    413: "This request is too large.",
    500: "Something went wrong on our side. Try again later.",
}


def error_answer(code: str, message: str, fields: dict[str, str] | None = None) -> ErrorAnswer:
    return ErrorAnswer(error=ErrorBody(code=code, message=message, fields=fields or {}))


def plain_error(status: int) -> ErrorAnswer:
    """What is said of a status that Django answered with a page. Statuses that are not known are 400 or 500."""
    known = status if status in CODES else 400 if status < 500 else 500
    return error_answer(CODES[known], _SENTENCES[known])


def caller(request: HttpRequest, kind: type[T]) -> T:
    """Who the token in the request belongs to. Raises Refused SIGN_IN_NEEDED."""
    found = getattr(request, "auth", None)
    if not isinstance(found, kind):
        raise Refused(Reason.SIGN_IN_NEEDED)
    return found
