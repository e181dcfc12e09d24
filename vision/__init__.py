"""Vision: frames, the dice reader, motion and rest. Knows nothing of games."""
