"""Generated from proto/; run `python3 dev.py proto`, never edit."""
