"""The rules: all presets by where they come from, a page for each, and the machine's form of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import condition, require_safe

from referee.engine.cards import SKIP, WILD, Card, Color, full_deck, number_card
from referee.engine.events import TableMeld
from referee.engine.moves import Meld
from referee.engine.presets import OFFICIAL, PRESETS, ruleset_hash
from referee.engine.ruleset import PHASES, Goal, Ruleset, Terms
from referee.engine.scoring import hand_points
from tournament_site.matches import rulebook
from tournament_site.matches.frames import NAME_LENGTH, harmless, phase_text
from tournament_site.pages.shown import CardShown

# As many digits of a rule set's hash as people compare.
HASH_SHOWN = 12
#: chapters that need the whole width for their pictures
WIDE = frozenset({"phases", "lay", "hit"})


@dataclass(frozen=True, slots=True)
class PresetShown:
    """A preset in a list. `differences` counts what reads unlike the official rules."""

    name: str
    summary: str
    differences: int
    hash: str


@dataclass(frozen=True, slots=True)
class GroupShown:
    title: str
    origin: str
    base: str
    presets: tuple[PresetShown, ...]


@dataclass(frozen=True, slots=True)
class ChapterShown:
    key: str
    title: str
    lines: tuple[rulebook.Line, ...]
    wide: bool


@dataclass(frozen=True, slots=True)
class MeldShown:
    """Cards in a row, and what a listener hears of them."""

    cards: tuple[CardShown, ...]
    title: str

    @classmethod
    def of(cls, cards: Iterable[CardShown]) -> "MeldShown":
        kept = tuple(cards)
        return cls(kept, ", ".join(card.title for card in kept))


@dataclass(frozen=True, slots=True)
class PhaseShown:
    number: int
    text: str
    melds: tuple[MeldShown, ...]


@dataclass(frozen=True, slots=True)
class TrialShown:
    """Melds that were tried; `refusal` is empty if they may be laid."""

    question: str
    phase: str
    melds: tuple[MeldShown, ...]
    refusal: str


@dataclass(frozen=True, slots=True)
class HitShown:
    meld: MeldShown
    fitting: MeldShown


@dataclass(frozen=True, slots=True)
class Price:
    """A line of the table of points."""

    cards: MeldShown
    name: str
    points: int
    official: int


@dataclass(frozen=True, slots=True)
class OptionShown:
    """A line of the table of options, with plain values."""

    field: str
    label: str
    value: str
    official: str
    differs: bool


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All presets, grouped by source."""
    return render(request, "pages/rules.html", {"groups": _groups(), "count": len(PRESETS)})


def _groups() -> list[GroupShown]:
    return [
        GroupShown(group.title, rulebook.origin_of(group.base), group.base, tuple(map(_preset, group.presets)))
        for group in rulebook.GROUPS
    ]


def _preset(name: str) -> PresetShown:
    rules = PRESETS[name]
    return PresetShown(name, rulebook.summary(name), len(rulebook.differences(rules)), ruleset_hash(rules)[:HASH_SHOWN])


@require_safe
def rules_of(request: HttpRequest, name: str) -> HttpResponse:
    """The rules of a preset in words and pictures."""
    try:
        rules = rulebook.ruleset_named(name)
    except rulebook.UnknownRules:
        return _unknown(request, name)
    group, options = rulebook.group_of(name), _options(rules)
    context: dict[str, Any] = {
        "rules": rules,
        "group": group,
        "origin": rulebook.origin_of(name),
        "summary": rulebook.summary(name),
        "variants": [each for each in map(_preset, group.presets) if each.name != name],
        "differences": rulebook.differences(rules),
        "chapters": [
            ChapterShown(each.key, each.title, rulebook.lines(each, rules), each.key in WIDE) for each in rulebook.CHAPTERS
        ],
        "terms": rulebook.terms_lines(Terms()),
        "options": options,
        "compared": any(option.differs for option in options),
        "hash": ruleset_hash(rules),
        "cards": len(full_deck(rules.wilds, rules.skips)),
        "official_name": OFFICIAL.name,
    }
    return render(request, "pages/rules_of.html", context | _pictures(rules))


def _unknown(request: HttpRequest, name: str) -> HttpResponse:
    near = get_close_matches(name.lower(), PRESETS, n=3)
    context = {"name": harmless(name, NAME_LENGTH), "near": near, "groups": _groups()}
    return render(request, "pages/rules_unknown.html", context, status=404)


def _pictures(rules: Ruleset) -> dict[str, Any]:
    faces = [number_card(color, number) for color, number in zip(Color, (7, 8, 9, 10), strict=True)]
    return {
        "deck": [CardShown.of(card) for card in (*faces, *_special(rules))],
        "start_cards": [CardShown.of(card) for card in _special(rules)],
        "phases": [
            PhaseShown(phase, phase_text(phase), tuple(map(_laid, rulebook.phase_example(phase, rules))))
            for phase in rules.phases
        ],
        "trials": [
            TrialShown(
                each.question, phase_text(each.phase), tuple(map(_wished, PHASES[each.phase], each.melds)), each.refusal
            )
            for each in rulebook.trials(rules)
        ],
        "hits": [HitShown(_laid(meld), _row(cards)) for meld, cards in rulebook.hit_examples()],
        "prices": _prices(rules),
        "hand": _row(rulebook.HAND),
        "hand_points": rulebook.counted(hand_points(rulebook.HAND, rules.card_points), "point"),
    }


def _special(rules: Ruleset) -> list[Card]:
    """The cards without a number that the deck has."""
    return [card for card, copies in ((WILD, rules.wilds), (SKIP, rules.skips)) if copies]


def _row(cards: Sequence[Card]) -> MeldShown:
    return MeldShown.of(CardShown.of(card) for card in cards)


def _laid(meld: TableMeld) -> MeldShown:
    return MeldShown.of(CardShown.of(card, stands) for card, stands in rulebook.stands_for(meld))


def _wished(goal: Goal, meld: Meld) -> MeldShown:
    """A meld of Wilds alone has to say what it stands for."""
    return _row(meld.cards) if meld.meaning is None else _laid(TableMeld(goal.kind, meld.cards, meld.meaning))


def _prices(rules: Ruleset) -> list[Price]:
    points, official = rules.card_points, OFFICIAL.card_points
    low = [number_card(Color.RED, 1), number_card(Color.GREEN, 9)]
    high = [number_card(Color.BLUE, 10), number_card(Color.YELLOW, 12)]
    return [
        Price(_row(low), "1 to 9", points.low, official.low),
        Price(_row(high), "10 to 12", points.high, official.high),
        Price(_row([SKIP]), "Skip", points.skip, official.skip),
        Price(_row([WILD]), "Wild", points.wild, official.wild),
    ]


def _options(rules: Ruleset) -> list[OptionShown]:
    mine, official = rulebook.options_of(rules), rulebook.options_of(OFFICIAL)
    return [
        OptionShown(
            field.name,
            rulebook.OPTIONS[field.name].label,
            _text(mine[field.name]),
            _text(official[field.name]),
            differs=mine[field.name] != official[field.name],
        )
        for field in fields(rules)
        if field.name in mine
    ]


def _text(value: rulebook.Plain) -> str:
    """A plain value in a table, written as JSON has it where that is short."""
    match value:
        case bool():
            return str(value).lower()
        case list():
            return ", ".join(map(str, value))
        case dict():
            return ", ".join(f"{name} {points}" for name, points in value.items())
        case _:
            return str(value)


def _etag(_request: HttpRequest, name: str) -> str | None:
    return f'"{ruleset_hash(PRESETS[name])}"' if name in PRESETS else None


@require_safe
@condition(etag_func=_etag)
def machine(_request: HttpRequest, name: str) -> HttpResponse:
    """The options as plain values, and their hash; for an unknown name 404 with the names there are."""
    try:
        rules = rulebook.ruleset_named(name)
    except rulebook.UnknownRules:
        return JsonResponse({"error": "There is no such rule set.", "known": list(PRESETS)}, status=404)
    answer = JsonResponse({"name": rules.name, "sha256": ruleset_hash(rules), "options": rulebook.options_of(rules)})
    answer.headers["Cache-Control"] = "public, max-age=0, must-revalidate"
    return answer
