"""The phone at the table: board, corrections, games and set-up in a browser, on the local network alone."""
