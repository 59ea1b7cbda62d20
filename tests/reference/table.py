"""A game of Phase 10, played by the book: one table, plain lists, everything judged from scratch.

Nothing here is shared with the engine or written after it. `options` are plain values (see `compare.plain_options`).
"""

from collections.abc import Callable
from typing import Any

from tests.reference import ending, melds
from tests.reference.cards import PHASES, PLACE, Draw, Hit, Laid, Play, Refused, in_order, whole_deck
from tests.reference.default_move import default_move

Decks = Callable[[int, list[str]], list[str]]  # number of the shuffle, cards in ascending order -> the order, top first


class Table:
    """Lists are by seat; a pile's order is said where it is made."""

    def __init__(self, options: dict[str, Any], seats: int, first_dealer: int, decks: Decks) -> None:
        self.options = options
        self.seats = seats
        self.decks = decks
        everybody = range(seats)
        self.hands: list[list[str]] = [[] for _ in everybody]
        self.melds: list[list[Laid]] = [[] for _ in everybody]
        self.laid = [0] * seats  # the phase on the table in this deal
        self.done: list[list[int]] = [[] for _ in everybody]  # phases laid outside of tie-breaks, without those taken back
        self.completed = [0] * seats
        self.totals = [0] * seats
        self.waiting = [0] * seats  # Skips played against a seat whose slot has not come yet
        self.faults = [0] * seats
        self.forfeits: list[str | None] = [None] * seats
        self.stock: list[str] = []  # the top first
        self.discard: list[str] = []  # the top last
        self.deal = -1
        self.dealer = first_dealer
        self.players: list[int] = []
        self.tie_break = False
        self.tie_breaks = 0
        self.turn = 0
        self.to_move = -1  # nobody once the game is over
        self.drawn: str | None = None
        self.reshuffles = 0
        self.skipped_in_lap = [-1] * seats  # the lap in which the last Skip was played against a seat
        self.skipped_in_deal = [False] * seats
        self.needs_real_turn = [False] * seats
        self.history: list[tuple[Any, ...]] = []  # of each ended deal: cause, who is out, points, totals, completed
        self.end: str | None = None  # why the game ended
        self.places: list[int] = []
        self.start_deal(first_dealer, list(everybody))

    @property
    def stage(self) -> str:
        if self.end:
            return "over"
        return "play" if self.drawn else "draw"

    # Deals

    def start_deal(self, dealer: int, players: list[int], *, tie_break: bool = False) -> None:
        """Shuffle, deal one card at a time from the dealer's left, turn one up."""
        options = self.options
        self.deal += 1
        self.dealer, self.players, self.tie_break = dealer, players, tie_break
        self.tie_breaks += tie_break
        self.hands = [[] for _ in self.hands]
        self.melds = [[] for _ in self.melds]
        self.laid = [0] * self.seats
        self.waiting = [0] * self.seats
        self.skipped_in_lap = [-1] * self.seats
        self.skipped_in_deal = [False] * self.seats
        self.needs_real_turn = [False] * self.seats
        self.turn, self.drawn, self.reshuffles = 0, None, 0
        deck = self.decks(self.deal << 16, whole_deck(options["wilds"], options["skips"]))
        first = self.after(dealer)
        dealt = len(players) * options["hand_size"]
        begin = players.index(first)
        for number, seat in enumerate(players[begin:] + players[:begin]):
            self.hands[seat] = in_order(deck[number : dealt : len(players)])
        self.stock = deck[dealt:]
        self._turn_up()
        self.to_move = first
        counts = options["initial_skip_deals"] == "every" or self.deal == 0
        if self.discard[-1] == "S" and options["initial_skip"] == "skip_first_player" and counts:
            self.next_slot()
        else:
            self.come_to_slot()

    def _turn_up(self):
        covered = []
        if self.options["initial_skip"] == "cover":
            covered.append("S")
        if self.options["initial_wild"] == "cover":
            covered.append("W")
        self.discard = [self.stock.pop(0)]
        while self.discard[-1] in covered:
            self.discard.append(self.stock.pop(0))

    def after(self, seat: int) -> int:
        """The next seat of this deal, clockwise."""
        seat = (seat + 1) % self.seats
        while seat not in self.players:
            seat = (seat + 1) % self.seats
        return seat

    # Slots

    def end_slot(self) -> None:
        self.drawn = None
        self.turn += 1

    def next_slot(self) -> None:
        """The slot of `to_move` is over, played or passed."""
        self.end_slot()
        self.to_move = self.after(self.to_move)
        self.come_to_slot()

    def come_to_slot(self) -> None:
        most = self.options["max_turns_per_deal"]
        if most is not None and self.turn >= most * len(self.players):
            ending.end_deal(self, "turn_cap", None)
            return
        seat = self.to_move
        if self.waiting[seat]:
            self.waiting[seat] -= 1
            if self.options["skip_zone"] == "in_front":
                self.discard.append("S")
            self.next_slot()

    def phase_of(self, seat: int) -> int:
        """The phase a seat laid or works on where the rules say which; 0 if all are done or the player chooses."""
        phases = self.options["phases"]
        if self.laid[seat]:
            return self.laid[seat]
        if self.tie_break and seat in self.players:
            return phases[-1]
        if self.options["advance"] == "free_choice" or self.completed[seat] == len(phases):
            return 0
        return phases[self.completed[seat]]

    # Moves

    def submit(self, seat: int, move: Draw | Play) -> str | None:
        """Make a move. Returns None, or the name of the reason why it is refused; then nothing has happened."""
        try:
            self._move(seat, move)
        except Refused as refused:
            return refused.reason
        self.play_for_absent()
        return None

    def _move(self, seat, move):
        if self.end:
            raise Refused("GAME_OVER")
        if seat != self.to_move:
            raise Refused("NOT_YOUR_TURN")
        if isinstance(move, Draw):
            if self.drawn:
                raise Refused("ALREADY_DREW")
            self._draw(seat, move)
        else:
            if not self.drawn:
                raise Refused("MUST_DRAW_FIRST")
            self._play(seat, move)

    def _draw(self, seat, move):
        options = self.options
        if move.pile == "discard":
            if not self.discard:
                raise Refused("DISCARD_EMPTY")
            if self.discard[-1] == "S" and not options["take_skip_from_discard"]:
                raise Refused("SKIP_NOT_TAKEABLE")
            card = self.discard.pop()
        else:
            if not self.stock:
                if options["deck_exhausted"] == "end_deal":
                    ending.end_deal(self, "stock_empty", None)
                    return
                self._reshuffle()
            card = self.stock.pop(0)
        self.drawn = card
        self.hands[seat] = in_order([*self.hands[seat], card])

    def _reshuffle(self):
        if len(self.discard) < 2:
            raise Refused("STOCK_EMPTY")
        self.reshuffles += 1
        rest = in_order(self.discard[:-1])
        self.stock = self.decks((self.deal << 16) + self.reshuffles, rest)
        self.discard = self.discard[-1:]

    def _play(self, seat, play):
        """First everything is judged on copies, then everything is done."""
        hand = list(self.hands[seat])
        lay, phase = [], 0
        if play.lay or play.phase is not None:
            phase = self._phase_to_lay(seat, play)
            lay = melds.lay(hand, PHASES[phase], play.lay, self.options)
            self._keep_one(hand)
            if self._decides(seat, phase):
                self._do_lay(seat, hand, lay, phase)
                ending.end_deal(self, "decided" if hand else "went_out", None if hand else seat, winner=seat)
                return
        table = self._with_hits(seat, play.hits, hand, lay)
        target = self._judge_discard(seat, play, hand)
        if lay:
            self._do_lay(seat, hand, lay, phase)
        self.melds = table
        self.hands[seat] = hand
        self.needs_real_turn[seat] = False
        if play.discard:
            hand.remove(play.discard)
            self._do_discard(play.discard, target)
        if hand:
            self.next_slot()
        else:
            self.end_slot()
            ending.end_deal(self, "went_out", seat)

    def _phase_to_lay(self, seat, play):
        options, named = self.options, play.phase
        if self.laid[seat]:
            raise Refused("ALREADY_LAID")
        if not play.lay:
            raise Refused("PHASE_NOT_AVAILABLE")
        if options["advance"] == "free_choice" and not self.tie_break:
            if named is None:
                raise Refused("PHASE_REQUIRED")
            if named in self.done[seat]:
                raise Refused("PHASE_ALREADY_DONE")
            if named not in options["phases"]:
                raise Refused("PHASE_NOT_AVAILABLE")
            return named
        phase = self.phase_of(seat)
        if not phase or named not in {None, phase}:
            raise Refused("PHASE_NOT_AVAILABLE")
        return phase

    def _decides(self, seat, phase):
        options = self.options
        if self.tie_break:
            return options["score_tie"] == "replay_first_to_lay"
        return options["win_check"] == "on_lay" and self.completed[seat] + 1 == len(options["phases"])

    def _do_lay(self, seat, hand, lay, phase):
        self.hands[seat], self.melds[seat], self.laid[seat] = hand, lay, phase
        if not self.tie_break:
            self.done[seat].append(phase)
            self.completed[seat] += self.options["advance"] != "every_deal"

    def _keep_one(self, hand):
        if not hand and self.options["going_out"] == "discard_only":
            raise Refused("MUST_KEEP_DISCARD")

    # Hits

    def _with_hits(self, seat, hits, hand, lay):
        """The melds of all seats after `lay` and `hits`; what was hit is gone from `hand`."""
        table = list(self.melds)
        if lay:
            table[seat] = lay
        for wish in hits:
            self._judge_hit(seat, wish, hand, table, laid_now=bool(lay))
            old = table[wish.owner]
            change = melds.hit_for_wild if wish.for_wild else melds.hit
            new = change(old[wish.meld], wish)
            table[wish.owner] = [*old[: wish.meld], new, *old[wish.meld + 1 :]]
            hand.remove(wish.card)
            if wish.for_wild:
                hand.append("W")
                hand.sort(key=PLACE.__getitem__)
            self._keep_one(hand)
        return table

    def _judge_hit(self, seat, wish: Hit, hand, table, *, laid_now):
        when = self.options["hit_on_lay_turn"]
        if not table[seat]:
            raise Refused("NOT_LAID")
        if not 0 <= wish.owner < self.seats:
            raise Refused("NO_SUCH_SEAT")
        if not 0 <= wish.meld < len(table[wish.owner]):
            raise Refused("NO_SUCH_MELD")
        if laid_now and (when == "none" or (when == "own_only" and wish.owner != seat)):
            raise Refused("HIT_NOT_THIS_TURN")
        if wish.card not in hand:
            raise Refused("CARD_NOT_IN_HAND")
        if wish.card == "S":
            raise Refused("SKIP_IN_MELD")
        if wish.for_wild and not self.options["wild_replaceable"]:
            raise Refused("WILD_NOT_REPLACEABLE")

    # Discards and Skips

    def may_be_skipped(self, seat: int) -> bool:
        """Whether another seat may play a Skip against this one now."""
        if self.end or seat not in self.players:
            return False
        limit = self.options["skip_limit"]
        if limit == "unlimited":
            return True
        if self.waiting[seat]:
            return False
        if limit == "one_per_lap":
            return self.skipped_in_lap[seat] != self.lap
        if limit == "one_per_deal":
            return not self.skipped_in_deal[seat]
        return not (limit == "until_real_turn" and self.needs_real_turn[seat])

    @property
    def lap(self) -> int:
        return self.turn // len(self.players)

    def skip_targets(self, seat: int) -> list[int]:
        """The seats that `seat` may play a Skip against, in order of play."""
        targets, other = [], self.after(seat)
        while other != seat:
            if self.may_be_skipped(other):
                targets.append(other)
            other = self.after(other)
        return targets

    def _judge_discard(self, seat, play, hand):
        """The seat that a Skip is played against, if there is one."""
        card, target = play.discard, play.target
        if not hand:
            if card is not None:
                raise Refused("DISCARD_NOT_ALLOWED")
            if target is not None:
                raise Refused("TARGET_NOT_ALLOWED")
            return None
        if card is None:
            raise Refused("DISCARD_REQUIRED")
        if card not in hand:
            raise Refused("CARD_NOT_IN_HAND")
        plays_skip = card == "S" and len(hand) > 1
        if plays_skip and self.options["skip_target"] == "next" and target is None:
            following = self.after(seat)
            return following if self.may_be_skipped(following) else None
        if not (plays_skip and self.options["skip_target"] == "chosen" and self.skip_targets(seat)):
            if target is not None:
                raise Refused("TARGET_NOT_ALLOWED")
            return None
        if target is None:
            raise Refused("TARGET_REQUIRED")
        if target == seat:
            raise Refused("TARGET_SELF")
        if target not in self.players:
            raise Refused("NO_SUCH_SEAT")
        if not self.may_be_skipped(target):
            raise Refused("TARGET_PROTECTED")
        return target

    def _do_discard(self, card, target):
        if target is not None:
            self.waiting[target] += 1
            self.skipped_in_lap[target] = self.lap
            self.skipped_in_deal[target] = self.needs_real_turn[target] = True
        if target is None or self.options["skip_zone"] == "discard_pile":
            self.discard.append(card)

    # Seats that stopped answering

    def fault(self, seat: int) -> None:
        if self.end or self.forfeits[seat]:
            return
        self.faults[seat] += 1
        if self.faults[seat] >= self.options["max_faults"]:
            self._leave(seat, "faults")
        elif seat == self.to_move:
            self._move(seat, default_move(self, seat))
        self.play_for_absent()

    def forfeit(self, seat: int, cause: str) -> None:
        if not self.end and not self.forfeits[seat]:
            self._leave(seat, cause)
            self.play_for_absent()

    def _leave(self, seat, cause):
        self.forfeits[seat] = cause
        left = [other for other in self.players if not self.forfeits[other]]
        if self.forfeits.count(None) == 1:
            ending.end_game(self, "forfeits")
        elif self.tie_break and len(left) == 1:
            ending.end_deal(self, "decided", None, winner=left[0])

    def play_for_absent(self) -> None:
        """Seats that forfeited go on with default moves."""
        while not self.end and self.forfeits[self.to_move]:
            self._move(self.to_move, default_move(self, self.to_move))
