"""The API at /api/v1, put together from the apps' parts."""

from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from tournament_site.accounts.api import router as accounts
from tournament_site.bots.api import router as bots
from tournament_site.common.api import error_answer
from tournament_site.common.errors import SENTENCES, Reason, Refused, status_of
from tournament_site.leagues.api import router as leagues
from tournament_site.matches.api import router as matches

api = NinjaAPI(title="phaseten", version="1", urls_namespace="api", docs_url="/docs")
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
    return _answer(request, error.status_code, "malformed", str(error))
