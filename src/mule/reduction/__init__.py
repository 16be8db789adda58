"""What a reduction does in single states, in words: which transitions it explores, and why these."""
