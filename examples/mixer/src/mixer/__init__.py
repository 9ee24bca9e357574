"""An architecture, a loss and a recipe of one's own; the entry points of the package name them."""
