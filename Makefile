# make demo       translate a few sentences in all four directions; a light install is enough, without PyTorch
# make install    PyTorch and all that training, inspecting, the lab and the tests need; the targets below call it
# make test       the whole suite
# make test-page  the server's page in Chromium, which must be on the machine
# make check      lint, format and types
# make slow       the tests that take long (they need corpora in $ATTENDO_DATA)
# make explore    the whole suite with examples that no run before has drawn
# make lab        run the claims of the lecture notes and write docs/lab
# make drawings   draw what `attendo draw` draws, in both languages, into docs/figures
# make reliability   run the tests and write the numbers they give to docs/reliability.md
# Everything is installed into .venv inside the project, once; a second run starts at once.

PYTHON ?= python3
VENV := .venv
LIGHT := $(VENV)/installed-light
FULL := $(VENV)/installed
PAGE := $(VENV)/installed-page
RUN := $(VENV)/bin/python
PIP_INSTALL := $(RUN) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

.PHONY: demo install test test-page slow explore check format lab drawings reliability clean

# Who has the full install needs no light one.
demo: $(if $(wildcard $(FULL)),$(FULL),$(LIGHT))
	@$(RUN) demos/translate.py --out out

install: $(FULL)

test: $(FULL)
	@$(RUN) -m pytest -n 2 -m "not slow and not page"

test-page: $(PAGE)
	@$(RUN) -m pytest tests/page -m "page and not slow" -rs

slow: $(FULL)
	@$(RUN) -m pytest -m slow -s

explore: $(FULL)
	@$(RUN) -m pytest -n 2 -m "not slow and not page" --hypothesis-profile anew

reliability: $(FULL)
	@$(RUN) -m benchmarks.reliability

lab: $(FULL)
	@$(RUN) -m attendo lab run --all --store --out docs/lab

drawings: $(FULL)
	@$(RUN) -m benchmarks.drawings

check: $(FULL)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

format: $(FULL)
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

$(RUN):
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "attendo needs Python 3.11 or newer, this is %d.%d: make PYTHON=python3.12" % sys.version_info[:2])'
	@$(PYTHON) -m venv $(VENV)

$(LIGHT): pyproject.toml constraints.txt | $(RUN)
	@echo "Installing into $(VENV), once: 70 MB to download, 300 MB on disk, half a minute besides the download. No PyTorch."
	@$(PIP_INSTALL) .
	@touch $@

$(FULL): pyproject.toml constraints.txt | $(RUN)
	@echo "Installing PyTorch and all tools into $(VENV), once: 1.9 GB on disk with PyTorch's build for CPUs; its build for"
	@echo "NVIDIA GPUs, which pip takes on Linux unless it is told otherwise, has several GB more. This takes some minutes."
	@$(PIP_INSTALL) '.[train,words,serve,files,bulk,dev]'
	@touch $@

$(PAGE): $(FULL)
	@echo "Installing Playwright for Python and axe-core into $(VENV), once: 50 MB to download. No browser: Chromium is the system's."
	@$(PIP_INSTALL) '.[page]'
	@touch $@

clean:
	rm -rf $(VENV) out build dist *.egg-info
