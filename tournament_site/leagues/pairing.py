"""Who meets whom: schedules for tables of two to six. Pure: a schedule is a function of roster size and seed.

Two at a table: the circle method (T. Kirkman, 1847). Three or more, N a prime with N = 1 mod k: a near-resolvable
design from the cosets of the subgroup of order k (R. C. Bose, 1939): every pair meets k - 1 times, one bye each.
All other sizes: greedy, least-played bots first, among them those least met.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

Table = tuple[int, ...]
Round = tuple[Table, ...]

RESTARTS = 20


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
    """So many tables in rounds of floor(N/k), the best of several tries: who played least, then who met least.

    Games a bot never differ by more than one after any table.
    """
    tries = (_greedy_once(bots, table_size, tables, dice) for _ in range(RESTARTS))
    return min(tries, key=lambda rounds: _unevenness(bots, rounds))


def _greedy_once(bots: int, table_size: int, tables: int, dice: "_Dice") -> tuple[Round, ...]:
    played: Counter[int] = Counter()
    met: Counter[frozenset[int]] = Counter()
    rounds: list[Round] = []
    left = tables
    while left:
        free = list(dice.shuffled(range(bots)))
        round_: list[Table] = []
        for _ in range(min(left, bots // table_size)):
            table = _greedy_table(free, table_size, played, met)
            free = [bot for bot in free if bot not in table]
            played.update(table)
            met.update(frozenset(pair) for pair in combinations(table, 2))
            round_.append(table)
        rounds.append(tuple(round_))
        left -= len(round_)
    return tuple(rounds)


def _greedy_table(free: Sequence[int], table_size: int, played: Counter[int], met: Counter[frozenset[int]]) -> Table:
    table: list[int] = []
    while len(table) < table_size:
        # `min` takes the first of equals, and `free` is shuffled: ties are broken by the seed.
        table.append(
            min(
                (bot for bot in free if bot not in table),
                key=lambda bot: (played[bot], sum(met[frozenset((bot, other))] for other in table)),
            )
        )
    return tuple(table)


def _unevenness(bots: int, rounds: Sequence[Round]) -> tuple[int, int]:
    met: Counter[frozenset[int]] = Counter(
        frozenset(pair) for round_ in rounds for table in round_ for pair in combinations(table, 2)
    )
    counts = [met[frozenset(pair)] for pair in combinations(range(bots), 2)]
    return max(counts) - min(counts), sum(count * count for count in counts)


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
