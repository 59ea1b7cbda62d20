"""The referee: a process that bots dial in to and that plays the matches a site orders."""
