"""What an author writes: a class with two methods."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable

from bots_sdk.errors import WrongInput
from bots_sdk.info import GameInfo, GameResult, Rejection, TimeLeft
from referee.engine.events import PublicEvent
from referee.engine.moves import Draw, Play
from referee.engine.view import View


class Bot(ABC):
    """A player. Write `draw` and `play`; everything else is optional, a constructor too.

    Given as a class, a new object is made for every game, so whatever it keeps on `self` belongs to one game. Given as an
    object, that one plays all games, several at a time; `self.game` always names the game of the current call.
    """

    #: The label of this version of the bot. Change it when the bot plays differently: ratings belong to versions.
    version: str = "1"
    #: What is known of the game that the current call is about: rules, terms, seat, opponents.
    game: GameInfo
    #: The time for the current decision.
    time_left: TimeLeft

    _note: str = ""

    @abstractmethod
    def draw(self, view: View) -> Draw:
        """Choose a pile: `Draw()` takes the unseen card, `Draw(from_discard=True)` the open one."""

    @abstractmethod
    def play(self, view: View) -> Play:
        """Play the rest of the turn: lay the phase, hit, discard, all in one."""

    def note(self, text: str) -> None:
        """Say what you think; it stands beside the next answer in the replay. At most 500 bytes, the rest is cut off."""
        self._note = text

    def game_started(self, info: GameInfo) -> None:  # noqa: B027 - hooks are there to be left out
        """A game begins."""

    def events(self, info: GameInfo, events: tuple[PublicEvent, ...]) -> None:  # noqa: B027 - see above
        """What everybody saw at the table since the last call, the own moves included. Comes before the next question.

        The card a seat drew unseen is in its `view.drawn` only. What happened while the bot was not connected is never
        told: `events_missed` says so. Views are always complete.
        """

    def events_missed(self, info: GameInfo) -> None:  # noqa: B027 - see above
        """Some events will not be told, because the bot was not connected: whatever was counted from them is out of date.

        Comes before the next question. A process that takes up a running game is called too, after `game_started`.
        """

    def rejected(self, info: GameInfo, rejection: Rejection) -> None:  # noqa: B027 - see above
        """An answer was not accepted, and a default move may have been played instead."""

    def game_over(self, info: GameInfo, result: GameResult) -> None:  # noqa: B027 - see above
        """A game has ended."""


BotSource = type[Bot] | Callable[[], Bot] | Bot
Maker = Callable[[], Bot]


def maker(source: BotSource) -> Maker:
    """A function that gives the bot for a new game. Raises WrongInput for anything that is no bot."""
    if isinstance(source, Bot):
        return lambda: source
    if isinstance(source, type) and not issubclass(source, Bot):
        raise WrongInput(f"{source.__name__} is no bot: let it inherit from bots_sdk.Bot")
    if inspect.isabstract(source):
        missing = ", ".join(sorted(getattr(source, "__abstractmethods__", ())))
        raise WrongInput(f"{source.__name__} cannot play yet: write its method {missing}")
    if not callable(source):
        raise WrongInput(f"{source!r} is no bot: give a class that inherits from bots_sdk.Bot, or an object of one")
    return source


def version_of(source: BotSource) -> str:
    """The version label that a bot declares."""
    return str(getattr(source, "version", Bot.version))


def name_of(source: BotSource) -> str:
    """The bot's name in messages."""
    return type(source).__name__ if isinstance(source, Bot) else getattr(source, "__name__", repr(source))
