"""Synthetic dice: physics and a renderer, with ground truth."""
