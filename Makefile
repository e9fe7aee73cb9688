# The loop in commands; meson does the building, tools/setup the packages. `make help` lists them.
#
# BUILD=dir      where to build (default: build)
# OPTIONS=...    for `meson setup`, e.g. OPTIONS='-Dbuildtype=debugoptimized -Db_sanitize=address,undefined'
# PREFIX=/usr/local  DESTDIR=   for `make install`
BUILD ?= build
OPTIONS ?=
PREFIX ?= /usr/local
DESTDIR ?=
BINARY = $(BUILD)/tools/faultline/faultline
TABLES = $(BUILD)/tables

SHELL = bash
.SHELLFLAGS = -o pipefail -c
.DEFAULT_GOAL := build
.PHONY: help setup build test reproduce-tables reproduce-paper calibrate check bench fuzz verify matrix mutants coverage install uninstall clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 20

setup: ## install the Debian packages that are missing (root), or say which (others)
	@tools/setup build

$(BUILD)/build.ninja: | setup
	@log=$$(meson setup $(OPTIONS) "$(BUILD)") || { printf '%s\n' "$$log" >&2; rm -f "$@"; exit 1; }

build: setup $(BUILD)/build.ninja ## build the program
	@ninja -C "$(BUILD)" --quiet | sed '/^ninja: no work to do/d'

test: build ## every test but the slow checks; ends with `N passed, N failed`
	@tests/run "$(BUILD)"

reproduce-tables: build ## tables 1a and 1b of the paper beside ours, and their plots, in build/tables/
	@tools/reproduce-tables "$(BINARY)" "$(TABLES)"
	@plots/tables "$(TABLES)"

reproduce-paper: reproduce-tables ## the other tables of the paper and their plots, too, in the same database
	@echo
	@tools/reproduce-paper "$(BINARY)" "$(TABLES)"
	@plots/paper "$(TABLES)"

calibrate: build ## fit what the paper leaves open to its tables
	@tools/calibrate "$(BINARY)" "$(BUILD)/calibrate"

check: ## before a commit: format, tidy, layers, headers, lengths, words
	@tools/setup build check
	@$(MAKE) --no-print-directory build
	@tests/run "$(BUILD)" --suite style --suite lint

bench: build ## how fast it simulates
	@ninja -C "$(BUILD)" --quiet tests/bench_queue && "$(BUILD)/tests/bench_queue"
	@ninja -C "$(BUILD)" --quiet tests/bench_variates && "$(BUILD)/tests/bench_variates"
	@tests/bench/cells "$(BINARY)"
	@ninja -C "$(BUILD)" --quiet tests/bench_bare && "$(BUILD)/tests/bench_bare"
	@tests/bench/growth "$(BINARY)" "$(BUILD)/bench"
	@tests/bench/sweep "$(BINARY)"
	@tests/bench/tape "$(BINARY)"
	@tests/bench/merge "$(BINARY)"
	@tests/bench/shards "$(BINARY)"
	@tests/bench/ages "$(BINARY)"
	@ninja -C "$(BUILD)" --quiet tests/bench_timers && "$(BUILD)/tests/bench_timers"

verify: build ## does this build agree with theory? the analytic tests with fresh seeds (VERIFY_SEED= repeats), every p-value, a verdict
	@tests/verify "$(BUILD)"

# Builds of their own, beside $(BUILD).
FUZZ_BUILD = $(BUILD)-fuzz
FUZZ_TARGETS = $(patsubst tests/fuzz/%.c,tests/%,$(wildcard tests/fuzz/fuzz_*.c))

fuzz: ## each fuzz target for FUZZ_SECONDS (60) under libFuzzer, ASan and UBSan; findings in build-fuzz/findings
	@tools/setup build clang
	@[[ -e $(FUZZ_BUILD)/build.ninja ]] || CC=clang meson setup -Dfuzz=true -Dbuildtype=debugoptimized -Db_lundef=false \
	    -Db_sanitize=address,undefined $(FUZZ_BUILD) >/dev/null
	@ninja -C $(FUZZ_BUILD) --quiet $(FUZZ_TARGETS) tools/faultline/faultline
	@tests/fuzz/run $(FUZZ_BUILD)

matrix: ## the same bytes from every compiler, optimisation, number of threads, locale and time zone
	@tools/setup build matrix
	@tests/matrix

mutants: ## planted faults: is each caught by some test?
	@tools/setup build
	@tests/mutants/run

coverage: ## which lines and branches of sim/ and models/ the tests take
	@tools/setup build coverage
	@tests/coverage

install: build ## install under PREFIX (DESTDIR is honoured)
	@meson configure "$(BUILD)" --prefix "$(PREFIX)" && ninja -C "$(BUILD)" --quiet all >/dev/null
	@DESTDIR="$(DESTDIR)" meson install -C "$(BUILD)" --no-rebuild --quiet

uninstall: ## remove what the last `make install` from this folder installed
	@ninja -C "$(BUILD)" --quiet uninstall >/dev/null

clean: ## remove what was built
	@rm -rf "$(BUILD)"
