"""Ways to forge a replay, one for each thing that a forger could want: name -> forgery.

They want a record of three seats that took part in the shuffle, whose terms name the first dealer, with nobody late or gone.
"""

from tests.replays import forged_heads, forged_logs
from tests.replays.forging import FORGERIES
from tests.replays.making import Wanted

__all__ = ["FORGED_FROM", "FORGERIES", "forged_heads", "forged_logs"]

FORGED_FROM = {
    "cards of its own": Wanted(seats=3, number=3, clumsy=0, late=0, leaves=0),
    "mirrored": Wanted(seats=3, number=3, mirrored=True, clumsy=0, late=0, leaves=0),
}
