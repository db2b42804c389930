# The verbs of this project. `make demo` and `make test` need nothing but Rust; what else they can use, they set up.

UNMOLD := cargo run --quiet --release --package unmold-cli --
LAB := cargo run --quiet --release --package unmold-lab --
CORPUS := ../corpus
PUBLIC := ../corpus-public
FEATURES := unmold-cli/parquet,unmold-cli/search,unmold-cli/view
FUZZ_SECONDS ?= 60

.PHONY: help pgo demo test test-viewer screenshots bench-viewer node test-python java check bench fuzz eval report results peers corpus corpus-public python chromium

help:
	@echo "make demo    strip a bundled site, show one page before and after"
	@echo "make test    set up what the tests need and run all of them"
	@echo "make test-viewer   only the tests of the viewer in a browser; make screenshots renews docs/viewer/"
	@echo "make check   formatting, lints, documentation"
	@echo "make bench   speed of each stage, as ratios"
	@echo "make pgo     the command built by a profile of its own work: about a sixth less time"
	@echo "make fuzz    every fuzz target for FUZZ_SECONDS (default 60)"
	@echo "make eval    fail if a score fell below its floor (eval/baseline.json)"
	@echo "make report  the papers' experiments on $(CORPUS) and $(PUBLIC), as out/eval/report.html"
	@echo "make results the same, then docs/results.md and the table of the README from it"
	@echo "make peers   outputs of other tools on the same pages, for make report"
	@echo "make corpus-public   manuals from Debian packages, to repeat the tables with nobody's permission"

demo:
	@cargo build --quiet --release --package unmold-cli
	@echo "=== before: the text of one page"
	@# Chunk frequency has nothing to compare one page with, and leaves it whole.
	@$(UNMOLD) clean --quiet --format text --method chunk-frequency fixtures/wiki/pages/callow-lighthouse.html | head -n 60
	@echo
	@echo "=== after: the same page, the template learned from its site"
	@$(UNMOLD) clean --quiet --format text --site wiki fixtures/wiki/pages -o out/wiki
	@cat out/wiki/callow-lighthouse.txt
	@echo
	@echo "All pages are in out/wiki; \`cargo run --release -p unmold-cli -- --help\` shows what else there is."

pgo:
	@tools/pgo.sh

# Tests that need something from outside the repository have names that say so, and are left out when it is missing.
test: python chromium corpus
	@skip=""; \
	[ -d ../shared/vectors ] || { skip="$$skip --skip needs_shared"; echo "skipped: tests that need ../shared"; }; \
	[ -d $(CORPUS)/sites ] || { skip="$$skip --skip needs_corpus"; echo "skipped: tests that need the corpus"; }; \
	[ -x .venv/bin/python ] || { skip="$$skip --skip needs_python"; echo "skipped: tests that need Python with warcio and scikit-learn"; }; \
	command -v chromium >/dev/null || { skip="$$skip --skip needs_chromium"; echo "skipped: tests that need chromium"; }; \
	UNMOLD_PYTHON="$(CURDIR)/.venv/bin/python" cargo test --workspace --features $(FEATURES) -- $$skip
	@$(MAKE) --no-print-directory test-viewer
	@$(MAKE) --no-print-directory test-python
	@$(MAKE) --no-print-directory eval

# The Python package: its wheel is built, installed into an environment of its own, and tested there, with the command
# to compare with, a real Spark cluster on this machine, and datatrove.
test-python: .venv-py/ready java
	@if [ -x .venv-py/bin/python ]; then \
		rm -rf out/wheels && .venv-py/bin/maturin build --quiet --release --out out/wheels && \
		.venv-py/bin/pip install --quiet --force-reinstall --no-deps out/wheels/unmold-*.whl && \
		.venv-py/bin/python -m pytest -rs; \
	else echo "skipped: tests of the Python package"; fi

.venv-py/ready:
	@if command -v python3 >/dev/null && python3 -m venv .venv-py && .venv-py/bin/pip install --quiet -r python/tests/requirements.txt; \
	then touch .venv-py/ready; else rm -rf .venv-py; echo "no Python 3.11 with venv and pip here, or no packages"; fi

# For Spark. Only where packages may be installed without asking.
java:
	@if ! command -v java >/dev/null; then \
		if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; \
		then { apt-get install -y --no-install-recommends openjdk-17-jre-headless || { apt-get update && apt-get install -y --no-install-recommends openjdk-17-jre-headless; }; } >/dev/null 2>&1 || echo "java cannot be installed here"; \
		else echo "no java here, and no right to install it"; fi; fi

# The viewer in a browser. The command is built as the other tests built it: any other choice of packages would build its
# dependencies a second time. Needs Node, playwright-core from the package registry, and chromium.
VIEWER := crates/unmold-cli/tests/viewer
test-viewer: chromium node
	@if [ -d $(VIEWER)/node_modules/playwright-core ] && command -v chromium >/dev/null; \
	then cargo test --quiet --workspace --features $(FEATURES) --no-run && cd $(VIEWER) && node --test; \
	else echo "skipped: tests of the viewer in a browser, which need node, npm and chromium"; fi

# Pictures of bundled pages for docs/viewer.md. Look at them before they are committed.
screenshots:
	@mkdir -p docs/viewer && UNMOLD_SCREENSHOTS=$(CURDIR)/docs/viewer $(MAKE) --no-print-directory test-viewer

# How long until a page is seen, and how the viewer copes with 100 000 pages: the figures of docs/viewer.md.
bench-viewer: chromium node
	cargo build --quiet --release --package unmold-cli --features view
	UNMOLD_BIN=$${CARGO_TARGET_DIR:-$(CURDIR)/target}/release/unmold node $(VIEWER)/bench.mjs

# Only where packages may be installed without asking.
node:
	@if ! command -v npm >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; \
	then { apt-get install -y --no-install-recommends nodejs npm || { apt-get update && apt-get install -y --no-install-recommends nodejs npm; }; } >/dev/null 2>&1 || echo "node cannot be installed here"; fi
	@if command -v npm >/dev/null && [ ! -d $(VIEWER)/node_modules/playwright-core ]; \
	then npm ci --prefix $(VIEWER) --silent --no-audit --no-fund || echo "playwright-core cannot be installed here"; fi

# Other tools that the tests compare ours with: warcio writes WARC files, scikit-learn clusters and classifies,
# opensearch-py reads what is exported, lxml applies exported rules.
python: .venv/ready

.venv/ready:
	@if command -v python3 >/dev/null && python3 -m venv .venv && .venv/bin/pip install --quiet warcio scikit-learn opensearch-py lxml cssselect; \
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
	cargo clippy --workspace --all-targets --features $(FEATURES) -- --deny warnings
	cargo clippy --package unmold-cli -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps

bench: corpus
	@$(if $(wildcard $(CORPUS)/sites),UNMOLD_PAGES=$(CURDIR)/$(CORPUS)) cargo bench --package unmold-html --package unmold

fuzz:
	@command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
	@for target in parse parsers warc template learn_strip; do \
		echo "=== fuzz $$target for $(FUZZ_SECONDS) s"; \
		cargo fuzz run --sanitizer none $$target -- -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -timeout=20 -rss_limit_mb=4096 || exit 1; \
	done

# Floors under scores on the bundled sites and on a fixed part of the corpus. `ARGS=--pin` raises them.
eval: corpus
	$(LAB) eval --baseline eval/baseline.json fixtures $(wildcard $(CORPUS)) $(ARGS)

# Every table and figure, one page. Whatever sets and outputs of peers are there.
report: corpus
	$(LAB) eval --all $(or $(wildcard $(CORPUS)) $(wildcard $(PUBLIC)),fixtures) $(if $(wildcard out/peers),--peers out/peers) --report out/eval $(ARGS)
	@echo "out/eval/report.html"

# The figures that are kept under version control, all of one run.
results: report
	cp out/eval/results.md docs/results.md
	python3 tools/readme_table.py out/eval/results.json README.md

# Tools that look at one page at a time, with their versions, in a virtual environment of their own.
peers: corpus
	@[ -x out/peers-venv/bin/python ] || python3 -m venv out/peers-venv
	out/peers-venv/bin/pip install --quiet trafilatura==2.3.1 resiliparse==1.1.0 readability-lxml==0.9 jusText==3.0.2
	out/peers-venv/bin/python tools/peers.py $(CORPUS) out/peers
	cargo run --quiet --release --package unmold-lab --features peers --example dom_smoothie -- $(CORPUS) out/peers

corpus-public:
	tools/corpus_public.sh $(PUBLIC)
