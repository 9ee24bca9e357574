"""One folder a puzzle: its rules, kernels, estimates, samplers and drawings."""
