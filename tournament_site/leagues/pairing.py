"""Who meets whom: schedules for tables of two to six. Pure: a schedule is a function of roster size and seed.

Two at a table: the circle method (T. Kirkman, 1847). Three or more, N a prime with N = 1 mod k: a near-resolvable
design from the cosets of the subgroup of order k (R. C. Bose, 1939): every pair meets k - 1 times, one bye each.
All other sizes: greedy, least-played bots first, among them those least met.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

Table = tuple[int, ...]
Round = tuple[Table, ...]

# Tries for each greedy round: many for small rosters, few for large ones, where there is more to choose from anyway.
TRIES = 20
TRIES_TIMES_BOTS = 300


class TooFewBots(ValueError):
    """Fewer bots than a table has seats."""


def schedule(bots: int, table_size: int, cycles: int, seed: bytes) -> tuple[Round, ...]:
    """All rounds of a season. A round's tables are disjoint.

    Args:
        bots: N; the schedule speaks of them as 0..N-1.
        table_size: k.
        cycles: how often everybody meets everybody (k = 2), or how often the whole design is played.
        seed: decides who is who; the same seed gives the same schedule, for ever.

    Raises:
        TooFewBots: N < k.

    """
    if bots < table_size:
        raise TooFewBots(f"{bots} bots cannot fill a table of {table_size}")
    dice = _Dice(seed)
    if table_size == 2:
        rounds = [round_ for _ in range(cycles) for round_ in circle(bots)]
    elif fits_design(bots, table_size):
        rounds = [round_ for _ in range(cycles) for round_ in design(bots, table_size)]
    else:
        rounds = list(greedy(bots, table_size, cycles * bots, dice))
    names = dice.shuffled(range(bots))
    named = [tuple(tuple(names[bot] for bot in table) for table in round_) for round_ in rounds]
    return tuple(_turned(named))


def matches(bots: int, table_size: int, cycles: int) -> int:
    """How many matches `schedule` makes. Raises TooFewBots."""
    if bots < table_size:
        raise TooFewBots(f"{bots} bots cannot fill a table of {table_size}")
    if table_size == 2:
        return cycles * bots * (bots - 1) // 2
    return cycles * bots * ((bots - 1) // table_size if fits_design(bots, table_size) else 1)


def most_matches(max_bots: int, table_size: int, cycles: int) -> int:
    """The most that a season of up to so many bots can have: one bot more may well mean fewer matches."""
    return max(matches(bots, table_size, cycles) for bots in range(table_size, max_bots + 1))


def circle(bots: int) -> tuple[Round, ...]:
    """Every pair once. N even: N-1 rounds. N odd: N rounds, one bye each."""
    ring = list(range(bots)) if bots % 2 == 0 else [*range(bots), -1]
    size = len(ring)
    rounds: list[Round] = []
    for number in range(size - 1):
        pairs = [(ring[i], ring[size - 1 - i]) for i in range(size // 2)]
        # The bot that never moves changes sides every round, so nobody is always named first.
        if number % 2:
            pairs[0] = (pairs[0][1], pairs[0][0])
        rounds.append(tuple(pair for pair in pairs if -1 not in pair))
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return tuple(rounds)


def fits_design(bots: int, table_size: int) -> bool:
    """Whether an exact design of ours exists: N is a prime and N = 1 mod k."""
    return bots % table_size == 1 and _is_prime(bots)


def design(bots: int, table_size: int) -> tuple[Round, ...]:
    """N rounds of (N-1)/k tables; every pair meets k-1 times, each bot has one bye. N must fit.

    The base tables are the cosets of the subgroup of order k of the numbers mod N; round r adds r to them.
    """
    root = _primitive_root(bots)
    step = (bots - 1) // table_size
    subgroup = [pow(root, step * i, bots) for i in range(table_size)]
    base = [[pow(root, shift, bots) * h % bots for h in subgroup] for shift in range(step)]
    return tuple(tuple(tuple((x + number) % bots for x in table) for table in base) for number in range(bots))


def greedy(bots: int, table_size: int, tables: int, dice: "_Dice") -> tuple[Round, ...]:
    """So many tables in rounds of floor(N/k): who played least, then who met least, then swaps while they help.

    Games a bot never differ by more than one after any round.
    """
    played = [0] * bots
    met = [[0] * bots for _ in range(bots)]
    tries = max(1, min(TRIES, TRIES_TIMES_BOTS // bots))
    rounds: list[Round] = []
    left = tables
    while left:
        count = min(left, bots // table_size)
        candidates = [_greedy_round(dice.shuffled(range(bots)), count, table_size, played, met) for _ in range(tries)]
        best = min(candidates, key=lambda round_: sum(_familiarity(table, met) for table in round_))
        for table in best:
            for bot in table:
                played[bot] += 1
            for one, other in combinations(table, 2):
                met[one][other] += 1
                met[other][one] += 1
        rounds.append(best)
        left -= count
    return tuple(rounds)


def _greedy_round(
    order: Sequence[int], count: int, table_size: int, played: Sequence[int], met: Sequence[Sequence[int]]
) -> Round:
    # Sorting keeps the shuffled order among equals: the seed breaks ties.
    free = sorted(order, key=lambda bot: played[bot])[: count * table_size]
    tables: list[list[int]] = []
    for _ in range(count):
        table: list[int] = []
        while len(table) < table_size:
            bot = min(free, key=lambda bot: sum(met[bot][other] ** 2 for other in table))
            free.remove(bot)
            table.append(bot)
        tables.append(table)
    swaps = 1
    while swaps:  # every swap lowers the sum, so there is an end
        swaps = sum(_swap(one, other, met) for one, other in combinations(tables, 2))
    return tuple(tuple(table) for table in tables)


def _swap(one: list[int], other: list[int], met: Sequence[Sequence[int]]) -> bool:
    """Swap bots of two tables as long as it lets them meet fewer old acquaintances. Whether anything was swapped."""
    swapped = False
    for i, j in product(range(len(one)), range(len(other))):
        a, b = one[i], other[j]
        gain = 0
        for c in one:
            if c != a:
                gain += met[a][c] ** 2 - met[b][c] ** 2
        for c in other:
            if c != b:
                gain += met[b][c] ** 2 - met[a][c] ** 2
        if gain > 0:
            one[i], other[j] = b, a
            swapped = True
    return swapped


def _familiarity(table: Table, met: Sequence[Sequence[int]]) -> int:
    return sum(met[one][other] ** 2 for one, other in combinations(table, 2))


def _turned(rounds: Sequence[Round]) -> Iterator[Round]:
    """Every second meeting of the same bots is named backwards: rotation alone never changes who sits after whom."""
    meetings: Counter[frozenset[int]] = Counter()
    for round_ in rounds:
        turned: list[Table] = []
        for table in round_:
            meetings[frozenset(table)] += 1
            turned.append(table if meetings[frozenset(table)] % 2 else table[::-1])
        yield tuple(turned)


@dataclass(slots=True)
class _Dice:
    """Numbers from SHA-256 of the seed and a counter: the same in every Python."""

    seed: bytes
    drawn: int = 0

    def below(self, limit: int) -> int:
        """A number from 0 to limit-1. The bias of 64 bits over a roster is too small to matter."""
        digest = hashlib.sha256(b"phaseten pairing 1\0" + self.seed + self.drawn.to_bytes(8, "big")).digest()
        self.drawn += 1
        return int.from_bytes(digest[:8], "big") % limit

    def shuffled(self, items: Sequence[int]) -> tuple[int, ...]:
        """Fisher and Yates."""
        order = list(items)
        for i in range(len(order) - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return tuple(order)


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _primitive_root(prime: int) -> int:
    order = prime - 1
    factors = [p for p in range(2, order + 1) if order % p == 0 and _is_prime(p)]
    return next(g for g in range(1, prime) if all(pow(g, order // p, prime) != 1 for p in factors))
