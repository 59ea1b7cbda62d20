"""What the scenarios play on: a site, two referees, and the bot's session."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol, Self

from bots_sdk.conformance.findings import Finding, Heard
from bots_sdk.conformance.patience import Patience
from bots_sdk.conformance.referee import Referee
from bots_sdk.conformance.report import Failed, NoSession, Report
from bots_sdk.conformance.server import Door
from bots_sdk.conformance.site import PATH, Site
from bots_sdk.conformance.table import Table
from bots_sdk.conformance.visit import Visit

FIRST, SECOND = "first", "second"
LOOK_SECONDS: Final = 0.5  # between two looks at the bot's process
GLANCE_SECONDS: Final = 0.05
MOST_STARTS: Final = 3  # of a bot that ends before it comes
FIRST_SETTLING: Final = 1 << 48  # the numbers of pings that only wait for the bot


class Starter(Protocol):
    """What starts the bot, if that is not its author's business."""

    async def ensure(self) -> bool:
        """Start it if it does not run; whether that was so."""

    async def restart(self) -> None:
        """Stop it, and start it again."""

    async def obituary(self) -> str:
        """How it ended, if it did; else empty."""


@dataclass(slots=True)
class Stage:
    """Everything that scenarios use; `async with stage:` opens the doors. `report` is what was counted so far.

    `tables` are the games that were begun; `tidy` calls them off. `unshared` says, where it is not empty, why
    the bot's shares in shuffles need not be looked at again; `mute` that it does not answer pings;
    `hopeless` that nobody has come and said Hello yet, although there was time for it.
    """

    site: Site
    patience: Patience
    report: Report = field(default_factory=Report)
    heard: Heard = field(default_factory=Heard)
    starter: Starter | None = None
    tables: list[Table] = field(default_factory=list)
    unshared: str = ""
    mute: bool = False
    hopeless: bool = False
    first: Referee = field(init=False)
    second: Referee = field(init=False)
    _doors: list[Door] = field(init=False, default_factory=list)
    _handles: int = 0
    _missed: int = 0
    _settled: int = 0
    _met: bool = False
    _greeted: bool = False
    _mum: bool = False

    def __post_init__(self) -> None:
        self.first = Referee(FIRST, self.patience, self.heard, self.site.admits)
        self.second = Referee(SECOND, self.patience, self.heard, self.site.admits, idle=True)

    async def __aenter__(self) -> Self:
        """Raises OSError if a port cannot be had."""
        free = 0
        for number, referee in enumerate((self.first, self.second), start=1):
            door = Door(referee, self.site.host, self.site.port + number if self.site.fixed else free)
            self._doors.append(door)
            await door.start()
            self.site.referees[referee.name] = door.cable.port
        self.site.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.site.close()
        for door in self._doors:
            await door.close()

    # The session.

    async def session(self) -> Visit:
        """The open session, or the bot's next one, welcomed. Raises NoSession."""
        visit = self.first.visit
        if visit is not None and visit.welcomed and not visit.gone:
            return visit
        visit = await self.visitor()
        await self.welcome(visit)
        return visit

    async def visitor(self) -> Visit:
        """A stream that has not been welcomed yet. Raises NoSession."""
        within = self.patience.connect if self._met or self.starter is not None else self.patience.first
        if self._missed > 1:  # whoever does not come twice is hardly waited for any more
            within = GLANCE_SECONDS
        visit = await self._unwelcomed(within)
        if visit is None and self.starter is not None and not self._missed:
            await self.starter.restart()
            visit = await self._unwelcomed(within)
        if visit is None:
            self._missed += 1
            self.hopeless = not self._greeted
            raise await self._absence(within)
        self._met, self._missed = True, 0
        return visit

    async def _absence(self, within: float) -> NoSession:
        """Why there is no stream, as far as that can be seen, and what its author can do."""
        how = "" if self.starter is None else await self.starter.obituary()
        came, advice = f"no bot came{how}" if how else f"no bot came within {within:.3g} s", "see what the bot prints"
        if how:
            advice = "the bot has to run until it is stopped; what it printed before it ended is at the end of this report"
        elif self.first.dials:
            came += f", only streams without a ticket of this site (the last with {self.first.dials[-1].ticket!r})"
            advice = "send the metadata `authorization: Bearer TICKET` with the field `ticket` of the site's answer"
        elif self.site.asked:
            came += "; it asked the site for a ticket and then opened no stream"
            advice = "open BotService.Connect, in plain text, at every address in `referees` of the site's answer"
        elif self.site.strays:
            came += f"; it asked the site for {self.site.strays[-1]}"
            advice = f"ask the site with POST {PATH}"
        else:
            came += ", and the site was asked for nothing"
            advice = f"start with POST {self.site.url}{PATH}: address and token are in PHASETEN_SERVER and PHASETEN_TOKEN"
        return NoSession("a stream at the first referee", came, advice)

    async def _unwelcomed(self, within: float) -> Visit | None:
        """Wait for the bot; if it has ended in the meantime, it is started again."""
        old = self.first.visit
        after = old if old is not None and old.welcomed else None
        until = time.monotonic() + within
        starts = 0
        while (left := until - time.monotonic()) > 0 and starts <= MOST_STARTS:
            if self.starter is not None:
                starts += await self.starter.ensure()
            visit = await self.first.arrival(min(left, LOOK_SECONDS), after)
            if visit is not None:
                return visit
        return None

    async def welcome(self, visit: Visit, *frames: bytes) -> None:
        """Welcome a new session, and tell it what else it is told at once. Raises NoSession."""
        within = self.patience.hello * 3 if not self._mum else GLANCE_SECONDS
        try:
            hello = await visit.greet(within, *frames)
        except NoSession:
            self._mum = True  # whoever says no Hello once is hardly waited for any more
            self.hopeless = not self._greeted
            visit.end("DEADLINE_EXCEEDED", "no Hello came in time")
            raise
        self._mum, self._greeted, self.hopeless = False, True, False
        self.report.sdk, self.report.language = hello.sdk, hello.language
        self.report.capacity = max(1, hello.capacity)
        if self.site.asked:
            self.report.version = self.site.asked[-1].version

    async def back(self, after: Visit, *frames: Callable[[], bytes]) -> Visit:
        """The session after this one, welcomed, and told what these functions make then.

        Raises Failed if the bot does not come back.
        """
        visit = await self.first.arrival(self.patience.connect, after)
        if visit is None:
            raise Failed(
                f"a new stream within {self.patience.connect:g} s after the old one was lost",
                "the bot did not come back",
                "dial again after every end of a stream (but not after Superseded), with growing pauses and some jitter",
            )
        try:
            await self.welcome(visit, *[make() for make in frames])
        except NoSession as absence:
            raise Failed(
                absence.expected, absence.came, "say Hello first on every new stream, also after a lost one"
            ) from None
        return visit

    def cut(self, visit: Visit) -> None:
        """Break the connection of a visit as a network does."""
        visit.gone = True
        self._doors[0].cable.cut()

    def freeze(self) -> None:
        """Let the current connections fall silent."""
        self._doors[0].cable.freeze()

    # Games.

    def seat(self, tables: Iterable[Table]) -> list[Table]:
        """Take games up: as many as the bot plays at once. Each gets a number of its own."""
        taken = list(tables)[: max(1, self.report.capacity)]
        for table in taken:
            table.handle = self.next_handle()
            self.tables.append(table)
        return taken

    def next_handle(self) -> int:
        """A number for a game that no other one of this run has had."""
        self._handles += 1
        return self._handles

    def found(self, finding: Finding | None) -> None:
        """Remember what was wrong with an answer."""
        if finding is None:
            return
        self.heard.findings.append(finding)
        if finding.reason:
            self.report.illegal[finding.reason] = self.report.illegal.get(finding.reason, 0) + 1

    async def _settle(self, visit: Visit) -> None:
        """Let the bot take in what it was told, so that no scenario is blamed for the one before."""
        self._settled += 1
        if visit.welcomed and not self.mute:
            self.mute = await visit.pong(FIRST_SETTLING + self._settled, self.patience.pong) is None and not visit.gone
        visit.inbox.clear()

    async def tidy(self) -> None:
        """After a scenario: call its games off, let everybody in again, and count what there was."""
        self.site.revoked.clear()
        self.first.closed = None
        visit = self.first.visit
        if visit is not None and not visit.gone:
            visit.deaf = False
            await visit.say(*[table.voided() for table in self.tables if not table.over])
            await self._settle(visit)
        for table in self.tables:
            self.report.games += table.begun
            self.report.answers += len(table.answers)
            self.report.slowest_ms = max(self.report.slowest_ms, 1000 * table.slowest)
            self.report.laid |= table.laid
        self.tables.clear()
        self.heard.findings.clear()
