#!/usr/bin/env bash
# Builds the command guided by a profile of its own work on the bundled sites, as target/pgo/release/unmold.
# Needs `llvm-profdata` of rustc's LLVM: `rustup component add llvm-tools`, or the package llvm-NN of the system.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}/pgo
host=$(rustc -vV | sed -n 's/^host: //p')
llvm=$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
profdata=$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata
[ -x "$profdata" ] || profdata=$(command -v "llvm-profdata-$llvm") || {
  echo "no llvm-profdata $llvm here: rustup component add llvm-tools, or install the package llvm-$llvm" >&2
  exit 1
}
build() { # flags, folder
  # With --target, build scripts and macros are built without the flags.
  RUSTFLAGS="$1" CARGO_TARGET_DIR=$2 cargo build --quiet --release --package unmold-cli --target "$host"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "1 of 3: build that counts"
build "-Cprofile-generate=$work/counts" "$target/counting"
echo "2 of 3: counting"
for pages in fixtures/*/pages; do
  for keep in main all-unique; do
    "$target/counting/$host/release/unmold" learn --quiet --threads 1 --keep $keep --site a "$pages" -t "$work/a.json"
    "$target/counting/$host/release/unmold" strip --quiet --threads 1 --site a --format text "$pages" -t "$work/a.json" >/dev/null
  done
done
"$profdata" merge -o "$work/profile" "$work/counts"
echo "3 of 3: build by these counts"
build "-Cprofile-use=$work/profile" "$target/guided"
mkdir -p "$target/release"
cp "$target/guided/$host/release/unmold" "$target/release/unmold"
echo "$target/release/unmold"
