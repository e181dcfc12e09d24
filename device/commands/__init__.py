"""The commands of `croupier`, one module each; heavy imports are made inside the functions."""
