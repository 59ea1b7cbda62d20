"""`phaseten-referee status`: how a running referee is, asked on its control port."""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any, Final

import grpc
from phaseten.v1 import referee_pb2 as pb

from referee.service.referee_api import SERVICE

READY: Final = 0
NOT_REACHED: Final = 1
DRAINING: Final = 3  # 2 is for wrong input
SECONDS: Final = 5.0


def add(commands: Any, address: str) -> None:
    """Add the command; `address` is where it asks unless it is told otherwise."""
    parser = commands.add_parser(
        "status",
        help="say how a running referee is",
        description="Ask a running referee on its control port how it is. The exit status is 0 if it is ready for matches, "
        "3 if it is going away, 1 if it cannot be reached, 2 for wrong input.",
    )
    parser.add_argument(
        "--address",
        type=_address,
        default=address,
        metavar="HOST:PORT",
        help=f"its control port (default {address}, from PHASETEN_REFEREE_CONTROL_BIND)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of words")
    parser.set_defaults(handler=run)


def _address(text: str) -> str:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise argparse.ArgumentTypeError(f"must be host:port, not {text!r}")
    return text


def run(chosen: argparse.Namespace) -> int:
    """Print the answer; the exit status."""
    try:
        status = _ask(chosen.address)
    except grpc.RpcError as error:
        sys.stderr.write(f"phaseten-referee: {_why(chosen.address, error)}\n")
        return NOT_REACHED
    sys.stdout.write(json.dumps(_facts(status)) + "\n" if chosen.json else "\n".join(_words(status)) + "\n")
    return DRAINING if status.draining else READY


def _ask(address: str) -> pb.GetStatusResponse:
    # No proxy for the web outside leads to a control port.
    with grpc.insecure_channel(address, options=(("grpc.enable_http_proxy", 0),)) as channel:
        call = channel.unary_unary(
            f"/{SERVICE}/GetStatus",
            request_serializer=pb.GetStatusRequest.SerializeToString,
            response_deserializer=pb.GetStatusResponse.FromString,
        )
        answer: pb.GetStatusResponse = call(pb.GetStatusRequest(), timeout=SECONDS)
        return answer


def _why(address: str, error: Any) -> str:
    if error.code() in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}:
        return f"no referee answers at {address}: {error.details()}"
    return f"what answers at {address} is no referee's control port: {error.code().name}: {error.details()}"


def _facts(status: pb.GetStatusResponse) -> dict[str, Any]:
    return {
        "referee": status.referee,
        "version": status.version,
        "incarnation": status.incarnation,
        "state": "draining" if status.draining else "ready",
        "uptime_seconds": status.uptime_ms / 1000,
        "sessions": status.sessions,
        "matches": status.matches,
        "games": status.games,
        "free_games": status.free_games,
        "records": status.records,
        "record_bytes": status.record_bytes,
        "decisions": status.decisions,
        "stalled_seconds": status.stalled_ms / 1000,
    }


def _words(status: pb.GetStatusResponse) -> Sequence[str]:
    state = "going away, takes no new matches" if status.draining else "ready"
    room = "" if status.draining else f", room for {status.free_games} more"
    lines = [
        f"{status.referee} ({status.version}): {state}; up for {_lasted(status.uptime_ms)}",
        f"  sessions   {status.sessions}",
        f"  matches    {status.matches} running",
        f"  games      {status.games} running{room}",
        f"  records    {status.records} to be taken home, {status.record_bytes} bytes",
        f"  decisions  {status.decisions}",
    ]
    if status.stalled_ms:
        lines.append(f"  stalled    {status.stalled_ms / 1000:.1f} s in all, charged to nobody")
    return lines


def _lasted(milliseconds: int) -> str:
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24} days"
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"
