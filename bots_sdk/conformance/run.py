"""Runs the scenarios, one after the other, on a bot that comes to the stage."""

import time
from collections.abc import Callable, Sequence

from bots_sdk.conformance.report import Failed, Gone, NoSession, NotApplicable, Outcome, Report, Status
from bots_sdk.conformance.scenarios import Scenario
from bots_sdk.conformance.stage import Stage


async def run(stage: Stage, scenarios: Sequence[Scenario], told: Callable[[Outcome], None]) -> Report:
    """Try these scenarios; `told` hears of each as soon as it has ended. Where no bot comes at all, one is enough."""
    for done, scenario in enumerate(scenarios, start=1):
        outcome = await _perform(stage, scenario)
        await stage.tidy()
        stage.report.outcomes.append(outcome)
        told(outcome)
        if stage.hopeless:
            stage.report.untried = len(scenarios) - done
            break
    return stage.report


async def _perform(stage: Stage, scenario: Scenario) -> Outcome:
    began = time.monotonic()

    def ended(status: Status, **more: object) -> Outcome:
        return Outcome(scenario.name, scenario.about, status, time.monotonic() - began, **more)  # type: ignore[arg-type]  # by name

    try:
        notes = await scenario.run(stage)
    except NoSession as reason:
        if not stage.hopeless:
            return ended(Status.NOT_APPLICABLE, why=reason.came)
        return ended(Status.FAILED, expected=reason.expected, came=reason.came, advice=reason.advice)
    except Failed as failure:
        how = await stage.starter.obituary() if stage.starter is not None and isinstance(failure, Gone) else ""
        return ended(Status.FAILED, expected=failure.expected, came=failure.came + how, advice=failure.advice)
    except NotApplicable as reason:
        return ended(Status.NOT_APPLICABLE, why=str(reason))
    return ended(Status.PASSED, notes=tuple(notes))
