"""Rules as the site knows them: found by name, made of stored terms, and put into words. Pure. Table of contents.

- `ruleset_named`, `terms_from`: from what a league or match stores to the engine's values; `terms_plain`: back
- `CHAPTERS`, `lines`, `terms_lines`: what a rule set says, chapter by chapter
- `differences`, `summary`, `GROUPS`, `preset_names`: how presets differ, and where each comes from
- `phase_example`, `trials`: cards for pictures, laid by the engine's own rules
- `options_of`: the machine's form
"""

from tournament_site.matches.rulebook.chapters import CHAPTERS, Chapter, Difference, Line, differences, lines, terms_lines
from tournament_site.matches.rulebook.examples import HAND, Trial, hit_examples, phase_example, stands_for, trials
from tournament_site.matches.rulebook.options import OPTIONS, Option, Plain, counted, options_of, plain
from tournament_site.matches.rulebook.origins import GROUPS, Group, group_of, origin_of, summary
from tournament_site.matches.rulebook.stored import UnknownRules, ruleset_named, terms_from, terms_plain

__all__ = [
    "CHAPTERS",
    "GROUPS",
    "HAND",
    "OPTIONS",
    "Chapter",
    "Difference",
    "Group",
    "Line",
    "Option",
    "Plain",
    "Trial",
    "UnknownRules",
    "counted",
    "differences",
    "group_of",
    "hit_examples",
    "lines",
    "options_of",
    "origin_of",
    "phase_example",
    "plain",
    "ruleset_named",
    "stands_for",
    "summary",
    "terms_from",
    "terms_lines",
    "terms_plain",
    "trials",
]
