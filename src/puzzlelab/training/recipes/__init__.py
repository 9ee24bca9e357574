"""One recipe a file: `RECIPE`, which `training.recipe` describes. Found by scanning this folder."""
