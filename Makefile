# The loop in commands; meson does the building. `make help` lists them.
BUILD ?= build
.DEFAULT_GOAL := build

.PHONY: help setup build test reproduce-tables calibrate check bench install clean
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 20
setup: ## install the Debian packages that are missing
	@tools/setup
$(BUILD)/build.ninja: | setup
	@meson setup $(BUILD) >/dev/null || { meson setup $(BUILD); exit 1; }
build: $(BUILD)/build.ninja ## build the program
	@ninja -C $(BUILD) --quiet
