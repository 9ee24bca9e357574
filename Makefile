# Bare `make` prints the targets. Needs only make and Python 3.11 or later: `make test PYTHON=python3.12` picks another.

PYTHON ?= python3
# More for pytest or the benchmark, as in: make test ARGS="-k tiles"
ARGS =

VENV = .venv
# The environment of `make coverage`: Numba imports coverage where it is installed, which every start would pay for
COVERAGE = build/coverage-venv
BIN = $(VENV)/bin
INSTALL = $(BIN)/python tools/install.py -c constraints.txt
# What the tests need: every extra except the cluster's, which is only for its own tests.
EXTRAS = plot,learn,gym,web,sat,dev
# Where `make kernels` puts machine code, which `make demo` uses if it is there
PACK = kernels/puzzlelab_kernels/pack
USE_PACK = $(if $(wildcard $(PACK)/pack.json),PUZZLELAB_KERNELS=$(PACK))
# Tests that run at once
JOBS = 2
PYTEST = $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal
QUICK = not slow and not browser and not cluster and not tools

# Without bytecode, every start of Python would compile all sources again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL = help
.DELETE_ON_ERROR:
.PHONY: help demo kernels web test test-slow test-tools test-faults test-page test-cluster test-examples test-elsewhere coverage check size format docs docs-serve release bench clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.light ## Install the light package into .venv and see it solve some puzzles
	$(USE_PACK) $(BIN)/puzzlelab demo

kernels: $(VENV)/.light ## Compile the kernels for common processors: a folder, and a wheel in dist
	$(BIN)/puzzlelab warm --cpu x86-64-v3 --pack $(PACK)
	$(BIN)/python -m pip --disable-pip-version-check wheel -q --no-deps -w dist ./kernels

web: $(VENV)/.web ## Install what the page needs into .venv, and open it
	$(BIN)/puzzlelab web --open $(ARGS)

test: $(VENV)/.dev ## Run the quick tests (installs everything they need first)
	$(PYTEST) -m "$(QUICK)" $(ARGS)

test-slow: $(VENV)/.dev ## Run the slow tests
	$(PYTEST) -m "slow and not faults and not browser and not cluster" $(ARGS)

test-tools: $(VENV)/.dev ## Run the tests of benchmarks, tools and documents
	$(PYTEST) -m "tools and not slow" tests/tools $(ARGS)

test-faults: $(VENV)/.dev ## Kill, damage and starve the program (forty minutes); ARGS=commit tries the share that the commit chooses
	$(BIN)/python tests/faults/run.py $(ARGS)

test-page: $(VENV)/.dev ## Run the tests of the page in a browser
	$(PYTEST) -m browser tests/web $(ARGS)

test-cluster: $(VENV)/.cluster ## Run the tests of clusters: Ray starts one on this machine, and parts of it are killed
	$(BIN)/python -m pytest -q -m cluster tests/cluster $(ARGS)

test-examples: $(VENV)/.dev ## Run the tests of the packages in examples, which are installed into build/examples
	$(INSTALL) --no-deps --upgrade --target build/examples ./examples/pocket_cube ./examples/samegame ./examples/mixer
	PYTHONPATH=build/examples $(PYTEST) examples/pocket_cube/tests examples/samegame/tests examples/mixer/tests $(ARGS)

test-elsewhere: $(VENV)/.dev ## Run the quick tests as other machines would; ARGS="busy no-home" names some of them
	$(BIN)/python tests/elsewhere.py $(ARGS)

coverage: $(COVERAGE)/.done ## Run the quick tests and show the lines they do not reach, in build/coverage (without compiled kernels)
	$(PYTEST:$(BIN)/%=$(COVERAGE)/bin/%) -m "$(QUICK)" --cov --cov-report=term:skip-covered --cov-report=html $(ARGS)

check: $(VENV)/.dev ## Check format, style, types and the direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict src
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tools/style.py
	$(BIN)/python tools/prose.py

size: $(VENV)/.dev ## Print how large the package is; ARGS="--at REVISION" for an earlier state, ARGS=-v with the places
	$(BIN)/python tools/size.py $(ARGS)

format: $(VENV)/.dev ## Format the code and mend what can be mended by itself
	$(BIN)/ruff check --fix --exit-zero --quiet .
	$(BIN)/ruff format .

docs: $(VENV)/.docs ## Build the site into build/docs; every warning is an error
	$(BIN)/sphinx-build -q -W -n --keep-going -b html docs build/docs

docs-serve: docs ## Build the site, and serve it on this machine
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/docs 8001

release: $(VENV)/.release ## Build the wheels and the sdist into dist twice alike, check them, and try them in clean environments
	rm -rf dist build/again
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build -o dist .
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build -o build/again .
	for file in dist/*; do cmp $$file build/again/$${file#dist/} || exit 1; done
	$(BIN)/check-wheel-contents dist/puzzlelab-*.whl
	$(MAKE) kernels
	$(BIN)/twine check --strict dist/*
	$(BIN)/python tools/try_wheel.py dist/puzzlelab-*.whl

bench: $(VENV)/.dev ## Measure speed against peers
	$(BIN)/python benchmarks/speed.py $(ARGS)

clean: ## Remove .venv, caches and build outputs
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .coverage .coverage.*
	find src tests benchmarks -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# The stamps below make a second run start at once: pip runs again only when a requirement has changed.

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("puzzlelab needs Python 3.11 or later, as in: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@echo "Making $(VENV), which holds everything that is installed here"
	$(PYTHON) -m venv --clear $(VENV)

$(VENV)/.light: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing puzzlelab and what it needs to solve into $(VENV)"
	$(INSTALL) -e .
	@touch $@

$(VENV)/.web: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing puzzlelab and what its page needs into $(VENV)"
	$(INSTALL) -e ".[web]"
	@touch $(VENV)/.light $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing puzzlelab and all that its tests need into $(VENV): PyTorch alone is hundreds of MB, so this takes minutes"
	$(INSTALL) -e ".[$(EXTRAS)]"
	@touch $(VENV)/.light $(VENV)/.web $@

$(VENV)/.release: $(VENV)/.dev
	$(INSTALL) build check-wheel-contents twine
	@touch $@

$(VENV)/.docs: $(VENV)/.dev
	@echo "Installing Sphinx into $(VENV)"
	$(INSTALL) -e ".[docs]"
	@touch $@

$(VENV)/.cluster: $(VENV)/.dev
	@echo "Installing Ray into $(VENV)"
	$(INSTALL) -e ".[cluster]"
	@touch $@

$(COVERAGE)/.done: $(VENV)/.dev
	$(BIN)/python -m venv --clear $(COVERAGE)
	$(COVERAGE)/bin/python tools/install.py -c constraints.txt pytest-cov
	$(COVERAGE)/bin/python tools/share_packages.py $(VENV)
	@touch $@
