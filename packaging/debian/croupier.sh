#!/bin/sh
# The system's Python with the system's libraries; -P: nothing from the folder in which it is started.
PYTHONPATH=/usr/lib/croupier exec /usr/bin/python3 -P -m device "$@"
