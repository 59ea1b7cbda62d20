"""How phaseten is run. Nothing here imports the product: it starts it, as processes."""
