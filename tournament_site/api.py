"""The API at /api/v1, put together from the apps' parts."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.docs import Swagger
from ninja.parser import Parser

from tournament_site.accounts.api import router as accounts
from tournament_site.bots.api import router as bots
from tournament_site.common.api import CODES, error_answer
from tournament_site.common.errors import SENTENCES, Reason, Refused, status_of
from tournament_site.leagues.api import router as leagues
from tournament_site.matches.api import router as matches


class BoundedParser(Parser):
    """JSON of a limited size, also where nobody said beforehand how long it will be (chunked): Django looks at that only."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        if len(request.body) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise RequestDataTooBig
        return super().parse_body(request)


class Manual(Swagger):
    """The library's page of the manual with a way back to the site."""

    template = "pages/api_manual.html"


api = NinjaAPI(title="phaseten", version="1", urls_namespace="api", docs_url="/docs", docs=Manual(), parser=BoundedParser())
for _router in (accounts, bots, leagues, matches):
    api.add_router("", _router)


def _answer(
    request: HttpRequest, status: int, code: str, message: str, fields: dict[str, str] | None = None
) -> HttpResponse:
    return api.create_response(request, error_answer(code, message, fields).model_dump(), status=status)


@api.exception_handler(Refused)
def _refused(request: HttpRequest, error: Refused) -> HttpResponse:
    answer = _answer(request, status_of(error.reason), error.reason.value, error.detail, error.fields)
    if error.wait is not None:
        answer.headers["Retry-After"] = str(error.wait)
    return answer


@api.exception_handler(AuthenticationError)
def _unknown(request: HttpRequest, _error: AuthenticationError) -> HttpResponse:
    answer = _answer(request, 401, Reason.SIGN_IN_NEEDED.value, SENTENCES[Reason.SIGN_IN_NEEDED])
    answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    fields = {str(item["loc"][-1]): str(item["msg"]) for item in error.errors}
    return _answer(request, 422, "invalid", "Some fields are missing or wrong.", fields)


@api.exception_handler(HttpError)
def _malformed(request: HttpRequest, error: HttpError) -> HttpResponse:
    if isinstance(error.__cause__, RequestDataTooBig):  # raised while ninja parsed the body
        return _too_large(request, error.__cause__)
    return _answer(request, error.status_code, CODES[400], str(error))


@api.exception_handler(RequestDataTooBig)
def _too_large(request: HttpRequest, _error: RequestDataTooBig) -> HttpResponse:
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return _answer(request, 413, CODES[413], f"The body may have {most} bytes.")
