"""How the seasons of the demo look on the screen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deploy.local.console import plain

_BAR = 24
FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Progress:
    """One season, as far as it is played."""

    id: int
    name: str
    state: str
    scheduled: int
    finished: int
    void: int

    @classmethod
    def from_json(cls, season: Mapping[str, Any]) -> "Progress":
        """From one entry of the site's /api/v1/seasons."""
        matches = season["matches"]
        return cls(
            id=season["id"],
            name=plain(season["name"]),
            state=season["state"],
            scheduled=matches["scheduled"],
            finished=matches["finished"],
            void=matches["void"],
        )

    @property
    def over(self) -> bool:
        return self.state == FINISHED

    def line(self, width: int) -> str:
        """One line: name, bar, numbers."""
        played = self.finished + self.void
        filled = _BAR * played // self.scheduled if self.scheduled else 0
        bar = "#" * filled + "." * (_BAR - filled)
        void = f", {self.void} void" if self.void else ""
        return f"  {self.name.ljust(width)}  [{bar}] {played}/{self.scheduled} matches  {self.state}{void}"


def lines(seasons: Sequence[Progress]) -> list[str]:
    width = max((len(season.name) for season in seasons), default=0)
    return [season.line(width) for season in seasons]
