"""What networks learn from: named columns with one schema, and the teachers that fill them."""
