"""Training data: samples with one schema, and their sources: solvers as teachers, whole state spaces, random walks,
games of reinforcement learners, and games played by tree search.
"""
