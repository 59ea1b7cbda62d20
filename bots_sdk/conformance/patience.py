"""How long the script waits for what, and how much it bears."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """All in seconds but `hammering`.

    `first` is for the bot's first visit, `connect` for every later one; `hello`, `share`, `answer` and `pong` for what they
    are named after, as long as a referee waits or longer. `silence` is how long a frozen referee may go unnoticed. `quiet`
    is how long is watched for something that must not come, `pause` how long a slow referee thinks, `away` how long one
    refuses everybody, and `stopped` how long a superseded bot is watched. `ping` is the interval of the script's own pings.
    `hammering` is the number of dials a second beyond which a bot has no patience.
    """

    first: float = 600.0
    connect: float = 30.0
    hello: float = 5.0
    share: float = 10.0
    answer: float = 10.0
    pong: float = 5.0
    silence: float = 30.0
    quiet: float = 0.5
    pause: float = 3.0
    away: float = 3.0
    stopped: float = 8.0
    ping: float = 5.0
    hammering: float = 10.0
