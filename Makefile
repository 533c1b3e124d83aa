# Felt: the few verbs. Each sets up what it needs on a machine with Python 3.11 or newer and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(CURDIR)/$(VENV)/bin
READY  := $(VENV)/.ready
WASM   := host/wasm
GAME   ?=
ROUNDS ?=
SEED   ?=
BOARD  ?=
PORT   ?=
KEY    ?=
TABLE  ?=
MICROPYTHON ?=
OUT    ?= table.uf2
# How many tests run at once.
JOBS   ?= auto
# Python keeps what it compiles, or every test process compiles all modules anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test test-fast test-long bench-emulator setup lint measure mutations flash image picture clean help

help: ## Say what there is
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# exec, because a shell in between would die of the same Ctrl-C and make would complain.
run: setup ## Run a simulated table until Ctrl-C (GAME=poker ROUNDS=5 SEED=7)
	@exec $(BIN)/felt simulate $(if $(GAME),"$(GAME)") --folder build/run $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(SEED),--seed $(SEED))

test: setup ## Run the tests
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test-fast: setup ## Run the tests for daily work, in under a minute
	@FELT_CAMPAIGN=short $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m 'not slow'

test-long: setup ## Run the tests with every campaign at full length
	@FELT_CAMPAIGN=long $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

bench-emulator: setup ## Play every scenario on an emulated Pico, or go on where this was stopped
	@mkdir -p build
	@$(BIN)/felt bench run --target emulator --firmware here --jobs $$(getconf _NPROCESSORS_ONLN) \
		--quiet --keep build/bench-emulator-failures --progress build/bench-emulator.jsonl \
		--html build/bench-emulator.html --junit build/bench-emulator.xml || [ $$? = 3 ]

lint: setup ## Check style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/node $(WASM)/node_modules/pyright/index.js --pythonpath $(BIN)/python
	@$(BIN)/node $(WASM)/node_modules/pyright/index.js --pythonpath $(BIN)/python --project firmware

measure: setup ## Measure speed and memory against what is promised
	@$(BIN)/python -m host.measure

mutations: setup ## Mutate the table's code, and say which mutants the scenarios catch; goes on where it was stopped
	@$(BIN)/python -m host.bench.mutations

flash: setup ## Put the firmware onto a Pico (PORT=/dev/ttyACM0 BOARD=small KEY=t1.key, or TABLE=T1 to make a key)
	@$(BIN)/felt flash $(if $(BOARD),--board "$(BOARD)") $(if $(PORT),--port "$(PORT)") $(if $(KEY),--key "$(KEY)") $(if $(TABLE),--table "$(TABLE)")

image: setup ## Make one file for a blank Pico (BOARD=small MICROPYTHON=pico.uf2 KEY=t1.key OUT=table.uf2)
	@$(BIN)/felt image $(if $(BOARD),--board "$(BOARD)") $(if $(MICROPYTHON),--micropython "$(MICROPYTHON)") $(if $(KEY),--key "$(KEY)") $(if $(TABLE),--table "$(TABLE)") -o "$(OUT)"

picture: setup ## Draw the READMEs' pictures again
	@$(BIN)/felt demo lucky --rounds 1 --seed 54 --svg host/pictures/demo.svg >/dev/null
	@$(BIN)/felt display gallery -o build/gallery >/dev/null
	@cp build/gallery/display.png host/pictures/display.png
	@$(BIN)/python -m host.measure.page_picture host/pictures/page.png

setup: $(READY) ## Install everything into .venv

$(READY): pyproject.toml constraints.txt $(WASM)/package.json $(WASM)/package-lock.json
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Felt needs Python 3.11 or newer; this is `$(PYTHON) --version`. Name another: make PYTHON=python3.12 ..."; exit 1; }
	@echo "Setting up in $(VENV); this takes a minute or two, once."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@cd $(WASM) && PATH="$(BIN):$$PATH" $(BIN)/npm ci --silent --no-audit --no-fund
	@rm -rf felt.egg-info
	@ln -sfn $$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') $(VENV)/device-stubs
	@touch $@

clean: ## Remove what set-up made
	rm -rf $(VENV) $(WASM)/node_modules *.egg-info .pytest_cache .ruff_cache .hypothesis
