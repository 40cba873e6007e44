# `demo` and the tests set up all they need: a virtual environment in .venv, from PyPI.
# `test` leaves out the tests marked "slow"; `test-slow` runs only these, `test-all` everything.
PYTHON ?= python3
VENV ?= .venv
# One worker a core; the tests of a file share their fixtures, so they stay together.
PYTEST = $(VENV)/bin/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
# The rooms whose tests take seconds.
FAST = tests/answers tests/statistics tests/languages tests/harness

# Without byte code every process compiles what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-slow test-all check lint clean

demo: $(VENV)/installed
	$(VENV)/bin/codemind run --model codemind-oracle --tasks codemind_ier_sample

test: $(VENV)/installed-dev
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/installed-dev
	$(PYTEST) -m slow

test-all: $(VENV)/installed-dev
	$(PYTEST)

check: lint
	$(VENV)/bin/python -m pytest -q -m "not slow and not upstream and not engine" $(FAST)

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
