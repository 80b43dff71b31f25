# Every target sets up .venv by itself; with nothing to do that costs nothing.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

export NO_MKDOCS_2_WARNING := 1
export PYTHONDONTWRITEBYTECODE := 1

.DEFAULT_GOAL := help
.PHONY: help serve site test book lint bench clean

help:  ## say what the targets do
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile

$(READY): requirements.txt pyproject.toml
	@echo "Setting up $(VENV) from requirements.txt"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install --quiet --require-hashes -r requirements.txt
	@$(PY) -m pip install --quiet --no-build-isolation --no-deps --editable .
	@touch $@

book: $(READY)  ## assemble the package from the articles
	$(PY) -m literate_ad.book tangle

test: $(READY)  ## check that package and articles agree, then run every test
	$(PY) -m literate_ad.book check
	$(PY) -m pytest -n auto --dist loadfile

lint: $(READY)  ## ruff, mypy and the audit of the articles
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m literate_ad.book audit

site: $(READY)  ## build the site into site/
	$(PY) -m literate_ad.book check
	$(PY) -m mkdocs build --strict --quiet

serve: $(READY)  ## build the site and serve it on http://127.0.0.1:8000, rebuilding on change
	$(PY) -m mkdocs serve

bench: $(READY)  ## run the measurements in benchmarks/
	@for script in benchmarks/*.py; do echo "$$script"; $(PY) $$script || exit 1; done

clean:  ## remove .venv, the built site and the caches
	rm -rf $(VENV) site .cache build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
