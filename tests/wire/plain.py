"""Views and answers as messages, made the plain way. What is written field by field must have the same bytes."""

from typing import Any

from phaseten.v1 import bot_pb2, game_pb2

from referee.engine.events import TableMeld
from referee.engine.moves import Draw, Move, Play
from referee.engine.view import PublicView, SeatView, View
from referee.wire.enums import ENDS, MELD_KINDS, STAGES


def cards(kinds: Any) -> list[Any]:
    return [kind + 1 for kind in kinds]


def card(kind: int | None) -> Any:
    return 0 if kind is None else kind + 1


def table_meld(meld: TableMeld) -> game_pb2.TableMeld:
    return game_pb2.TableMeld(kind=MELD_KINDS.encode(meld.kind), cards=cards(meld.cards), value=meld.value)


def seat(value: SeatView) -> game_pb2.SeatState:
    return game_pb2.SeatState(
        phase=value.phase,
        completed=value.completed,
        laid=value.laid,
        points=value.points,
        hand_size=value.hand_size,
        skip_pending=value.skip_pending,
        may_be_skipped=value.may_be_skipped,
        faults=value.faults,
        forfeited=value.forfeited,
        melds=[table_meld(meld) for meld in value.melds],
        phases_done=value.phases_done,
    )


def table(value: PublicView) -> game_pb2.Table:
    return game_pb2.Table(
        deal=value.deal,
        turn=value.turn,
        dealer=value.dealer,
        to_move=value.to_move,
        stage=STAGES.encode(value.stage),
        tie_break=value.tie_break,
        stock_size=value.stock_size,
        discard_size=value.discard_size,
        discard_top=card(value.discard_top),
        seats=[seat(one) for one in value.seats],
    )


def view(value: View) -> game_pb2.View:
    return game_pb2.View(
        ruleset=value.ruleset,
        seat=value.seat,
        hand=cards(value.hand),
        drawn=card(value.drawn),
        table=table(value.table),
    )


def play(value: Play) -> game_pb2.Play:
    return game_pb2.Play(
        lay=[game_pb2.Meld(cards=cards(meld.cards), meaning=meld.meaning) for meld in value.lay],
        hits=[
            game_pb2.Hit(
                owner=hit.owner,
                meld=hit.meld,
                card=card(hit.card),
                end=ENDS.encode_optional(hit.end),
                for_wild=hit.for_wild,
            )
            for hit in value.hits
        ],
        discard=card(value.discard),
        skip_target=value.skip_target,
        phase=value.phase,
    )


def answer(game: int, question: int, move: Move, note: str) -> bot_pb2.Answer:
    if isinstance(move, Draw):
        return bot_pb2.Answer(game=game, id=question, draw=game_pb2.Draw(from_discard=move.from_discard), note=note)
    return bot_pb2.Answer(game=game, id=question, play=play(move), note=note)
