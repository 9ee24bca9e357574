"""Training networks: a recipe's settings, a run's folder, and the learner that all recipes share."""
