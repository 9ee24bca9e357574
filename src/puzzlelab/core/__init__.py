"""The nouns that everything else is made of. Nothing here knows a puzzle or a solver by name."""
