"""How fast the engine plays, beside the public engines for a card game of the same family.

Two greedy seats play whole games through `Game.submit`: views, meld search, every check and the log included. The peers
play gin rummy at random, driven from Python. All figures are decisions per processor second of one core, the peers' in
rounds that alternate with ours, so that a busy machine bears on all alike. All look for garbage as rarely as the referee's
process does.
"""

import hashlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from referee.engine import OFFICIAL, Game, SeededDecks, Terms
from tests.bench._garbage import collected_rarely
from tests.players import greedy, play_out

Report = Callable[[str, float, str], None]

ROUNDS = 7
SECONDS = 2.0
PEERS = ("openspiel", "rlcard")
ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv-bench"
LOCK = ROOT / "requirements" / "bench.lock"


def run(report: Report) -> None:
    """Report decisions per second, and the ratio to each peer that can be installed and runs."""
    peers = list(PEERS) if _peers_ready() else []
    ours: list[float] = []
    theirs: dict[str, list[float]] = {peer: [] for peer in peers}
    for number in range(ROUNDS):
        with collected_rarely():
            ours.append(_engine(SECONDS, number))
        for peer in tuple(peers):
            try:
                theirs[peer].append(_peer(peer, SECONDS, number))
            except subprocess.CalledProcessError as failed:
                _leave_out(peer, failed.stderr)
                peers.remove(peer)
    report("engine.decisions_per_second", median(ours), "1/s")
    for peer in peers:
        ratios = [mine / other for mine, other in zip(ours, theirs[peer], strict=True)]
        report(f"engine.ratio_to_{peer}", median(ratios), "")


def _leave_out(peer: str, output: str) -> None:
    lines = output.strip().splitlines() or ["no message"]
    print(f"engine.ratio_to_{peer} left out: {lines[-1]}")


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
    """Whether the locked peers are installed in their own environment; installs them if not, and says why if it cannot."""
    ready, wanted = VENV / "ready", hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if ready.exists() and ready.read_text() == wanted:
        return True
    pip = [_python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([sys.executable, "-m", "venv", str(VENV)], [*pip, "--require-hashes", "-r", str(LOCK)]):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            for peer in PEERS:
                _leave_out(peer, done.stderr or done.stdout)
            return False
    ready.write_text(wanted)
    return True
