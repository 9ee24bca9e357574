"""One recipe per file, as `RECIPE`, whose interface is in `training.recipe`; the folder is scanned for them."""
