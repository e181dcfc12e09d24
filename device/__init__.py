"""Device: the only place that touches the world (files, cameras, displays, clocks, the command line)."""
