"""Requests to the site: JSON there, JSON back."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from bots_sdk.errors import ADDRESS_RIGHT, SiteRefused, SiteUnavailable

TIMEOUT_S = 10.0
_MOST_BYTES = 1 << 20
_NO_CONTENT = 204


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class _StayHere(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: it would turn a POST into a GET, and could carry the token to another site."""

    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Site:
    """A site's API. `server` is its address without a slash at the end; `token` goes into every request's header."""

    server: str
    token: str | None = field(default=None, repr=False)

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """The answer to a POST. Raises SiteRefused, SiteUnavailable."""
        answer = self._send("POST", path, json.dumps(body).encode())
        if not isinstance(answer, dict):
            raise SiteUnavailable(f"{self.server} did not answer as a phaseten site does. {ADDRESS_RIGHT}")
        return answer

    def get(self, path: str) -> Any:
        """The answer to a GET, an object or a list. Raises SiteRefused, SiteUnavailable."""
        return self._send("GET", path, None)

    def delete(self, path: str) -> None:
        """Ask for a DELETE. Raises SiteRefused, SiteUnavailable."""
        self._send("DELETE", path, None)

    def _send(self, method: str, path: str, data: bytes | None) -> Any:
        url = f"{self.server}/api/v1/{path}"
        headers = {"Accept": "application/json", "User-Agent": "phaseten-sdk"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310 - settings let only http(s) in
        handlers: list[urllib.request.BaseHandler] = [_StayHere()]
        if is_loopback(urlsplit(self.server).hostname or ""):
            handlers.append(urllib.request.ProxyHandler({}))  # no proxy leads back to this machine
        try:
            with urllib.request.build_opener(*handlers).open(request, timeout=TIMEOUT_S) as answer:
                return None if answer.status == _NO_CONTENT else _decoded(answer.read(_MOST_BYTES), url)
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error, url) from None
        except urllib.error.URLError as error:
            raise SiteUnavailable(f"{self.server} cannot be reached: {error.reason}") from error
        except (OSError, ValueError) as error:
            raise SiteUnavailable(f"{self.server} cannot be reached: {error}") from error
        except http.client.IncompleteRead as error:
            raise SiteUnavailable(f"{self.server} broke off in the middle of its answer") from error
        except http.client.InvalidURL as error:
            raise SiteUnavailable(f"{self.server} is no address of a site: {error}. {ADDRESS_RIGHT}") from error
        except http.client.HTTPException as error:  # what came is no HTTP: gRPC, say, or another service
            raise SiteUnavailable(f"{self.server} is no phaseten site; is this a referee's port? {ADDRESS_RIGHT}") from error


def _decoded(data: bytes, url: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise SiteUnavailable(f"{url} did not answer as a phaseten site does. {ADDRESS_RIGHT}") from None


def _refusal(error: urllib.error.HTTPError, url: str) -> SiteRefused | SiteUnavailable:
    try:
        body = json.loads(error.read(_MOST_BYTES))["error"]
        fields = {str(name): str(sentence) for name, sentence in dict(body.get("fields") or {}).items()}
        code, message = str(body["code"]), str(body["message"])
    except (OSError, http.client.HTTPException, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        if error.code >= 500 or error.code == 429:
            return SiteUnavailable(f"{url} answered with {error.code} {error.reason}")
        return SiteRefused(error.code, "not_a_site", f"{url} answered with {error.code} {error.reason}. {ADDRESS_RIGHT}")
    return SiteRefused(error.code, code, message, fields, _seconds(error.headers.get("Retry-After")))


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isdecimal() and len(text) < 6 else None
