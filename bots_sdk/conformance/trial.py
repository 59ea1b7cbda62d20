"""One run of the scenarios, from the open doors to the last line of the report."""

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from bots_sdk.conformance.patience import Patience
from bots_sdk.conformance.program import Program
from bots_sdk.conformance.report import Outcome, Report, lines_of, summary
from bots_sdk.conformance.run import run
from bots_sdk.conformance.scenarios import BY_NAME, SCENARIOS, Scenario
from bots_sdk.conformance.site import TICKET, TOKEN, Site, bracketed
from bots_sdk.conformance.stage import Stage
from bots_sdk.errors import WrongInput
from bots_sdk.settings import SERVER, environment_of_bot
from bots_sdk.settings import TOKEN as TOKEN_VARIABLE


def chosen_scenarios(names: Sequence[str] | None) -> list[Scenario]:
    """The scenarios of these names, or the usual ones. Raises WrongInput."""
    unknown = [name for name in names or () if name not in BY_NAME]
    if unknown:
        raise WrongInput(f"there is no scenario {unknown[0]!r}; `phaseten check --list` shows them")
    return [BY_NAME[name] for name in names] if names else [scenario for scenario in SCENARIOS if scenario.usual]


class Trial:
    """Waits for a bot, or starts one, and tells line by line what it did.

    `report` is filled in on the way; `finished` says that nothing cut the run short.
    """

    def __init__(  # noqa: PLR0913 - each is a choice of its own, the address first
        self,
        host: str,
        port: int,
        *,
        scenarios: Sequence[Scenario],
        command: Sequence[str],
        log: Path,
        told: Callable[[str], None],
        patience: Patience | None = None,
    ) -> None:
        """`port` 0 takes a free one. `command` starts the bot, which prints into `log`; it may be empty."""
        self.report = Report()
        self.finished = False
        self._listen = host, port
        self._scenarios = scenarios
        self._command = command
        self._log = log
        self._told = told
        self._patience = patience or Patience()

    async def run(self) -> None:
        """Raises WrongInput if a port or the command cannot be had."""
        program: Program | None = None
        hopeless = False
        try:
            stage = Stage(Site(*self._listen), self._patience, self.report)
            async with stage:
                self._invite(stage.site)
                if self._command:
                    stage.starter = program = Program(self._command, environment_of_bot(stage.site.url, TOKEN), self._log)
                    await program.ensure()
                await run(stage, self._scenarios, self._tell)
                self.finished, hopeless = True, stage.hopeless
        except OSError as error:
            raise WrongInput(f"cannot listen at {self._ports()}: {error.strerror}. Choose another --listen") from error
        finally:
            if program is not None:
                await program.stop()
        words = "" if program is None or self.report.passed else program.last_words(of_last_start=hopeless)
        if words:
            self._told(f"\nThe last of what the bot printed ({self._log}):\n{words}")
        self._told("")
        for line in summary(self.report):
            self._told(line)

    def _ports(self) -> str:
        host, port = self._listen
        return f"{bracketed(host)}:{port}, {port + 1} and {port + 2}" if port else bracketed(host)

    def _invite(self, site: Site) -> None:
        referees = ", ".join(f"{bracketed(site.host)}:{port}" for port in site.referees.values())
        self._told(f"site      {site.url}  ({SERVER})")
        self._told(f"token     {TOKEN}  ({TOKEN_VARIABLE})")
        self._told(f"referees  {referees}  (plain text; ticket `{TICKET}` for bots that begin here)\n")
        if self._command:
            self._told(f"Starting {shlex.join(self._command)}; what it prints goes to {self._log}\n")
        else:
            self._told(f"Start your bot now:\n\n  {SERVER}={site.url} {TOKEN_VARIABLE}={TOKEN} YOUR_BOT\n")

    def _tell(self, outcome: Outcome) -> None:
        for line in lines_of(outcome):
            self._told(line)
