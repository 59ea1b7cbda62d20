"""Strategies for every value that has a message."""

from uuid import UUID

from hypothesis import strategies as st

from referee.engine import events as ev
from referee.engine import ruleset as rules
from referee.engine.cards import CARDS
from referee.engine.game import Result
from referee.engine.moves import Draw, End, Hit, Meld, Play
from referee.engine.view import PublicView, SeatView, Stage, View
from referee.wire.replay import AnswerRecord, ReplayRecord, SeatInfo, SeatNonce

small = st.integers(0, 300)
times = st.integers(0, 2**32 - 1)
seats = st.integers(0, 5)
cards = st.sampled_from(CARDS)
some_cards = st.lists(cards, max_size=12).map(tuple)
by_seat = st.lists(small, min_size=2, max_size=6).map(tuple)
uuids = st.binary(min_size=16, max_size=16).map(lambda value: UUID(bytes=value))

table_melds = st.builds(ev.TableMeld, st.sampled_from(rules.GoalKind), some_cards, st.integers(0, 12))
some_melds = st.lists(table_melds, max_size=3).map(tuple)

rulesets = st.builds(
    rules.Ruleset,
    name=st.text(max_size=20),
    players_min=small,
    players_max=small,
    wilds=small,
    skips=small,
    hand_size=small,
    phases=st.lists(st.integers(1, 10), max_size=10).map(tuple),
    dealer_rotation=st.sampled_from(rules.DealerRotation),
    initial_skip=st.sampled_from(rules.InitialSkip),
    initial_skip_deals=st.sampled_from(rules.InitialSkipDeals),
    initial_wild=st.sampled_from(rules.InitialWild),
    take_skip_from_discard=st.booleans(),
    deck_exhausted=st.sampled_from(rules.DeckExhausted),
    advance=st.sampled_from(rules.Advance),
    natural_cards=st.sampled_from(rules.NaturalCards),
    lay_extra=st.booleans(),
    same_number_sets=st.booleans(),
    wild_replaceable=st.booleans(),
    hit_on_lay_turn=st.sampled_from(rules.HitOnLayTurn),
    going_out=st.sampled_from(rules.GoingOut),
    skip_target=st.sampled_from(rules.SkipTarget),
    skip_limit=st.sampled_from(rules.SkipLimit),
    skip_zone=st.sampled_from(rules.SkipZone),
    card_points=st.builds(rules.CardPoints, small, small, small, small),
    win_check=st.sampled_from(rules.WinCheck),
    score_tie=st.sampled_from(rules.ScoreTie),
    tiebreak_max_deals=small,
)
terms = st.builds(
    rules.Terms,
    clock=st.builds(rules.Clock, times, times, times),
    max_faults=small,
    first_dealer=st.sampled_from(["last_seat", "seeded"]) | st.builds(rules.SeatDealer, seats),
    max_turns_per_deal=st.none() | small,
    max_deals=st.none() | small,
)

draws = st.builds(Draw, st.booleans())
some_hits = st.builds(Hit, seats, small, cards, st.none() | st.sampled_from(End), st.booleans())
plays = st.builds(
    Play,
    lay=st.lists(st.builds(Meld, some_cards, st.none() | small), max_size=2).map(tuple),
    hits=st.lists(st.builds(Hit, seats, small, cards, st.none() | st.sampled_from(End), st.booleans()), max_size=4).map(
        tuple
    ),
    discard=st.none() | cards,
    skip_target=st.none() | seats,
    phase=st.none() | st.integers(1, 10),
)
moves = draws | plays

shared_events = st.one_of(
    st.builds(ev.PhaseLaid, seats, st.integers(1, 10), some_melds),
    st.builds(ev.CardHit, seats, seats, small, cards, st.none() | st.sampled_from(End)),
    st.builds(ev.WildTaken, seats, seats, small, small, cards),
    st.builds(ev.CardDiscarded, seats, cards),
    st.builds(ev.SkipPlayed, seats, seats),
    st.builds(ev.TurnSkipped, seats, st.booleans()),
    st.builds(ev.SeatFaulted, seats, st.sampled_from(ev.FaultKind), small),
    st.builds(ev.SeatForfeited, seats, st.sampled_from(ev.ForfeitCause)),
    st.builds(ev.DealEnded, st.sampled_from(ev.DealEnd), st.none() | seats, by_seat, by_seat, by_seat),
    st.builds(ev.GameEnded, st.sampled_from(ev.GameEnd), by_seat),
)
players = st.lists(seats, max_size=6).map(tuple)
events = shared_events | st.one_of(
    st.builds(ev.GameStarted, rulesets, terms, small),
    st.builds(ev.DealStarted, small, seats, players, st.booleans(), st.lists(cards, max_size=108).map(tuple)),
    st.builds(ev.StockRebuilt, some_cards),
    st.builds(ev.CardDrawn, seats, cards, st.booleans()),
)
public_events = shared_events | st.one_of(
    st.builds(ev.DealOpened, small, seats, players, st.booleans(), st.none() | cards, small),
    st.builds(ev.StockRenewed, small),
    st.builds(ev.DrawSeen, seats, st.none() | cards),
)

some_phases = st.lists(st.integers(1, 10), max_size=10).map(tuple)
seat_views = st.builds(
    SeatView,
    small,
    small,
    st.booleans(),
    small,
    small,
    st.booleans(),
    st.booleans(),
    small,
    st.booleans(),
    some_melds,
    st.lists(st.integers(1, 10), max_size=10).map(tuple),
)
tables = st.builds(
    PublicView,
    small,
    small,
    seats,
    st.none() | seats,
    st.sampled_from(Stage),
    st.booleans(),
    small,
    small,
    st.none() | cards,
    st.lists(seat_views, min_size=2, max_size=4).map(tuple),
)
views = st.builds(View, st.text(max_size=20), seats, some_cards, st.none() | cards, tables)


@st.composite
def results(draw: st.DrawFn) -> Result:
    count = draw(st.integers(2, 6))
    column = st.lists(small, min_size=count, max_size=count).map(tuple)
    forfeits = st.lists(st.none() | st.sampled_from(ev.ForfeitCause), min_size=count, max_size=count).map(tuple)
    cause = draw(st.sampled_from(ev.GameEnd))
    return Result(cause, draw(column), draw(column), draw(column), draw(column), draw(forfeits), draw(small))


seat_infos = st.builds(SeatInfo, st.text(max_size=9), st.text(max_size=9), st.text(max_size=9), st.integers(0, 2**63))
replays = st.builds(
    ReplayRecord,
    match_id=uuids,
    attempt=small,
    game_id=uuids,
    game_index=small,
    seats=st.lists(seat_infos, max_size=6).map(tuple),
    server_seed=st.binary(max_size=64),
    commitment=st.binary(max_size=64),
    nonces=st.lists(st.builds(SeatNonce, st.binary(max_size=64), st.binary(max_size=32)), max_size=6).map(tuple),
    events=st.lists(events, max_size=5).map(tuple),
    answers=st.lists(st.builds(AnswerRecord, small, seats, times, times, times, st.text(max_size=9)), max_size=3).map(tuple),
    result=results(),
    started_ms=st.integers(0, 2**63),
    ended_ms=st.integers(0, 2**63),
    referee=st.text(max_size=9),
    mirrored=st.booleans(),
)
