"""How long an example takes is no property of the wire: a busy machine may need more than the 200 ms that are usual."""

from hypothesis import settings

settings.register_profile("wire", deadline=None)
settings.load_profile("wire")
