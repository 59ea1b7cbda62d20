"""What a page says, without its tags."""

import html
import re
from typing import Any

INSIDE_A_SENTENCE = re.compile(r"</?(?:a|abbr|b|bdi|code|span|time)\b[^>]*>")


def text_of(answer: Any) -> str:
    """The words of a page's main part, single blanks between them."""
    main = re.search(r"(?s)<main.*</main>", answer.content.decode())
    assert main is not None
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", INSIDE_A_SENTENCE.sub("", main[0]))).split())
