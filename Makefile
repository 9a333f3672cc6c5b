# Two commands matter: `make run` and `make test`. Everything is set up in .venv on first use.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
SHARED ?=
HTTP ?= 127.0.0.1:3031
SLOW_TESTS ?= tests
POSTGRES_TESTS ?= tests/store tests/properties/test_machine.py tests/contracts

# Hundreds of processes are started by tests: what was compiled for one is kept for the next, whoever asks that it be not.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-postgres torture fuzz conformance test-slow check bench screenshots clean

# What running needs, and no more.
$(VENV)/.runs: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Recollect needs Python 3.11 or newer; try: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --no-compile --editable .
	$(PY) -m compileall -q src
	touch $@

# What tests and checks need beside it: every language, and the programs that they are made with.
$(VENV)/.installed: $(VENV)/.runs
	$(PY) -m pip install --quiet --upgrade "pip>=25.1"
	$(PY) -m pip install --quiet --editable ".[languages]" --group test --group check
	touch $@

# A first try-out in a scratch store, and then the service, until Ctrl-C. `make run HTTP=:3032` has it listen elsewhere.
run: $(VENV)/.runs
	@$(PY) -m recollect.cli welcome
	@echo
	@exec $(PY) -m recollect.cli up --http $(HTTP)

test: $(VENV)/.installed
	$(PY) -m pytest -n auto --dist loadfile

# Everything that can be kept in PostgreSQL, on a server of its own: the whole of what `make test` does a short pass of.
test-postgres: $(VENV)/.installed
	RECOLLECT_TESTS_ON=postgres $(PY) -m pytest -n auto --dist loadfile $(POSTGRES_TESTS)

# Kills, faults, hostile input, and months of syncing, at length; SEED decides all of it.
ROUNDS ?= 120
SEED ?= 1
torture: $(VENV)/.installed
	TORTURE_ROUNDS=$(ROUNDS) TORTURE_SEED=$(SEED) $(PY) -m pytest tests/torture tests/faults tests/engine/test_vault.py -m "torture or not torture" -rP

# Bytes that nobody meant, for everything that reads some; what is found stays in tests/fuzz/found.
COUNT ?= 1000000
fuzz: $(VENV)/.installed
	$(PY) -m tests.fuzz.fuzz --count $(COUNT) --seed $(SEED)

# What the makers of the protocol say: their conformance suite, their inspector and their TypeScript client, by Node.
conformance: $(VENV)/.installed
	$(PY) tests/conformance/run.py

# What takes long for what it asks: Claude Code, Codex and Gemini CLI themselves, Lighthouse on every view of the page, the benchmark's largest
# sections, and the like.
test-slow: $(VENV)/.installed
	$(PY) -m pytest -n auto --dist loadfile -m slow $(SLOW_TESTS)

check: $(VENV)/.installed
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m pyright

bench: $(VENV)/.installed
	$(PY) -m pip install --quiet --group bench
	$(PY) -m bench $(if $(SHARED),--shared $(SHARED))

# The pictures of the README and of docs/page.md, from a made-up store.
screenshots: $(VENV)/.installed
	$(PY) -m tools.screenshots

clean:
	rm -rf $(VENV) dist build
