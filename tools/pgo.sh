#!/usr/bin/env bash
# Builds the command with profile-guided optimisation as target/pgo/release/unmold. The profile
# comes from runs on the bundled sites. Needs the `llvm-profdata` of rustc's LLVM version: run
# `rustup component add llvm-tools`, or install the system package llvm-NN.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}/pgo
host=$(rustc -vV | sed -n 's/^host: //p')
llvm=$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
profdata=$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata
[ -x "$profdata" ] || profdata=$(command -v "llvm-profdata-$llvm") || {
  echo "llvm-profdata $llvm not found: run \`rustup component add llvm-tools\` or install llvm-$llvm" >&2
  exit 1
}
build() { # flags, folder
  # With --target, the flags do not apply to build scripts and macros.
  RUSTFLAGS="$1" CARGO_TARGET_DIR=$2 \
    cargo build --quiet --release --package unmold-cli --target "$host"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "1 of 3: instrumented build"
build "-Cprofile-generate=$work/counts" "$target/counting"
echo "2 of 3: profiling"
unmold=$target/counting/$host/release/unmold
for pages in fixtures/*/pages; do
  for keep in main all-unique; do
    flags=(--quiet --threads 1 --site a -t "$work/a.json")
    "$unmold" learn "${flags[@]}" --keep $keep "$pages"
    "$unmold" strip "${flags[@]}" --format text "$pages" >/dev/null
  done
done
"$profdata" merge -o "$work/profile" "$work/counts"
echo "3 of 3: optimised build"
build "-Cprofile-use=$work/profile" "$target/guided"
mkdir -p "$target/release"
cp "$target/guided/$host/release/unmold" "$target/release/unmold"
echo "$target/release/unmold"
