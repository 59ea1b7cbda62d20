"""What decoding raises."""


class MalformedMessage(Exception):
    """A message that says nothing the receiver can understand. The sender's fault; the text says what was wrong."""
