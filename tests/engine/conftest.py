"""Properties are about truth, not speed: a busy machine must not fail them."""

from hypothesis import settings

settings.register_profile("engine", deadline=None)
settings.load_profile("engine")
