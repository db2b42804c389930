# The verbs of this project. `make demo` and `make test` need nothing but Rust; what else they can use, they set up.

UNMOLD := cargo run --quiet --release --package unmold-cli --
CORPUS := ../corpus
FUZZ_SECONDS ?= 60

.PHONY: help demo test check bench fuzz eval corpus python chromium

help:
	@echo "make demo    strip a bundled site, show one page before and after"
	@echo "make test    set up what the tests need and run all of them"
	@echo "make check   formatting, lints, documentation"
	@echo "make bench   speed of each stage, as ratios"
	@echo "make fuzz    every fuzz target for FUZZ_SECONDS (default 60)"
	@echo "make eval    scores on the bundled sites, and on $(CORPUS) if it is there"

demo:
	@cargo build --quiet --release --package unmold-cli
	@echo "=== before: the text of one page"
	@$(UNMOLD) clean --quiet --format text fixtures/wiki/pages/callow-lighthouse.html | head -n 60
	@echo
	@echo "=== after: the same page, the template learned from its site"
	@$(UNMOLD) clean --quiet --format text --site wiki fixtures/wiki/pages -o out/wiki
	@cat out/wiki/callow-lighthouse.txt
	@echo
	@echo "All pages are in out/wiki; \`cargo run --release -p unmold-cli -- --help\` shows what else there is."

# Tests that need something from outside the repository have names that say so, and are left out when it is missing.
test: python chromium corpus
	@skip=""; \
	[ -d ../shared/vectors ] || { skip="$$skip --skip needs_shared"; echo "skipped: tests that need ../shared"; }; \
	[ -d $(CORPUS)/sites ] || { skip="$$skip --skip needs_corpus"; echo "skipped: tests that need the corpus"; }; \
	[ -x .venv/bin/python ] || { skip="$$skip --skip needs_python"; echo "skipped: tests that need Python with warcio"; }; \
	command -v chromium >/dev/null || { skip="$$skip --skip needs_chromium"; echo "skipped: tests that need chromium"; }; \
	UNMOLD_PYTHON="$(CURDIR)/.venv/bin/python" cargo test --workspace --features unmold-cli/parquet -- $$skip

# WARC files written by another tool than ours, for the tests that read them.
python: .venv/ready

.venv/ready:
	@if command -v python3 >/dev/null && python3 -m venv .venv && .venv/bin/pip install --quiet warcio; \
	then touch .venv/ready; else rm -rf .venv; echo "no Python 3 with venv and pip here"; fi

# A browser, for the tests of real geometry. Only where packages may be installed without asking.
chromium:
	@if ! command -v chromium >/dev/null; then \
		if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; \
		then { apt-get install -y --no-install-recommends chromium || { apt-get update && apt-get install -y --no-install-recommends chromium; }; } >/dev/null 2>&1 || echo "chromium cannot be installed here"; \
		else echo "no chromium here, and no right to install it"; fi; fi

# Labelled real pages, when they lie beside the repository. They are never part of it.
corpus:
	@if [ -x ../shared/corpus/unpack ] && [ ! -d $(CORPUS)/sites ]; then ../shared/corpus/unpack $(CORPUS); fi

check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --features unmold-cli/parquet -- --deny warnings
	cargo clippy --package unmold-cli -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps

bench: corpus
	@if [ -d $(CORPUS)/sites ]; then UNMOLD_PAGES=$(CURDIR)/$(CORPUS) cargo bench --package unmold; else cargo bench --package unmold; fi

fuzz:
	@command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
	@for target in parse warc template learn_strip; do \
		echo "=== fuzz $$target for $(FUZZ_SECONDS) s"; \
		cargo fuzz run --sanitizer none $$target -- -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -timeout=20 -rss_limit_mb=4096 || exit 1; \
	done

eval: corpus
	$(UNMOLD) eval fixtures
	@if [ -d $(CORPUS)/sites ]; then $(UNMOLD) eval $(CORPUS); fi
