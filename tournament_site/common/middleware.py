"""What every answer gets: the content policy, and a plain page for refused wishes; in the API, errors as JSON."""

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import is_valid_path
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import escape_leading_slashes

from tournament_site.common.api import plain_error
from tournament_site.common.errors import Refused, status_of

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
API = "/api/"
ADMIN = "/admin/"
# Headers that say more about an error.
KEPT = frozenset({"Allow", "Retry-After", "WWW-Authenticate"})


class SecurityHeaders(MiddlewareMixin):
    """Constant headers that Django's own middleware does not set."""

    def process_response(self, _request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.headers["Content-Security-Policy"] = CONTENT_POLICY
        response.headers["Permissions-Policy"] = PERMISSIONS
        return response

    def process_exception(self, _request: HttpRequest, error: Exception) -> HttpResponse | None:
        """A refused wish that no view caught becomes plain text with the right status."""
        if not isinstance(error, Refused):
            return None
        answer = HttpResponse(error.detail, status=status_of(error.reason), content_type="text/plain; charset=utf-8")
        if error.wait is not None:
            answer.headers["Retry-After"] = str(error.wait)
        return answer


class TrailingSlashes(MiddlewareMixin):
    """Addresses have no slash at their end. Who types one is sent on, if there is something without it."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        path = request.path_info
        wanted = response.status_code == 404 and request.method in {"GET", "HEAD"} and path.endswith("/")
        # The administration's addresses end with one, and it answers for all below it; programs are told what is wrong.
        if not wanted or path.startswith((ADMIN, API)) or not is_valid_path(shorter := path.rstrip("/")):
            return response
        query = request.META.get("QUERY_STRING", "")
        return HttpResponsePermanentRedirect(escape_leading_slashes(f"{shorter}?{query}" if query else shorter))


class JsonErrors(MiddlewareMixin):
    """Below /api/ an error is JSON, whoever answered: Django writes pages, ninja some texts."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_json = response.headers.get("Content-Type", "").startswith("application/json")
        if response.status_code < 400 or is_json or not request.path_info.startswith(API):
            return response
        answer = JsonResponse(plain_error(response.status_code).model_dump(), status=response.status_code)
        for name in KEPT & response.headers.keys():
            answer.headers[name] = response.headers[name]
        answer.headers["Content-Length"] = str(len(answer.content))
        return answer
