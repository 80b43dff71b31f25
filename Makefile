# Every target sets up .venv by itself; with nothing to do that costs nothing.

PORT ?= 8000
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

# An environment of another Python than the one asked for is made anew.
version = $(shell $(1) -c 'import sys; print(sys.version)' 2>/dev/null)
ifdef PYTHON
ifneq ($(call version,$(PYTHON)),$(call version,$(PY)))
$(shell rm -f $(READY))
endif
else
PYTHON = $(shell for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
endif

# Compiled files of a package that is assembled anew would only get in the way.
export PYTHONDONTWRITEBYTECODE := 1

BOOK := $(PY) -m literate_book

.DEFAULT_GOAL := help
.PHONY: help serve test test-site site pdf book publish lint bench mutate lock clean

help:  ## say what the targets do
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 10

$(READY): requirements.txt pyproject.toml literate_book/pyproject.toml
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "setting up $(VENV) from requirements.txt, with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV) || { \
		echo "Python cannot make environments; on Debian: apt-get install python3-venv"; exit 1; }
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
		-e . -e ./literate_book
	@touch $@

serve: $(READY)  ## show the site on http://127.0.0.1:8000 (PORT=...) with its checks, following changes
	@$(BOOK) serve --port $(PORT)

test: $(READY)  ## test articles, engine and tools, or what TESTS=... names; PYTHON=... chooses a Python
	@echo "comparing the package with the articles"
	@$(BOOK) check
	@echo "running the tests of the articles, the engine and the tools"
	@$(PY) -m pytest -n auto --dist loadfile $(TESTS)

test-site: $(READY)  ## build the site and look at its pages in Chromium
	@echo "building the site and running its tests"
	@$(PY) -m pytest -n auto --dist loadfile tests/site

site: $(READY)  ## build the site into site/, strictly
	@echo "building the site"
	@$(BOOK) build

pdf: $(READY)  ## print the whole book into literate-ad.pdf, with Chromium
	@$(BOOK) print

book: $(READY)  ## assemble the package from the articles
	@$(BOOK) tangle

publish: $(READY)  ## build the site as version VERSION=0.2 on the branch gh-pages
	@test -n "$(VERSION)" || { echo "say which version: make publish VERSION=0.2"; exit 1; }
	@$(BOOK) publish $(VERSION)

lint: $(READY)  ## ruff, mypy, spelling, and the audit: nothing in an article is untested
	@echo "ruff: lint and format, Markdown fences too"
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@echo "mypy: the engine and the tools"
	@$(PY) -m mypy
	@echo "spelling"
	@$(PY) -m codespell_lib
	@echo "audit: every fence, table and list of the articles"
	@$(BOOK) audit

bench: $(READY)  ## run the measurements in benchmarks/
	@for script in benchmarks/*.py; do echo "$$script"; $(PY) $$script || exit 1; done

mutate: $(READY)  ## break the mechanism in one place after the other; MODULES="core tracer", SAMPLE=40
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes \
		-r tests/mutation/requirements.txt
	@nice -n 19 $(PY) tests/mutation/mutate.py $(MODULES) $(if $(SAMPLE),--sample $(SAMPLE))

lock: $(READY)  ## choose the newest versions and write requirements.txt
	@echo "writing requirements.txt, and those of make mutate"
	@$(PY) -m pip install --quiet --disable-pip-version-check uv
	@{ echo '# The versions that make and CI install. Written by "make lock"; do not edit.'; \
		$(PY) -m uv pip compile pyproject.toml literate_book/pyproject.toml --universal --python-version 3.11 --upgrade \
		--extra scipy --extra book --extra bench --group dev --generate-hashes \
		--no-annotate --no-header --no-config --quiet; } > requirements.new
	@mv requirements.new requirements.txt
	@{ echo '# What "make mutate" installs on top of ../../requirements.txt. Written by "make lock".'; \
		$(PY) -m uv pip compile pyproject.toml --group mutate --constraint requirements.txt \
		--universal --python-version 3.11 --upgrade --generate-hashes \
		--no-annotate --no-header --no-config --quiet; } > requirements.new
	@mv requirements.new tests/mutation/requirements.txt

clean:  ## remove .venv, the built site and all caches
	rm -rf .venv .venvs site .cache build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
