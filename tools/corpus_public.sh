#!/bin/sh
# Manuals from Debian packages, all under free licences: `make corpus-public`.
# Needs apt-get and dpkg-deb (Debian, Ubuntu and the like); installs nothing.
set -eu
folder=${1:?give a folder to unpack into}/debian-docs
# Name of the site, and the package that holds it.
packages="python-doc:python3.11-doc postgresql-doc:postgresql-doc-15 cmake-doc:cmake-doc openjdk-doc:openjdk-17-doc
	ghc-doc:ghc-doc git-doc:git-doc gimp-help-en:gimp-help-en"
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
	echo "apt-get and dpkg-deb are needed: run this on Debian or in a container of it" >&2
	exit 1
}
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for entry in $packages; do
	name=${entry%%:*}
	package=${entry##*:}
	if [ -d "$folder/$name" ]; then
		echo "$name is there"
		continue
	fi
	# Another release of Debian has other numbers in the names.
	found=$package
	if ! apt-cache show "$package" >/dev/null 2>&1; then
		pattern=$(echo "$package" | sed 's/[0-9][0-9.]*/[0-9.]+/')
		found=$(apt-cache pkgnames | grep -E "^$pattern\$" | sort -V | tail -n 1)
	fi
	if [ -z "$found" ] || ! (cd "$work" && apt-get download -qq "$found"); then
		echo "$package: not to be had here, left out" >&2
		continue
	fi
	mkdir -p "$work/unpacked"
	dpkg-deb -x "$work"/*.deb "$work/unpacked"
	mv "$work/unpacked" "$folder/$name"
	rm -f "$work"/*.deb
	echo "$name: $found"
done
