"""What every answer gets: the content policy, and a plain page for refused wishes."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from tournament_site.common.errors import Refused, status_of

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


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
