# Every target sets up .venv by itself; with nothing to do that costs nothing.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
PORT ?= 8000
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

# Compiled files of a package that is assembled anew would only get in the way.
export PYTHONDONTWRITEBYTECODE := 1

BOOK := $(PY) -m literate_book

.DEFAULT_GOAL := help
.PHONY: help serve site pdf test book publish lint bench lock clean

help:  ## say what the targets do
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 10

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "setting up $(VENV) from requirements.txt"
	@$(PYTHON) -m venv $(VENV) || { \
		echo "Python cannot make environments; on Debian: apt-get install python3-venv"; exit 1; }
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

serve: $(READY)  ## show the site on http://127.0.0.1:8000 (PORT=...) with its checks, following changes
	@$(PY) -m literate_book.publish.site --serve 127.0.0.1:$(PORT)

site: $(READY)  ## build the site into site/, strictly
	@echo "building the site"
	@$(PY) -m literate_book.publish.site

pdf: $(READY)  ## print the whole book into literate-ad.pdf, with Chromium
	@$(PY) -m literate_book.publish.printing

test: $(READY)  ## refuse drift, then run every test
	@echo "comparing the package with the articles"
	@$(BOOK) check
	@echo "running the tests of the articles, the engine and the toolchain"
	@$(PY) -m pytest -n auto --dist loadfile

book: $(READY)  ## assemble the package from the articles
	@$(BOOK) tangle

publish: $(READY)  ## build the site as version VERSION=0.2 on the branch gh-pages
	@test -n "$(VERSION)" || { echo "say which version: make publish VERSION=0.2"; exit 1; }
	@$(PY) -m literate_book.publish.versions $(VERSION)

lint: $(READY)  ## ruff, mypy, spelling, and the audit: nothing in an article is untested
	@echo "ruff: lint and format, Markdown fences too"
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@echo "mypy: the package and the toolchain"
	@$(PY) -m mypy
	@echo "spelling"
	@$(PY) -m codespell_lib
	@echo "audit: every fence, table and list of the articles"
	@$(PY) -m literate_book audit

bench: $(READY)  ## run the measurements in benchmarks/
	@for script in benchmarks/*.py; do echo "$$script"; $(PY) $$script || exit 1; done

lock: $(READY)  ## choose the newest versions and write requirements.txt
	@echo "writing requirements.txt"
	@$(PY) -m pip install --quiet --disable-pip-version-check uv
	@{ echo '# The versions that make and CI install. Written by "make lock"; do not edit.'; \
		$(PY) -m uv pip compile pyproject.toml --universal --python-version 3.11 --upgrade \
		--extra scipy --extra book --extra bench --group dev --generate-hashes \
		--no-annotate --no-header --no-config --quiet; } > requirements.new
	@mv requirements.new requirements.txt

clean:  ## remove .venv, the built site and all caches
	rm -rf $(VENV) site .cache build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
