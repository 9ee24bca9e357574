"""Self-play: programs that share a folder, one of which plays, one learns, and one lets networks compete."""
