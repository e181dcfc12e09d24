"""Models: the shipped weights (data), the simulator (`synth`) and the training code (`training`)."""
