"""Text that strangers give us: names and labels. Pure."""

import hashlib
import re
import unicodedata

from tournament_site.common.errors import Reason, Refused

NAME_LENGTH = 40
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")
_USERNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{1,29}")
# Cc controls, Cf invisible formatting (zero width, bidi), Co private, Cs half a surrogate, Cn unassigned,
# Zl and Zp line breaks.
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
# Letters and marks that are drawn as nothing although Unicode calls them visible (Hangul fillers, braille blank, joiners).
_BLANK = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u034f")
_MARKS_IN_A_ROW = 2


def clean_name(text: str, *, field: str = "name") -> str:
    """A name that is safe to show: NFC, 1-40 characters, single spaces, nothing invisible.

    Raises:
        Refused: NAME_INVALID with the sentence under `field`.

    """
    name = unicodedata.normalize("NFC", text)
    problem = _name_problem(name)
    if problem:
        raise Refused(Reason.NAME_INVALID, problem, fields={field: problem})
    return name


def _name_problem(name: str) -> str:
    checks = (
        (_has_unseen(name), "A name may not hold control, direction or invisible characters."),
        (_has_odd_spaces(name), "A name may hold single ordinary spaces, and none at its ends."),
        (not 1 <= len(name) <= NAME_LENGTH, f"A name has 1 to {NAME_LENGTH} characters."),
        (_stacks_marks(name), "A name may not stack marks on a letter."),
        (not any(c.isalnum() for c in name), "A name needs a letter or a digit."),
    )
    return next((sentence for broken, sentence in checks if broken), "")


def _has_unseen(name: str) -> bool:
    return any(unicodedata.category(c) in _UNSEEN or c in _BLANK or _is_selector(c) for c in name)


def _has_odd_spaces(name: str) -> bool:
    odd = any(unicodedata.category(c) == "Zs" and c != " " for c in name)
    return odd or name != name.strip(" ") or "  " in name


def _is_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _stacks_marks(name: str) -> bool:
    run = 0
    for character in name:
        run = run + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        if run > _MARKS_IN_A_ROW:
            return True
    return False


def slug_of(name: str) -> str:
    """Lower-case ASCII for addresses, 1-50 characters; names without any get a digest, so one name has one slug."""
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:NAME_LENGTH].strip("-")
    return slug or "bot-" + hashlib.sha256(name.encode()).hexdigest()[:10]


def clean_label(text: str) -> str:
    """A version label as given. Raises Refused LABEL_INVALID."""
    if not _LABEL.fullmatch(text):
        raise Refused(Reason.LABEL_INVALID, fields={"version": "Letters, digits, . _ + and - only, 1 to 40."})
    return text


def clean_username(text: str) -> str:
    """A user name as given: ASCII, so that no two look alike. Raises Refused NAME_INVALID."""
    if not _USERNAME.fullmatch(text):
        sentence = "A user name has 2 to 30 letters, digits, minuses or underscores."
        raise Refused(Reason.NAME_INVALID, sentence, fields={"username": sentence})
    return text


def clean_word(text: str, *, field: str, length: int = NAME_LENGTH) -> str:
    """A short remark such as an SDK's name: printable ASCII or empty. Raises Refused TEXT_INVALID."""
    if len(text) > length or not all(" " <= c <= "~" for c in text):
        sentence = f"Up to {length} printable ASCII characters."
        raise Refused(Reason.TEXT_INVALID, fields={field: sentence})
    return text
