#!/usr/bin/env bash
# Prints a hash of what the command writes for every bundled site and every site of a corpus, one
# line for each command line and set. Run it on two builds and compare: a refactoring changes nothing.
#
#     tools/output_hashes.sh target/release/unmold fixtures ../corpus/sites ../corpus/docs
set -euo pipefail
unmold=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs a command line on each site of a set and prints one hash of all that it wrote.
hash_set() {
  local label=$1 set=$2 site
  shift 2
  for pages in "$set"/*/pages; do
    site=$(basename "$(dirname "$pages")")
    # A site that cannot be processed (too few pages) counts with its exit code.
    "$unmold" "$@" --quiet --site "$site" "$pages" 2>/dev/null || echo "$site: exit $?"
  done | sha256sum | cut -c1-16 | xargs printf '%-16s %-34s %s\n' "$(basename "$set")" "$label"
}

strip_set() {
  local set=$1 site
  for pages in "$set"/*/pages; do
    site=$(basename "$(dirname "$pages")")
    "$unmold" learn --quiet --site "$site" "$pages" -t "$work/$site.json" 2>/dev/null || continue
    "$unmold" strip --quiet --site "$site" "$pages" -t "$work/$site.json" 2>/dev/null || true
  done | sha256sum | cut -c1-16 | xargs printf '%-16s %-34s %s\n' "$(basename "$set")" "learn, strip"
}

for set in "$@"; do
  hash_set "clean" "$set" clean
  for format in text markdown html; do
    hash_set "clean --format $format" "$set" clean --format "$format"
  done
  for keep in all-unique article; do
    hash_set "clean --keep $keep" "$set" clean --keep "$keep"
  done
  for method in chunk-frequency alignment tree-mapping tree-pattern page-clusters; do
    hash_set "clean --method $method" "$set" clean --method "$method"
  done
  hash_set "clean --cluster" "$set" clean --cluster
  strip_set "$set"
  hash_set "cluster" "$set" cluster -o -
  hash_set "sections" "$set" sections
  hash_set "export-rules --format json" "$set" export-rules --format json
done
