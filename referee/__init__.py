"""The authority on a game: rules (`engine`), messages (`wire`) and the server (`service`)."""
