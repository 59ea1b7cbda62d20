"""Everything the SDK raises. The text of each says what to do next."""

from collections.abc import Mapping
from typing import Final

ADDRESS_RIGHT: Final = "Is the address right?"


class SdkError(Exception):
    """Base of the SDK's errors. `exit_code` is what the command line ends with: 2 for wrong input, 1 for the rest."""

    exit_code = 1


class WrongInput(SdkError):
    """Something the caller gave cannot be used: a setting, a bot's name, a file."""

    exit_code = 2


class SiteRefused(SdkError):
    """The site answered, and the answer was no.

    `status` is the HTTP status, `code` the site's word for the reason, `fields` its sentences by field name, `wait` the
    seconds after which asking again makes sense (None where waiting does not help).
    """

    def __init__(
        self, status: int, code: str, message: str, fields: Mapping[str, str] | None = None, wait: float | None = None
    ) -> None:
        self.status = status
        self.code = code
        self.fields = dict(fields or {})
        self.wait = wait
        details = "".join(f"\n  {name}: {sentence}" for name, sentence in self.fields.items() if sentence != message)
        super().__init__(f"the site says: {message} ({code}){details}")

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may be granted later."""
        return self.status == 429 or self.status >= 500


class SiteUnavailable(SdkError):
    """The site gave no answer, or one that is not the site's."""


class Superseded(SdkError):
    """Another process connected with the same bot's token; the newest one plays."""


class RefereeSilent(SdkError):
    """A referee said nothing for too long; the connection is given up and made anew."""
