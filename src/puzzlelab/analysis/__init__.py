"""Hints, regrets, checks and generation of boards, and their results as plain data."""
