"""A bot's share in the shuffle of a game, and the eyes that it keeps on the referee's.

The referee commits to its seed, then every seat to 32 random bytes of its own, then the seats reveal them: as long as one
seat is honest, nobody could choose the deck (P10-SHUFFLE-1, see `referee.engine.shuffle`).
"""

import hmac
import secrets
from collections.abc import Sequence
from typing import Final

from referee.engine.shuffle import NO_NONCE, game_context, nonce_commit, server_commit

NONCE_BYTES: Final = 32


class Share:
    """One seat's share. `problem` says what the referee did wrong with the shuffle, and is empty while all is well."""

    __slots__ = ("_commitments", "_context", "_mixed", "_revealed", "_seat", "_server_commitment", "nonce", "problem")

    def __init__(self, game_id: bytes, attempt: int, seats: int, seat: int, server_commitment: bytes) -> None:
        """`server_commitment` is the one of the invitation."""
        self.nonce = secrets.token_bytes(NONCE_BYTES)
        self.problem = ""
        self._context = game_context(game_id, attempt, seats)
        self._seat = seat
        self._server_commitment = server_commitment
        self._commitments: list[bytes] | None = None
        self._revealed = False
        self._mixed = False  # whether the shares were mixed: a mirrored match plays from the referee's seed alone

    @property
    def commitment(self) -> bytes:
        """What is sent before the others' are known."""
        return nonce_commit(self._context, self._seat, self.nonce)

    def reveal(self, commitments: Sequence[bytes]) -> bytes | None:
        """The nonce, once all commitments are known; None if ours is not among them and must not be shown."""
        if self._seat >= len(commitments) or not hmac.compare_digest(commitments[self._seat], self.commitment):
            self._complain("the referee passed another commitment on as ours")
            return None
        if self._commitments is not None and self._commitments != list(commitments):
            self._complain("the referee changed the commitments that it had shown")
            return None
        self._commitments = list(commitments)
        self._revealed = True
        return self.nonce

    def started(self, nonces: Sequence[bytes]) -> None:
        """The referee has shown all nonces."""
        self._mixed = any(nonce != NO_NONCE for nonce in nonces)
        if self._revealed and (self._seat >= len(nonces) or nonces[self._seat] != self.nonce):
            self._complain("the referee left our share out of the shuffle")
        for seat, (commitment, nonce) in enumerate(zip(self._commitments or (), nonces, strict=False)):
            if nonce != NO_NONCE and nonce_commit(self._context, seat, nonce) != commitment:
                self._complain(f"seat {seat} revealed another nonce than it had committed to")

    def ended(self, seed: bytes) -> None:
        """The referee has shown its seed."""
        if self._mixed and seed and server_commit(self._context, seed) != self._server_commitment:
            self._complain("the referee's seed is not the one that it had committed to")

    def _complain(self, problem: str) -> None:
        self.problem = self.problem or problem
