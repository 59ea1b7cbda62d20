"""Replays that were really played, ways to forge them, and the browser's verifier outside of a page."""
