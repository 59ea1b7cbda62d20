"""Asking a bot for one decision, and putting its answer into words that a referee understands."""

from typing import Final

from bots_sdk.author import WrongAnswer
from bots_sdk.bot import Bot
from bots_sdk.info import GameInfo, TimeLeft
from referee.engine.moves import Draw, Move, Play
from referee.engine.view import Stage, View
from referee.wire.moves import write_decision

NOTE_BYTES: Final = 500
MAX_MESSAGE_BYTES: Final = 4 * 1024  # what a referee reads, unless it says otherwise
_DRAW: Final = Stage.DRAW
_AROUND: Final = 16  # bytes of a message around a decision: game, question, tags and lengths


def ask(bot: Bot, info: GameInfo, time_left: TimeLeft, view: View, max_bytes: int = MAX_MESSAGE_BYTES) -> bytes:
    """The bot's answer to a question, as `wire.moves.write_decision` writes it.

    Raises whatever the bot raises; WrongAnswer, TypeError or ValueError for an answer that is none.
    """
    bot.game = info
    bot.time_left = time_left
    if view.table.stage is _DRAW:
        move: Move = bot.draw(view)
        if type(move) is not Draw:
            raise WrongAnswer(f"draw must return a Draw, not {move!r:.200}")
    else:
        move = bot.play(view)
        if type(move) is not Play:
            raise WrongAnswer(f"play must return a Play, not {move!r:.200}")
    note = bot._note  # noqa: SLF001 - kept out of the authors' way
    if note:
        bot._note = ""  # noqa: SLF001 - see above
        note = cut_note(note)
    try:
        answer = write_decision(move, note)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise WrongAnswer(f"this move cannot be sent: {move!r:.300} ({error})") from None
    size = len(answer) + _AROUND
    if size > max_bytes:
        raise WrongAnswer(f"the answer takes {size} bytes, a referee reads {max_bytes}")
    return answer


def cut_note(note: object) -> str:
    """A note as it may be sent: at most 500 bytes, never half a character."""
    data = str(note).encode("utf-8", "replace")
    return data[:NOTE_BYTES].decode("utf-8", "ignore")
