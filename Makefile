# `demo` and the tests set up all they need: a virtual environment in .venv, from PyPI.
# Tests are fast, or proofs (CONTRIBUTING.md): `test` runs the fast ones, `due` the proofs that are due, `prove` all proofs.
# `random` has hypothesis draw new examples for the fast ones, `prove` for all: by SEED, which the commit gives.
PYTHON ?= python3
VENV ?= .venv
PYTEST = $(VENV)/bin/python -m pytest --numprocesses auto
# One worker a core. Of fast tests each worker begins with a part as it is: neighbours share fixtures, and all share
# servers of the sandbox. Of proofs each worker takes whole files, the long ones first.
FAST_TESTS = CODEMIND_SANDBOX_WORKERS=1 $(PYTEST) --dist worksteal
PROOFS = $(PYTEST) --dist loadfile --no-loadscope-reorder
SEED ?= $(shell git rev-parse --short HEAD 2> /dev/null || date +%s)
RANDOM = --hypothesis-profile random --hypothesis-seed $(SEED)
# The rooms whose tests take seconds.
FAST = tests/answers tests/statistics tests/languages tests/harness

# Without byte code every process compiles what it imports.
unexport PYTHONDONTWRITEBYTECODE
# Selenium brings trio, whose plugin for hypothesis takes half a second to import in each worker.
export HYPOTHESIS_NO_PLUGINS = 1

.PHONY: demo test random due prove check lint clean

demo: $(VENV)/installed
	$(VENV)/bin/codemind run --model codemind-oracle --tasks codemind_ier_sample

test: $(VENV)/installed-dev
	$(FAST_TESTS) -m "not proof"

random: $(VENV)/installed-dev
	$(FAST_TESTS) -m "hypothesis and not proof" $(RANDOM)

due: $(VENV)/installed-dev
	$(PROOFS) --proofs due

prove: $(VENV)/installed-dev
	$(PROOFS) -m hypothesis $(RANDOM)
	$(PROOFS) --proofs all

check: lint
	$(VENV)/bin/python -m pytest -q -m "not proof and not engine" $(FAST)

lint: $(VENV)/installed-dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

clean:
	rm -rf $(VENV) build dist *.egg-info

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Byte code is made when a module is first imported: of most packages few are.
$(VENV)/installed: setup.cfg pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/pip install --no-compile --editable .
	touch $@

$(VENV)/installed-dev: setup.cfg pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/pip install --quiet --upgrade 'pip>=25.1'  # knows dependency groups
	$(VENV)/bin/pip install --no-compile --editable '.[classeval,dsr,ray]' --group dev
	# Programs in the sandbox import large packages and cannot write byte code. Some packages contain files that do not compile.
	-$(VENV)/bin/python -m compileall -q -j 0 $(VENV)/lib > $(VENV)/compiled
	touch $@ $(VENV)/installed
