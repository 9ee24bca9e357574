"""The contracts between puzzles, solvers and their users. No module here depends on a particular puzzle or solver."""
