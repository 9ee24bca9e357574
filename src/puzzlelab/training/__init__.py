"""Training of networks: the settings of recipes, the folder of a run, and the learner that all recipes share."""
