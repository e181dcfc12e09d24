"""Scorer: dice games as pure state machines. Standard library only; knows nothing of cameras."""
