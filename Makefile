# `make demo` and `make test` need only Rust. What else they can use, they set up.

UNMOLD := cargo run --quiet --release --package unmold-cli --
LAB := cargo run --quiet --release --package unmold-lab --
CORPUS := ../corpus
PUBLIC := ../corpus-public
FEATURES := unmold-cli/parquet,unmold-cli/search,unmold-cli/view
FUZZ_SECONDS ?= 60

# Installs Debian packages.
apt-install = echo "installing the Debian packages $(1)"; { apt-get install -y --no-install-recommends $(1) || \
	{ apt-get update && apt-get install -y --no-install-recommends $(1); }; } >/dev/null 2>&1

.PHONY: help pgo demo test test-viewer screenshots bench-viewer node test-python java check bench \
	hostile deny fuzz eval guards report results peers corpus corpus-public python \
	chromium

help:
	@echo "make demo    strip a bundled site and show one page before and after"
	@echo "make test    set up what the tests need and run them all"
	@echo "make test-viewer   only the browser tests of the viewer"
	@echo "make screenshots   update docs/viewer/"
	@echo "make check   formatting, lints, documentation"
	@echo "make bench   speed of each stage, as ratios"
	@echo "make pgo     build the command with profile-guided optimisation: about a sixth less time"
	@echo "make fuzz    every fuzz target for FUZZ_SECONDS (default 60)"
	@echo "make hostile every command on every hostile page and archive, with a table"
	@echo "make eval    fail if a score is below its floor (eval/baseline.json)"
	@echo "make guards  fail if a single method is ahead of the default on a set"
	@echo "make report  run the papers' experiments on $(CORPUS) and $(PUBLIC): out/eval/report.html"
	@echo "make results the same, and write docs/results.md and the table of the README"
	@echo "make peers   run other tools on the same pages, for make report"
	@echo "make corpus-public   fetch manuals from Debian packages, a corpus that everybody can use"

demo:
	@echo "=== building the command"
	@cargo build --quiet --release --package unmold-cli
	@echo "=== before: the text of one page"
	@# With one page only, chunk frequency has nothing to compare it with and removes nothing.
	@$(UNMOLD) clean --quiet --format text --method chunk-frequency \
		fixtures/wiki/pages/callow-lighthouse.html | head -n 60
	@echo
	@echo "=== after: the same page, the template learned from its site"
	@$(UNMOLD) clean --quiet --format text --site wiki fixtures/wiki/pages -o out/wiki
	@cat out/wiki/callow-lighthouse.txt
	@echo
	@echo "All pages are in out/wiki. For more: cargo run --release -p unmold-cli -- --help"

pgo:
	@tools/pgo.sh

# Tests that need something from outside the repository have names that say so. They are skipped
# when it is missing.
test: python chromium corpus
	@skip=""; \
	without() { skip="$$skip --skip needs_$$1"; echo "skipped: tests that need $$2"; }; \
	[ -d ../shared/html5lib-tests ] || without shared ../shared/html5lib-tests; \
	[ -d $(CORPUS)/sites ] || without corpus "the corpus"; \
	[ -x .venv/bin/python ] || without python "Python with warcio and scikit-learn"; \
	command -v chromium >/dev/null || without chromium chromium; \
	echo "=== building and running the tests of the crates"; \
	UNMOLD_PYTHON="$(CURDIR)/.venv/bin/python" \
		cargo test --workspace --features $(FEATURES) -- $$skip
	@echo "=== tests of the viewer in a browser"
	@$(MAKE) --no-print-directory test-viewer
	@echo "=== building and testing the Python package"
	@$(MAKE) --no-print-directory test-python
	@echo "=== scores against their floors"
	@$(MAKE) --no-print-directory eval

# Builds the wheel of the Python package and tests it in its own environment: against the command,
# on a local Spark cluster, and with datatrove. The command is the one of the other tests, and the
# wheel has their profile: optimising both again would take longer than everything else here.
test-python: .venv-py/ready java
	@if [ -x .venv-py/bin/python ]; then \
		cargo test --quiet --workspace --features $(FEATURES) --no-run && \
		rm -rf out/wheels && \
		.venv-py/bin/maturin build --quiet --profile dev --out out/wheels && \
		.venv-py/bin/pip install --quiet --force-reinstall --no-deps out/wheels/unmold-*.whl && \
		UNMOLD="$${CARGO_TARGET_DIR:-$(CURDIR)/target}/debug/unmold" \
			.venv-py/bin/python -m pytest -rs; \
	else echo "skipped: tests of the Python package"; fi

.venv-py/ready:
	@echo "installing the packages of python/tests/requirements.txt in .venv-py"
	@if command -v python3 >/dev/null && python3 -m venv .venv-py && \
		.venv-py/bin/pip install --quiet -r python/tests/requirements.txt; \
	then touch .venv-py/ready; \
	else rm -rf .venv-py; echo "no Python 3.10 with venv and pip, or no packages"; fi

# For Spark. Installs packages only as root.
java:
	@if ! command -v java >/dev/null; then \
		if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; \
		then $(call apt-install,openjdk-17-jre-headless) || echo "cannot install java"; \
		else echo "no java, and no permission to install it"; fi; fi

# Tests the viewer in a browser. Builds the command with the same packages as the other tests, which
# avoids building its dependencies a second time. Needs Node, playwright-core and chromium.
VIEWER := crates/unmold-cli/tests/viewer
test-viewer: chromium node
	@if [ -d $(VIEWER)/node_modules/playwright-core ] && command -v chromium >/dev/null; \
	then cargo test --quiet --workspace --features $(FEATURES) --no-run && \
		cd $(VIEWER) && node --test; \
	else echo "skipped: browser tests of the viewer, which need node, npm and chromium"; fi

# Screenshots for docs/viewer.md. Look at them before committing.
screenshots:
	@mkdir -p docs/viewer
	@UNMOLD_SCREENSHOTS=$(CURDIR)/docs/viewer $(MAKE) --no-print-directory test-viewer

# Load time of a page, and the viewer with 100 000 pages: the figures in docs/viewer.md.
bench-viewer: chromium node
	cargo build --quiet --release --package unmold-cli --features view
	UNMOLD_BIN=$${CARGO_TARGET_DIR:-$(CURDIR)/target}/release/unmold node $(VIEWER)/bench.mjs

# Installs packages only as root.
node:
	@if ! command -v npm >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; \
	then $(call apt-install,nodejs npm) || echo "cannot install node"; fi
	@if command -v npm >/dev/null && [ ! -d $(VIEWER)/node_modules/playwright-core ]; \
	then echo "installing playwright-core in $(VIEWER)/node_modules"; npm ci --prefix $(VIEWER) --silent --no-audit --no-fund || \
		echo "cannot install playwright-core"; fi

# Tools that the tests compare with: warcio writes WARC files, scikit-learn clusters and classifies,
# opensearch-py reads exports, lxml applies exported rules.
python: .venv/ready

.venv/ready:
	@echo "installing warcio, scikit-learn, opensearch-py, lxml and cssselect in .venv"
	@if command -v python3 >/dev/null && python3 -m venv .venv && \
		.venv/bin/pip install --quiet warcio scikit-learn opensearch-py lxml cssselect; \
	then touch .venv/ready; else rm -rf .venv; echo "no Python 3 with venv and pip"; fi

# A browser, for the tests of geometry and of the viewer. Installs packages only as root.
chromium:
	@if ! command -v chromium >/dev/null; then \
		if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; \
		then $(call apt-install,chromium) || echo "cannot install chromium"; \
		else echo "no chromium, and no permission to install it"; fi; fi

# Labelled real pages, if they are next to the repository. They are never part of it.
corpus:
	@if [ -x ../shared/corpus/unpack ] && [ ! -d $(CORPUS)/sites ]; \
	then ../shared/corpus/unpack $(CORPUS); fi

check: deny
	cargo fmt --all --check
	python3 tools/check_columns.py
	python3 tools/check_architecture.py
	cargo clippy --workspace --all-targets --features $(FEATURES) -- --deny warnings
	cargo clippy --package unmold-cli -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps

bench: corpus
	@$(if $(wildcard $(CORPUS)/sites),UNMOLD_PAGES=$(abspath $(CORPUS))) cargo bench --package unmold-html --package unmold

# Pages and archives made to stop a run, in the long form. The tests run the short one.
hostile:
	UNMOLD_HOSTILE=long cargo test --release --package unmold-cli --features $(FEATURES) \
		--test hostile -- --nocapture --test-threads 1

# Licences, sources and duplicates of the dependencies, and advisories about them where the database
# is to be had.
deny:
	@if ! command -v cargo-deny >/dev/null; \
	then echo "skipped: cargo deny (cargo install --locked cargo-deny)"; exit 0; fi; \
	cargo deny --log-level error check bans licenses sources || exit 1; \
	if cargo deny fetch db >/dev/null 2>&1; then cargo deny check advisories; \
	else echo "skipped: advisories, whose database cannot be reached"; fi

FUZZ_TARGETS := parse parsers warc jsonl parquet template store learn_strip sections markdown search

# Each target, from inputs made of the bundled sites, and the boundary of the Python package where it
# is installed. `cargo fuzz` works with the stable compiler if it needs no sanitizer.
fuzz:
	@command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
	@cargo build --quiet --release --package unmold-cli
	@python=.venv-py/bin/python; [ -x $$python ] || python=python3; \
		$$python tools/fuzz_seeds.py $${CARGO_TARGET_DIR:-target}/release/unmold fuzz/corpus
	@for target in $(FUZZ_TARGETS); do \
		echo "=== fuzz $$target for $(FUZZ_SECONDS) s"; \
		cargo fuzz run --sanitizer none $$target -- -max_total_time=$(FUZZ_SECONDS) \
			-max_len=65536 -timeout=20 -rss_limit_mb=4096 -verbosity=0 -print_final_stats=1 \
			|| exit 1; \
	done
	@if [ -x .venv-py/bin/python ]; then echo "=== fuzz the Python package for $(FUZZ_SECONDS) s"; \
		.venv-py/bin/python python/tests/boundary.py $(FUZZ_SECONDS); \
	else echo "skipped: fuzzing of the Python package (make test-python)"; fi

# Compares scores on the bundled sites and on a fixed part of the corpus with their floors.
# `ARGS=--pin` raises the floors.
eval: corpus
	$(LAB) eval --baseline eval/baseline.json fixtures $(wildcard $(CORPUS)) $(ARGS)
	@$(MAKE) --no-print-directory guards GUARD_SETS="sites2 docs big9"

# The default against the methods it is made of, from 4, 8, 24 and all pages. Without GUARD_SETS all
# sets take some minutes.
GUARD_SETS := sites sites-neutral sites2 sites2-neutral docs docs-neutral big9 dragnet \
	cleanportaleval swde
guards: corpus
	@if [ -d $(CORPUS)/sites2 ]; then \
		$(LAB) eval $(CORPUS) --quiet --experiment guards --known-broken eval/known-broken.txt \
			$(addprefix --method ,auto tree-mapping alignment chunk-frequency line-frequency) \
			$(addprefix --set ,$(GUARD_SETS)); \
	else echo "skipped: the default against its parts, which needs the corpus"; fi

# One page with every table and figure, for the sets and outputs of other tools that are found.
report: corpus
	$(LAB) eval --all $(or $(wildcard $(CORPUS)) $(wildcard $(PUBLIC)),fixtures) \
		$(if $(wildcard out/peers),--peers out/peers) --report out/eval $(ARGS)
	@echo "out/eval/report.html"

# The results under version control, all from one run.
results: report
	cp out/eval/results.md docs/results.md
	python3 tools/readme_table.py out/eval/results.json README.md

# Tools that look at one page at a time, with pinned versions, in their own virtual environment.
peers: corpus
	@[ -x out/peers-venv/bin/python ] || python3 -m venv out/peers-venv
	out/peers-venv/bin/pip install --quiet trafilatura==2.3.1 resiliparse==1.1.0 \
		readability-lxml==0.9 jusText==3.0.2
	out/peers-venv/bin/python tools/peers.py $(CORPUS) out/peers
	cargo run --quiet --release --package unmold-lab --features peers --example dom_smoothie -- \
		$(CORPUS) out/peers

corpus-public:
	tools/corpus_public.sh $(PUBLIC)
