"""Networks: what they are built of, how they are kept, and how searches find them. Only here and in training is torch."""
