# situ, from a fresh clone. Needs cargo, make, and Python 3.10 or newer with venv; everything else is fetched from the
# package registries into .venv and target. Start with `make demo`.
#
#   make test PYTHON=python3.13 VENV=.venv-3.13     use another Python, in an environment of its own
#   make bench ARGS=--help                          pass arguments on to the command
#   make test-python PROFILE=release                test the build that users get; `work` is quicker to build
#   make gpu-bundle; make test-gpu PYTHON=python3   build here, test on a machine with a GPU and no network

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
CARGO  ?= cargo

# `work` rebuilds in seconds. What is shown, measured or handed out is built for release, and so is what CI tests.
PROFILE ?= work

# Everything Python happens in $(VENV), whatever environment the caller has active.
export VIRTUAL_ENV := $(abspath $(VENV))
unexport CONDA_PREFIX PYTHONHOME PYTHONPATH

# Stamps: an environment with the build tool, the tools on top, and situ itself built and linked into it. Each profile
# has a stamp of its own, and the older ones go when another is built: only one build is linked at a time.
ENVIRONMENT := $(VENV)/.environment
TOOLS       := $(VENV)/.tools
OPENCL      := $(VENV)/.opencl
INSTALLED   := $(VENV)/.situ-$(PROFILE)
RELEASED    := $(VENV)/.situ-release
RUST        := $(shell find crates -type f) Cargo.toml Cargo.lock

# Intel's OpenCL driver and a loader, from the package registry; with DRIVERS=all beside those that the system has, whose compilers
# may take much longer.
WITH_OPENCL := icd="$(abspath $(VENV))/lib/libintelocl.so"; \
  if [ -f "$$icd" ]; then \
    $(if $(filter all,$(DRIVERS)),,export OCL_ICD_VENDORS="$(abspath $(VENV))/no-drivers";) \
    export OCL_ICD_FILENAMES="$$icd" LD_LIBRARY_PATH="$(abspath $(VENV))/lib$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}"; \
  else echo "not tested on Intel's OpenCL driver: $$(cat $(OPENCL))"; fi;

# The bindings hold no logic and so have no Rust tests: Python tests them.
TESTED := --workspace --exclude situ-python --features situ/ndarray

.DEFAULT_GOAL := help
.PHONY: help demo bench accuracy wheel gpu-bundle check check-rust check-python format test test-rust test-python \
        test-opencl test-gpu conformance fuzz fuzz-kernels loom valgrind clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(RELEASED) ## build situ and show what it does
	$(BIN)/python -m situ demo $(ARGS)

bench: $(RELEASED) ## compare with NumPy on this machine
	$(BIN)/python -m situ bench $(ARGS)

accuracy: $(TOOLS) $(RELEASED) ## measure errors in ulp against mpmath, and write docs/accuracy.md
	$(BIN)/python tools/accuracy.py $(ARGS)

wheel: $(ENVIRONMENT) ## one abi3 wheel for Python 3.10 and newer, into dist/
	$(BIN)/maturin build --release --locked --out dist

# NumPy stays out: the machine with the GPU has one that suits its other libraries.
BUNDLE     := gpu-bundle
GPU_PYTHON ?= 3.12
gpu-bundle: wheel ## the wheel and what its tests need, into gpu-bundle/, to be taken to a machine with a GPU
	$(BIN)/python tools/requirements.py test | grep -v '^numpy' > $(VENV)/bundle.txt
	rm -rf $(BUNDLE)
	$(BIN)/python -m pip install --quiet --no-compile --target $(BUNDLE) --python-version $(GPU_PYTHON) \
	  --only-binary=:all: --requirement $(VENV)/bundle.txt
	$(BIN)/python -m pip install --quiet --no-compile --target $(BUNDLE) --upgrade --no-deps "$$(ls -t dist/situ-*.whl | head -n 1)"
	du -sh $(BUNDLE)

check: check-rust check-python ## formatting, lints, documentation, types

check-rust: $(ENVIRONMENT) ## the Rust half of check
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets --features situ/ndarray -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --features situ/ndarray
	@if $(CARGO) deny --version >/dev/null 2>&1; then \
	  echo "$(CARGO) deny --offline check bans licenses sources"; \
	  $(CARGO) deny --offline check bans licenses sources; \
	else echo "cargo-deny is not installed: licences and sources of dependencies not checked"; fi

check-python: $(TOOLS) $(INSTALLED) ## the Python half of check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	MYPYPATH=python $(BIN)/mypy --config-file= --strict tests/typing
	$(BIN)/python tools/stubs.py --check
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml --allowlist tools/stubtest-allowlist.txt situ

format: $(TOOLS) $(INSTALLED) ## put the code into the shape check asks for
	$(CARGO) fmt --all
	$(BIN)/python tools/stubs.py
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

test: test-rust loom test-python test-opencl ## every test but for those that only test-gpu runs, and most of test-opencl's

# Kernels are compiled in the tests wherever there is a compiler for them, be there a GPU or not.
test-rust: $(TOOLS) ## Rust tests and documentation examples
	@nvrtc=$$(ls -d "$(abspath $(VENV))"/lib/python*/site-packages/nvidia/*/lib 2>/dev/null | head -n 1); \
	if [ -n "$$nvrtc" ]; then export SITU_NVRTC="$$nvrtc" SITU_REQUIRE_NVRTC=1; fi; \
	if $(CARGO) nextest --version >/dev/null 2>&1; then run="nextest run"; else run="test --lib --bins --tests"; fi; \
	echo "$(CARGO) $$run $(TESTED)"; $(CARGO) $$run $(TESTED)
	$(CARGO) test --doc $(TESTED)

test-python: $(TOOLS) $(INSTALLED) ## Python tests and the examples in docstrings
	$(BIN)/python -m pytest -n 2 $(ARGS)

define ANY_OPENCL
import sys, situ
if not situ.get_num_devices("opencl"):
    print("not tested on OpenCL:", situ.availability()["opencl"])
    sys.exit(3)
endef
export ANY_OPENCL

# Each combination of dtypes and layouts is compiled first: ten minutes for all of them on Intel's driver, half an hour on PoCL.
SHARE ?= 16
test-opencl: $(TOOLS) $(OPENCL) $(INSTALLED) ## some kernels and a sixteenth of the tests of arrays, on Intel's OpenCL driver; all tests with SHARE=1, on every driver with DRIVERS=all
	@$(WITH_OPENCL) $(BIN)/python -c "$$ANY_OPENCL" || { [ $$? = 3 ]; exit; }; \
	echo "$(CARGO) test -p situ-codegen --test compile_opencl"; \
	$(CARGO) test --quiet -p situ-codegen --test compile_opencl || exit; \
	echo "python -m pytest -n 2 tests $(ARGS)"; \
	SITU_TEST_BACKENDS=opencl SITU_TEST_PROFILE=brief SITU_TEST_SHARE=$(SHARE) \
	$(BIN)/python -m pytest -n 2 --dist worksteal tests $(ARGS)

# dpctl's tests come out of its wheel; ARRAY_API_TESTS names a checkout of data-apis/array-api-tests with its submodule.
conformance: $(TOOLS) $(INSTALLED) ## the tests of dpctl, and with ARRAY_API_TESTS=... the Array API's, against docs/differences.md
	$(if $(ARRAY_API_TESTS),$(BIN)/python -m pip install --quiet --requirement $(ARRAY_API_TESTS)/requirements.txt)
	$(BIN)/python tools/conformance $(if $(ARRAY_API_TESTS),--array-api-tests $(ARRAY_API_TESTS)) $(ARGS)

MINUTES ?= 10
fuzz: $(TOOLS) $(INSTALLED) ## every property test with random seeds, on every device, for MINUTES=10
	SITU_TEST_PROFILE=fuzz $(BIN)/python tools/fuzz.py --minutes $(MINUTES) $(ARGS)

PROGRAMS ?= 10000
fuzz-kernels: $(TOOLS) $(INSTALLED) ## random kernels in plain Python and on every device, PROGRAMS=10000 of them
	$(BIN)/python tools/fuzz_kernels.py --programs $(PROGRAMS) $(ARGS)

# Needs Python with NumPy, a GPU, and what gpu-bundle made (or the same installed); no Rust and no network. Kernels are
# compiled as tests come to them, which is most of the work, so that several processes pay.
GPU_JOBS ?= 8
test-gpu: ## every Python test where there is a GPU, from an installed wheel: make test-gpu PYTHON=python3
	PYTHONPATH=$(abspath $(BUNDLE)) $(PYTHON) -c 'import situ; print(situ.select_gpu_device(), situ.__file__)'
	PYTHONPATH=$(abspath $(BUNDLE)) PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTEST_ADDOPTS="-p xdist -p _hypothesis_pytestplugin" \
	  $(PYTHON) -m pytest -n $(GPU_JOBS) --dist worksteal --pyargs tests situ $(ARGS)

# loom replaces threads and atomics when it is compiled in, so its build cannot be shared. Link-time optimisation would
# cost more than the models take to run, and so would optimising the mathematics that no model calls.
UNMODELLED := faer rustfft situ-linalg situ-codegen
loom: export RUSTFLAGS += --cfg loom
loom: export CARGO_TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)/loom
loom: export CARGO_PROFILE_RELEASE_LTO := off
loom: QUICK := $(foreach each,$(UNMODELLED),--config profile.release.package.$(each).opt-level=0)
loom: ## model checks: every interleaving of the lock-free parts
	$(CARGO) test $(QUICK) --release --lib --tests -p situ-runtime -p situ-cpu loom_
	@$(CARGO) test --quiet $(QUICK) --release --lib --tests -p situ-runtime -p situ-cpu loom_ -- --list | grep ': test$$' \
	  >/dev/null || { echo "no model check ran: their names must contain loom_"; exit 1; }

# valgrind knows AVX2 but not AVX-512, and runs one thread at a time. A forked child has lost the stacks of the other
# threads, so that what they held looks leaked there: the tests that fork are left out.
MEMCHECK := valgrind --quiet --error-exitcode=99 --fair-sched=yes --leak-check=full \
            --show-leak-kinds=definite --errors-for-leak-kinds=definite
valgrind: export SITU_CPU_ISA := avx2
valgrind: export PROPTEST_CASES := 8
valgrind: ## the Rust tests of the crates with unsafe code, under memcheck
	@command -v valgrind >/dev/null || { echo "valgrind is not installed; your system's package is called valgrind"; exit 1; }
	$(CARGO) test --config 'target."cfg(unix)".runner = "$(MEMCHECK)"' --lib --tests \
	  --no-fail-fast -p situ-hal -p situ-cpu -p situ-runtime -- --test-threads=1 --skip tests::linux:: $(ARGS)

clean: ## remove everything these targets made
	rm -rf target dist $(BUNDLE) $(VENV) .pytest_cache .hypothesis .ruff_cache .mypy_cache
	find python tests tools \( -name __pycache__ -o -name '_native*.so' \) -prune -exec rm -rf {} +

$(ENVIRONMENT): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo "situ needs Python 3.10 or newer; name one with: make $(or $(MAKECMDGOALS),demo) PYTHON=python3.12"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python tools/requirements.py build > $(VENV)/build.txt
	$(BIN)/python -m pip install --quiet --requirement $(VENV)/build.txt
	@touch $@

# Not an error where it cannot be had; the stamp says why.
$(OPENCL): $(ENVIRONMENT)
	@$(BIN)/python tools/requirements.py opencl > $(VENV)/opencl.txt
	@if $(BIN)/python -m pip install --quiet --requirement $(VENV)/opencl.txt 2> $(VENV)/opencl.log; then \
	  echo "there is none for this machine" > $@; \
	else tail -n 1 $(VENV)/opencl.log > $@; fi

$(TOOLS): $(ENVIRONMENT)
	$(BIN)/python tools/requirements.py test dev > $(VENV)/tools.txt
	$(BIN)/python -m pip install --quiet --requirement $(VENV)/tools.txt
	@touch $@

$(VENV)/.situ-%: $(ENVIRONMENT) $(RUST) pyproject.toml
	$(BIN)/maturin develop --profile $* --locked
	@rm -f $(VENV)/.situ-*
	@touch $@
