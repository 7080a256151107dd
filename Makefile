# Needs Python 3.11 or newer, git and make; all else is installed into .venv from requirements.lock, by hash.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
NODE := build/node
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint bench soak schema lock

help: ## say what can be made
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(READY) ## make .venv with everything in it

# The stamp is written last: a setup that was interrupted is done again.
$(READY): requirements.lock pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "failres needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python setup" >&2; exit 1; }
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); echo "this Python cannot make environments; on Debian and Ubuntu install python3-venv" >&2; exit 1; }
	$(PIP) install --quiet --require-hashes --requirement requirements.lock
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup ## play the scenario red-check and print the conversation
	$(BIN)/failres sandbox --scenario red-check --once

# GitHub's own clients give a second opinion on the embedded GitHub where npm is there; their tests say why they are left
# out elsewhere. Locked by hash; nothing of theirs is run while they are installed.
$(NODE)/.ready: tests/sandbox/node/package-lock.json
	@mkdir -p $(NODE)
	@cp tests/sandbox/node/package.json tests/sandbox/node/package-lock.json $(NODE)
	@if command -v npm >/dev/null; then npm ci --prefix $(NODE) --ignore-scripts --no-audit --no-fund --silent \
		--fetch-retries=1 && touch $@ || echo "npm could not install $(NODE): the second opinions are left out" >&2; fi

test: lint $(NODE)/.ready ## everything that must pass before a change lands
	$(BIN)/python -m pytest -n 4 -m "not soak"

lint: setup ## style, import rules and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy

bench: setup ## the measurements of bench/, one after the other
	@missed=; for file in bench/*.py; do echo "== $$file"; $(BIN)/python "$$file" || missed="$$missed $$file"; done; \
		test -z "$$missed" || { echo "goals were missed in:$$missed" >&2; exit 1; }

soak: setup ## the slower proofs
	$(BIN)/python -m pytest -n 4 -m soak

schema: setup ## write the JSON schema of .github/failres.yml anew
	$(BIN)/failres config schema > resolver/failres.schema.json.new
	mv resolver/failres.schema.json.new resolver/failres.schema.json

# For whoever changes a dependency. Versions already locked stay unless pyproject.toml rules them out;
# `make lock UPGRADE=--upgrade` moves all of them. The index is the machine's own and is not written down.
lock: ## write requirements.lock anew from pyproject.toml
	@mkdir -p build
	@test -x build/lock/bin/uv || { "$(PYTHON)" -m venv build/lock && build/lock/bin/python -m pip install --quiet uv; }
	build/lock/bin/uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
		--generate-hashes --no-header --no-emit-index-url --no-emit-find-links --quiet $(UPGRADE) --output-file requirements.lock
