"""What people ask about boards: hints, regrets, checks, new boards, and the same as plain data."""
