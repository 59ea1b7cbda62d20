"""Commands and programs as they are written in texts for people."""

import html
import re
import shlex
from dataclasses import dataclass

_COMMAND = re.compile(r"(?:\S*/)?phaseten (?:new|play|submit|run) ")
_EXPORT = re.compile(r"(?m)^export (\w+)=(.*)$")


@dataclass(frozen=True, slots=True)
class Text:
    """A text that shows people what to type."""

    text: str

    @classmethod
    def of_page(cls, page: str) -> "Text":
        """What stands in the boxes of a page that can be copied."""
        return cls("\n".join(html.unescape(box) for box in re.findall(r"<pre[^>]*><code>(.*?)</code>", page, re.DOTALL)))

    def command(self, name: str) -> list[str]:
        """The arguments of the only `phaseten NAME ...` in the text, without the comment after two spaces."""
        lines = [re.split(r"\s{2,}", line.strip())[0] for line in self.text.splitlines() if _COMMAND.match(line.strip())]
        (found,) = [words[1:] for line in lines if (words := shlex.split(line))[1] == name]
        return found

    def exports(self) -> dict[str, str]:
        return dict(_EXPORT.findall(self.text))

    def program(self) -> str:
        """The bot that is shown."""
        (found,) = re.findall(r"(?ms)^from bots_sdk import .*?\brun\(MyBot\)$", self.text)
        return str(found)
