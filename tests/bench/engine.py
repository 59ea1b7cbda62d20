"""How fast the engine plays, beside the public engines for a card game of the same family.

Two greedy seats play whole games through `Game.submit`: views, meld search, every check and the log included. The peers
play gin rummy at random, driven from Python. All figures are decisions per processor second of one core, the peers' in
rounds that alternate with ours, so that a busy machine bears on all alike.
"""

import hashlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from referee.engine import OFFICIAL, Game, SeededDecks, Terms
from tests.players import greedy, play_out

Report = Callable[[str, float, str], None]

ROUNDS = 3
SECONDS = 4.0
PEERS = ("openspiel", "rlcard")
ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv-bench"
LOCK = ROOT / "requirements" / "bench.lock"


def run(report: Report) -> None:
    """Report decisions per second, and the ratio to each peer that can be installed."""
    peers = PEERS if _peers_ready() else ()
    ours: list[float] = []
    theirs: dict[str, list[float]] = {peer: [] for peer in peers}
    for number in range(ROUNDS):
        ours.append(_engine(SECONDS, number))
        for peer in peers:
            theirs[peer].append(_peer(peer, SECONDS, number))
    report("engine.decisions_per_second", median(ours), "1/s")
    for peer, rates in theirs.items():
        ratios = [mine / other for mine, other in zip(ours, rates, strict=True)]
        report(f"engine.ratio_to_{peer}", median(ratios), "")


def _engine(seconds: float, number: int) -> float:
    decisions = games = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds:
        key = hashlib.sha512(f"bench {number} {games}".encode()).digest()
        decisions += play_out(Game(OFFICIAL, Terms(), 2, SeededDecks(key)), greedy)
        games += 1
    return decisions / spent


def _peer(name: str, seconds: float, number: int) -> float:
    script = Path(__file__).with_name("_peers.py")
    command = [_python(), str(script), name, str(seconds), str(number)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    decisions, spent = done.stdout.split()[-2:]
    return int(decisions) / float(spent)


def _python() -> str:
    return str(VENV / "bin" / "python")


def _peers_ready() -> bool:
    """Whether the peers are installed in their own environment; makes it if it is not there, and says why if it cannot."""
    if (VENV / "ready").exists():
        return True
    pip = [_python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([sys.executable, "-m", "venv", str(VENV)], [*pip, "--require-hashes", "-r", str(LOCK)]):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
            print(f"engine.ratio_to_{{{','.join(PEERS)}}} left out: {' '.join(command[:3])} failed: {lines[-1]}")
            return False
    (VENV / "ready").touch()
    return True
