"""Rules as positions and what happens in them: case files are read, run, drawn and made from replays here."""
