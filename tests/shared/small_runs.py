"""Settings of runs that take seconds: the last lines of files, without the recipe and the steps, and values."""

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
PLAYED = {
    "puzzle": "tiles-2x3",
    "seed": 5,
    "parallel_games": 20,
    "max_moves": 12,
    "curriculum": {
        "scale": "uniform",
        "random_walk_share": 0.5,
        "initial_difficulty": 4,
        "max_difficulty": 21,
        "growth": "wins",
        "games_per_check": 20,
        "checks_in_a_row": 1,
    },
    "exploration": {"rule": "adaptive", "initial_epsilon": 0.1},
    "replay": {"size": 500},
    "learning": {
        "steps": 40,
        "batch_size": 32,
        "warmup": 5,
        "precision": "float32",
        "save_seconds": 1000.0,
        "ema": 0.9,
    },
    "evaluation": {"every": 10, "boards": 5, "teacher_games": 0, "scale": "uniform", "max_moves": 30},
}
"""A recipe that plays tiles-2x3 for itself, without its network."""
