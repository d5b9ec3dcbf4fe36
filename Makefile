# `make demo` and `make test` are all that a fresh machine needs: python3 (>= 3.11) with pip and venv, and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEOPLE ?= 200000
FILES ?= 10000
SEED ?= 0
# Pythons to test with; `make pythons` skips those that are not installed.
PYTHONS ?= python3.11 python3.12 python3.13
KILLS ?= 500
# Public statistics to count the examples of the app from; those that come with idbits if they are not there.
EXAMPLES ?= ../shared/data
STAMP := $(VENV)/.stamp
DEV_STAMP := $(VENV)/.stamp-dev
DOCS_STAMP := $(VENV)/.stamp-docs
WEB_STAMP := $(VENV)/.stamp-web
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# Without bytecode on disk, every worker and every command that a test starts compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

SLOW := spark or server or browser or docs or process or big
# Each way to count once: the slow and obvious one, files, frames, SQL.
FEW_ENGINES := plain,duckdb-csv,duckdb-arrow,sqlite

.PHONY: app demo test quick slow-tests freeze packages tools lint types bench fuzz faults docs wheel smoke oldest pythons clean

demo: $(STAMP)
	$(BIN)/idbits demo --people $(PEOPLE) --folder demo

app: $(WEB_STAMP)
	$(BIN)/idbits serve --demo $(if $(wildcard $(EXAMPLES)/nl-ages.csv),--examples $(EXAMPLES))

test: $(DEV_STAMP) packages tools lint types docs
	$(BIN)/python -m pytest -n auto --durations 10 --tb short

quick: $(DEV_STAMP) lint types
	$(BIN)/python -m pytest -n auto --durations 10 -m 'not ($(SLOW))' --constructors $(FEW_ENGINES) \
		--hypothesis-profile quick

slow-tests: $(DEV_STAMP)
	$(BIN)/python tests/slow_tests.py $(FEW_ENGINES)

freeze: $(DEV_STAMP)
	PYTHONPATH=tests/frozen $(BIN)/python tests/frozen/surface.py
	$(BIN)/python release/generate.py

packages:
	@sh tests/packages.sh

tools: $(DEV_STAMP)
	@sh tests/pipeline_tools.sh $(VENV)

lint: $(DEV_STAMP)
	$(BIN)/ruff check src tests bench experiments release
	$(BIN)/ruff format --check src tests bench experiments release
	$(BIN)/lint-imports

types: $(DEV_STAMP)
	$(BIN)/mypy

bench: $(DEV_STAMP)
	$(BIN)/python bench/all.py $(if $(ONLY),--only $(ONLY))

fuzz: $(DEV_STAMP)
	$(BIN)/python tests/fuzz/run.py --files $(FILES) --seed $(SEED)

faults: $(DEV_STAMP) packages
	$(BIN)/python tests/repository/faults.py --kills $(KILLS) --seed $(SEED)

wheel: $(DEV_STAMP)
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist

# An empty environment with the wheel alone, and one with the source and every extra.
smoke: wheel
	rm -rf build/smoke && $(PYTHON) -m venv build/smoke/plain && $(PYTHON) -m venv build/smoke/extras
	build/smoke/plain/bin/python -m pip install --quiet --constraint constraints.txt dist/*.whl
	build/smoke/plain/bin/python -P release/smoke.py
	build/smoke/extras/bin/python -m pip install --quiet --constraint constraints.txt \
		"$$(ls dist/*.tar.gz)[files,leak,pdf,spark,sql,web]"
	build/smoke/extras/bin/python -P release/smoke.py files leak pdf spark sql web

oldest:
	sh release/test_with.sh $(PYTHON) build/oldest constraints-oldest.txt

pythons:
	for python in $(PYTHONS); do \
		if ! $$python -c '' 2> /dev/null; then echo "$$python is not installed: not tested"; \
		else sh release/test_with.sh $$python build/$$python constraints.txt || exit 1; fi; \
	done

docs: $(DOCS_STAMP)
	$(BIN)/zensical build --strict --clean

$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

$(STAMP): $(VENV)/pyvenv.cfg pyproject.toml constraints.txt
	$(INSTALL) --editable .
	touch $@

$(WEB_STAMP): $(STAMP)
	$(INSTALL) --editable '.[web]'
	touch $@

$(DEV_STAMP): $(STAMP)
	$(INSTALL) --editable '.[dev]'
	touch $@

$(DOCS_STAMP): $(DEV_STAMP)
	$(INSTALL) --editable '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) build demo dist site .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
