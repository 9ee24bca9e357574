"""What runs puzzles and searches: kernels and their cache, the driver of search machines, batches of boards."""
