# `make demo` and `make test` work as the first command after `git clone`: they make the virtual environment.

VENV ?= .venv
PREFIX ?= $(HOME)/.local
PY = $(VENV)/bin/python

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help deb demo test coverage check format bench install uninstall clean core dev

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile

demo: core ## play the bundled recording through the whole program; results in ./demo-out
	@"$(PY)" -m device demo

test: dev ## run the tests
	@"$(PY)" -m pytest $(PYTEST_ARGS)

coverage: dev ## branch coverage of the scorer: all of it
	@"$(PY)" -m coverage run -m pytest -q tests/scorer tests/device/test_scorer_commands.py
	@"$(PY)" -m coverage report --fail-under=100

check: dev ## format, lint, types, import contracts
	@"$(PY)" -m ruff format --check .
	@"$(PY)" -m ruff check .
	@"$(PY)" -m mypy
	@"$(VENV)/bin/lint-imports"

format: dev ## put the code into the one format, and mend what the linter can
	@"$(PY)" -m ruff format .
	@"$(PY)" -m ruff check --fix .

bench: core ## measure speed and memory on this machine
	@"$(PY)" -m device bench

install: core ## put the command `croupier` into ~/.local/bin (PREFIX=... for elsewhere)
	@mkdir -p "$(PREFIX)/bin"
	@ln -sf "$$(cd "$(VENV)/bin" && pwd)/croupier" "$(PREFIX)/bin/croupier"
	@echo "Installed $(PREFIX)/bin/croupier; try: croupier --help"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "$(PREFIX)/bin is not in your PATH: add it.";; esac

deb: core ## build dist/croupier_VERSION_all.deb for a Raspberry Pi (or any Debian 13)
	@sh packaging/deb.sh "$(abspath $(PY))"

uninstall: ## take the command away again
	@rm -f "$(PREFIX)/bin/croupier"

clean: ## remove everything that make made
	rm -rf "$(VENV)" demo-out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

core:
	@PYTHON='$(PYTHON)' sh scripts/venv.sh core "$(VENV)"

dev:
	@PYTHON='$(PYTHON)' sh scripts/venv.sh dev "$(VENV)"
