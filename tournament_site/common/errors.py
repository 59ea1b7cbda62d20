"""What the site says no to. Services raise a reason; the doors turn it into a status and a sentence."""

from collections.abc import Mapping
from enum import StrEnum


class Reason(StrEnum):
    """Every reason for which the site refuses a well-formed wish."""

    BAD_CREDENTIALS = "bad_credentials"
    SIGN_IN_NEEDED = "sign_in_needed"
    NOT_FOUND = "not_found"
    NAME_INVALID = "name_invalid"
    NAME_TAKEN = "name_taken"
    LABEL_INVALID = "label_invalid"
    TEXT_INVALID = "text_invalid"
    TOO_MANY_BOTS = "too_many_bots"
    TOO_MANY_TOKENS = "too_many_tokens"
    TOO_MANY_VERSIONS = "too_many_versions"
    RULES_INVALID = "rules_invalid"
    SEASON_NOT_OPEN = "season_not_open"
    SEASON_NOT_RUNNING = "season_not_running"
    SEASON_FULL = "season_full"
    SEASON_INVALID = "season_invalid"
    TOO_FEW_BOTS = "too_few_bots"
    ALREADY_ENTERED = "already_entered"
    NOT_ENTERED = "not_entered"
    OWNER_HAS_ENTRY = "owner_has_entry"
    NOTHING_TO_VALIDATE = "nothing_to_validate"
    TOO_MANY_REQUESTS = "too_many_requests"


class Refused(Exception):
    """A wish the site does not grant.

    Attributes:
        reason: why, for programs.
        detail: a sentence for people, where it says more than the reason's own.
        fields: field name -> sentence, for forms and API clients.
        wait: seconds after which asking again makes sense, if waiting helps.

    """

    def __init__(
        self,
        reason: Reason,
        detail: str = "",
        *,
        fields: Mapping[str, str] | None = None,
        wait: int | None = None,
    ) -> None:
        self.reason = reason
        self.detail = detail or SENTENCES[reason]
        self.fields = dict(fields or {})
        self.wait = wait
        super().__init__(f"{reason.value}: {self.detail}")


SENTENCES: Mapping[Reason, str] = {
    Reason.BAD_CREDENTIALS: "User name and password do not belong together.",
    Reason.SIGN_IN_NEEDED: "A valid token is needed.",
    Reason.NOT_FOUND: "There is nothing here, or it is not yours.",
    Reason.NAME_INVALID: "This name cannot be used.",
    Reason.NAME_TAKEN: "This name is taken.",
    Reason.LABEL_INVALID: "A version label has 1 to 40 letters, digits, dots, pluses, minuses or underscores.",
    Reason.TEXT_INVALID: "This text cannot be used.",
    Reason.TOO_MANY_BOTS: "You have as many bots as one owner may have.",
    Reason.TOO_MANY_TOKENS: "Revoke a token before you make another.",
    Reason.TOO_MANY_VERSIONS: "This bot has as many versions as a bot may have.",
    Reason.RULES_INVALID: "Nobody can play by these rules.",
    Reason.SEASON_NOT_OPEN: "This season is not open for entry.",
    Reason.SEASON_NOT_RUNNING: "This season is not being played.",
    Reason.SEASON_FULL: "This season is full.",
    Reason.SEASON_INVALID: "A season like this cannot be played.",
    Reason.TOO_FEW_BOTS: "Too few bots have entered.",
    Reason.ALREADY_ENTERED: "This bot has entered already.",
    Reason.NOT_ENTERED: "This bot has not entered.",
    Reason.OWNER_HAS_ENTRY: "At tables of three or more an owner may enter one bot.",
    Reason.NOTHING_TO_VALIDATE: "Its active version has not failed: there is nothing to try again.",
    Reason.TOO_MANY_REQUESTS: "Too many requests. Wait a little.",
}

STATUSES: Mapping[Reason, int] = {
    Reason.BAD_CREDENTIALS: 401,
    Reason.SIGN_IN_NEEDED: 401,
    Reason.NOT_FOUND: 404,
    Reason.NAME_INVALID: 422,
    Reason.NAME_TAKEN: 409,
    Reason.LABEL_INVALID: 422,
    Reason.TEXT_INVALID: 422,
    Reason.TOO_MANY_BOTS: 409,
    Reason.TOO_MANY_TOKENS: 409,
    Reason.TOO_MANY_VERSIONS: 409,
    Reason.RULES_INVALID: 422,
    Reason.SEASON_NOT_OPEN: 409,
    Reason.SEASON_NOT_RUNNING: 409,
    Reason.SEASON_FULL: 409,
    Reason.SEASON_INVALID: 422,
    Reason.TOO_FEW_BOTS: 409,
    Reason.ALREADY_ENTERED: 409,
    Reason.NOT_ENTERED: 409,
    Reason.OWNER_HAS_ENTRY: 409,
    Reason.NOTHING_TO_VALIDATE: 409,
    Reason.TOO_MANY_REQUESTS: 429,
}


def status_of(reason: Reason) -> int:
    """The HTTP status that goes with a reason."""
    return STATUSES[reason]
