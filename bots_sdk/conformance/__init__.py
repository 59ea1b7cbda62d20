"""`phaseten check --server`: a referee that follows a script, for bots in any language."""
