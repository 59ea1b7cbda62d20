"""Where each preset comes from, and in one sentence what sets it apart."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Final

from referee.engine.presets import OFFICIAL, PRESETS
from referee.engine.ruleset import Ruleset
from tournament_site.matches.rulebook.options import OPTIONS
from tournament_site.matches.rulebook.stored import ruleset_named


@dataclass(frozen=True, slots=True)
class Group:
    """The presets of one source. `base` is the one that the others vary; `presets` tells of each where it comes from."""

    base: str
    title: str
    presets: Mapping[str, str]


def _group(base: str, title: str, origin: str, variants: Mapping[str, str] | None = None) -> Group:
    return Group(base, title, MappingProxyType({base: origin, **(variants or {})}))


_BG: Final = "A variant that the Bulgarian text offers."
_FUNDEX: Final = "A variant that the leaflets of the earlier publisher offer."

GROUPS: Final = (
    _group(
        "official",
        "The official leaflet",
        "From the leaflet that comes with the cards. Where it is silent, this project has decided.",
    ),
    _group(
        "da",
        "The Danish text",
        "From a rules text in Danish. It breaks off before hitting; what it leaves out is played by the official leaflet.",
        {
            "da-literal": "The Danish text taken at its word: what it does not forbid is allowed.",
            "da+rotate": "The Danish text with the change of dealers that it also allows.",
            "da+twist": "The Danish text with its sentence on the start card that belongs to a later edition of the game.",
        },
    ),
    _group(
        "sv",
        "The Swedish text",
        "From a rules text in Swedish. What it leaves out is played by the official leaflet.",
        {"sv-literal": "The Swedish text taken at its word: what it does not forbid is allowed."},
    ),
    _group(
        "bg",
        "The Bulgarian text",
        "From a rules text in Bulgarian. What it leaves out is played by the official leaflet.",
        {
            "bg-literal": "The Bulgarian text taken at its word: what it does not forbid is allowed.",
            "bg+all-advance": _BG,
            "bg+to5": _BG,
            "bg+to8": _BG,
            "bg+even": _BG,
            "bg+odd": _BG,
            "bg+free": _BG,
            "bg+out": "The Bulgarian text with its strict sentence on winning, which its other sentences do not allow.",
        },
    ),
    _group(
        "lt",
        "The Lithuanian text",
        "From a rules text in Lithuanian, the fullest of the four texts.",
        {"lt+first5": "A variant that the Lithuanian text offers."},
    ),
    _group(
        "fundex",
        "The Fundex leaflets",
        "From the leaflets of an earlier publisher, Fundex, of 2002 and 2005.",
        {"fundex+ten-hands": _FUNDEX, "fundex+to5": _FUNDEX, "fundex+to7": _FUNDEX, "fundex+even": _FUNDEX},
    ),
    _group("app163", "The mobile app", "From the help of the Mattel163 app for phones."),
)

_GROUP_OF: Final = {name: group for group in GROUPS for name in group.presets}


def group_of(name: str) -> Group:
    """The source of a preset. Raises UnknownRules."""
    return _GROUP_OF[ruleset_named(name).name]


def origin_of(name: str) -> str:
    """Where a preset comes from, in a sentence or two. Raises UnknownRules."""
    return group_of(name).presets[name]


def summary(name: str) -> str:
    """What sets a preset apart, in one sentence: from the preset it varies, or else from `official`. Raises UnknownRules."""
    rules = ruleset_named(name)
    if name == OFFICIAL.name:
        return "What all other rule sets are compared with."
    base = group_of(name).base
    other = OFFICIAL if base == name else PRESETS[base]
    clauses = _clauses(rules, other)
    return f"Like {other.name}, but {'; '.join(clauses)}." if clauses else f"Played just like {other.name}."


def _clauses(rules: Ruleset, other: Ruleset) -> list[str]:
    differing = {field.name for field in fields(rules) if getattr(rules, field.name) != getattr(other, field.name)}
    return [option.words(rules).brief for option in OPTIONS.values() if option.field in differing]
