#!/bin/sh
# Unpacks manuals from Debian packages, all under free licences: `make corpus-public`.
# Needs apt-get and dpkg-deb (Debian or a derivative); installs nothing.
set -eu
folder=${1:?give a folder to unpack into}/debian-docs
# SITE:PACKAGE
packages="python-doc:python3.11-doc postgresql-doc:postgresql-doc-15 cmake-doc:cmake-doc
	openjdk-doc:openjdk-17-doc ghc-doc:ghc-doc git-doc:git-doc gimp-help-en:gimp-help-en"
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
	echo "apt-get and dpkg-deb not found: run this on Debian or in a Debian container" >&2
	exit 1
}
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for entry in $packages; do
	name=${entry%%:*}
	package=${entry##*:}
	if [ -d "$folder/$name" ]; then
		echo "$name: already there"
		continue
	fi
	# Names contain version numbers that depend on the release of Debian.
	found=$package
	if ! apt-cache show "$package" >/dev/null 2>&1; then
		pattern=$(echo "$package" | sed 's/[0-9][0-9.]*/[0-9.]+/')
		found=$(apt-cache pkgnames | grep -E "^$pattern\$" | sort -V | tail -n 1)
	fi
	if [ -z "$found" ] || ! (cd "$work" && apt-get download -qq "$found"); then
		echo "$package: not available, skipped" >&2
		continue
	fi
	mkdir -p "$work/unpacked"
	dpkg-deb -x "$work"/*.deb "$work/unpacked"
	mv "$work/unpacked" "$folder/$name"
	rm -f "$work"/*.deb
	echo "$name: $found"
done
