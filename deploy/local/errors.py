"""What can go wrong on one machine, said so that a person can act on it."""


class LocalError(Exception):
    """Set-up or running failed; the text says why and what to do. Printed without a traceback."""


class ServiceError(LocalError):
    """A service could not be started, or died more often than we are willing to restart it."""

    def __init__(self, name: str, reason: str, log: tuple[str, ...] = ()) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason
        #: its last lines of output, oldest first
        self.log = log
