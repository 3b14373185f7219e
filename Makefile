# make demo    translate a few sentences in all four directions and look into the model
# make test    the whole suite
# make check   lint, format and types
# make slow    the tests that take long (they need corpora in $ATTENDO_DATA)
# make lab     run the claims of the lecture notes and write docs/lab
# make reliability   run the tests and write the numbers they give to docs/reliability.md
# Everything is installed into .venv inside the project, once; a second run starts at once.

PYTHON ?= python3
VENV := .venv
INSTALLED := $(VENV)/installed
RUN := $(VENV)/bin/python

.PHONY: demo test slow check format lab reliability clean

demo: $(INSTALLED)
	@$(RUN) demos/translate.py --out out

test: $(INSTALLED)
	@$(RUN) -m pytest -n 2 -m "not slow"

slow: $(INSTALLED)
	@$(RUN) -m pytest -m slow -s

reliability: $(INSTALLED)
	@$(RUN) -m benchmarks.reliability

lab: $(INSTALLED)
	@$(RUN) -m attendo lab run --all --quick --out docs/lab

check: $(INSTALLED)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

format: $(INSTALLED)
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "attendo needs Python 3.11 or newer, this is %d.%d: make PYTHON=python3.12" % sys.version_info[:2])'
	@echo "Installing into $(VENV) (once; PyTorch is large) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(RUN) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[train,words,dev]'
	@touch $@

clean:
	rm -rf $(VENV) out build dist *.egg-info
