"""Settings of runs that take seconds, without the recipe and the steps: the last lines of a file of settings."""

PLAYING = """\
network = { kind = "dense", width = 8, depth = 1, heads = ["q", "cost_to_go"] }
replay = { size = 500, alpha = 0.6 }
evaluation = { every = 10, boards = 4, scale = "uniform", max_moves = 20 }
[curriculum]
random_walk_share = 1.0
initial_difficulty = 4
max_difficulty = 20
growth = "wins"
games_per_check = 20
"""
"""A recipe that plays tiles-2x3 for itself."""
SELFPLAY = """\
puzzle = "tiles-2x3"
seed = 5
network = { kind = "dense", width = 16, depth = 1, heads = ["policy", "cost_to_go"] }
self_play = { parallel_games = 8, playouts = 4, max_moves = 20 }
replay = { capacity = 300, samples_per_candidate = 200, replay_ratio = 4.0 }
match = { max_boards = 8, batch_size = 4, opponent_boards = 4 }
learning = { steps = 20, batch_size = 20, precision = "float32", save_seconds = 0.05 }
evaluation = { every = 10, boards = 4, teacher_games = 0, scale = "uniform", max_moves = 20 }
[curriculum]
random_walk_share = 1.0
initial_difficulty = 3
max_difficulty = 9
growth = "wins"
games_per_check = 16
checks_in_a_row = 1
"""
"""Self-play."""
IMITATION = """\
recipe = "imitation"
puzzle = "dust-4x3x3"
seed = 5
[network]
kind = "dense"
width = 8
depth = 1
[teacher]
solver_options = { width = 3 }
[data]
shard_games = 20
buffer_size = 300
replay_ratio = 2.0
[learning]
steps = 60
batch_size = 20
precision = "float32"
save_seconds = 0.05
[evaluation]
every = 10
boards = 4
teacher_games = 4
"""
"""Imitation, with its recipe and steps."""
