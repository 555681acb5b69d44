#!/bin/sh
# Builds a release; the same commit gives the same bytes wherever and however often
# it is built.
#
#   .github/release/build.sh TAG FOLDER [OS/ARCH...]
#   .github/release/build.sh -c TAG FOLDER [OS/ARCH...]
#
# FOLDER, which has to be empty or missing, gets the programs, the licences of what
# is linked into them, licenses.txt, the manual page, openagent.1, for each shell the
# script that completes commands, and what internal/devtools/pack makes of them: archives,
# packages, a container image, lists of what is in them, and SHA256SUMS of all files.
# The digests then replace those of TAG in checksums.txt beside this script, from which
# the action learns what a release is; with -c they are compared with it instead, and a
# difference is an error, as is a checkout that is not that of TAG. Only the programs of
# OS/ARCH are built where one is named, and nothing is made of them.
# -t TOOLCHAIN builds with another Go than that of releases.
set -eu

toolchain=go1.26.8
programs='openagent openagent-archive'
compare=
while getopts ct: option; do
	case $option in
	c) compare=1 ;;
	t) toolchain=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
if [ $# -lt 2 ]; then
	echo 'usage: build.sh [-c] [-t TOOLCHAIN] TAG FOLDER [OS/ARCH...]' >&2
	exit 2
fi
tag=$1 folder=$2
shift 2
scripts=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tag.sh
. "$scripts/tag.sh"
check_tag "$tag"
whole=
[ $# -gt 0 ] || {
	whole=1
	set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
}

fail() {
	echo "build.sh: $1" >&2
	exit 1
}

# file_of prints the name of a program's file for OS/ARCH.
file_of() {
	case $2 in
	windows/*) echo "$1_${2%/*}_${2#*/}.exe" ;;
	*) echo "$1_${2%/*}_${2#*/}" ;;
	esac
}

list=.github/release/checksums.txt
if [ -n "$compare" ]; then
	cd "$scripts/../.."
	[ -s $list ] || fail "$list lists no release; use the commit that $tag names"
	for target; do
		for program in $programs; do
			name=$tag/$(file_of "$program" "$target")
			awk -v name="$name" '$2 == name { found = 1 } END { exit !found }' $list || fail "$list does not list $name"
		done
	done
	if git rev-parse --git-dir >/dev/null 2>&1; then
		check_clean
		[ "$(git rev-parse -q --verify "refs/tags/$tag^{commit}")" = "$(git rev-parse HEAD)" ] ||
			fail "this checkout is not that of the tag $tag"
	fi
	cd "$OLDPWD"
fi

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ -z "$(ls -A "$folder")" ] || fail "$folder is not empty"
cd "$scripts/../.."

# What is made on the way lies below FOLDER, which can be written and is this build's own.
export TMPDIR="$folder/.tmp"
mkdir "$TMPDIR"
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

sha256() {
	if command -v sha256sum >/dev/null; then
		sha256sum <"$1"
	else
		shasum -a 256 <"$1"
	fi
}

# Whatever a person has set for building, a release is built without.
export CGO_ENABLED=0 GOENV=off GOFLAGS='' GOWORK=off GOEXPERIMENT='' GOFIPS140=off GOAMD64=v1 GOARM64=v8.0
export GOTOOLCHAIN="$toolchain"
unset GOOS GOARCH GOTMPDIR
: >"$TMPDIR/modules"
: >"$TMPDIR/sums"
for target; do
	for program in $programs; do
		name=$(file_of "$program" "$target")
		echo "build.sh: $tag/$name" >&2
		GOOS=${target%/*} GOARCH=${target#*/} go build -trimpath -buildvcs=false \
			-ldflags "-s -w -X github.com/openagent-ci/openagent/internal/cli.release=$tag -X main.release=$tag" \
			-o "$folder/$name" "./cmd/$program"
		GOOS=${target%/*} GOARCH=${target#*/} go list -deps \
			-f '{{with .Module}}{{if .Version}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' "./cmd/$program" >>"$TMPDIR/modules"
		printf '%s  %s\n' "$(sha256 "$folder/$name" | cut -d ' ' -f 1)" "$name" >>"$TMPDIR/sums"
	done
done

sort -u "$TMPDIR/modules" >"$TMPDIR/linked"
{
	printf '== Go %s\n\n' "$toolchain"
	cat "$(go env GOROOT)/LICENSE"
	while read -r module version dir; do
		printf '\n== %s %s\n\n' "$module" "$version"
		cat "$dir"/LICENSE*
		[ ! -f "$dir/NOTICE" ] || cat "$dir/NOTICE"
	done <"$TMPDIR/linked"
} >"$folder/licenses.txt"
go run -trimpath -buildvcs=false ./internal/cli/manual "$folder" "$tag"
if [ -n "$whole" ]; then
	echo "build.sh: archives, packages and image of $tag" >&2
	(cd internal/devtools && go run -trimpath -buildvcs=false ./pack "$folder" "$tag" "$programs" "$@")
	cp "$folder/SHA256SUMS" "$TMPDIR/sums"
fi

sed "s|  |  $tag/|" "$TMPDIR/sums" >"$TMPDIR/own"
if [ -n "$compare" ]; then
	grep -F "  $tag/" $list | diff - "$TMPDIR/own" >&2 ||
		fail "these are not the files that $list lists for $tag"
	exit 0
fi
{
	[ ! -f $list ] || grep -vF "  $tag/" $list || :
	cat "$TMPDIR/own"
} >"$TMPDIR/list"
mv "$TMPDIR/list" $list
