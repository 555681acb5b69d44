#!/bin/sh
# Builds the programs of a release; the same commit gives the same bytes
# wherever and however often it is built.
#
#   .github/release/build.sh TAG FOLDER [OS/ARCH...]
#   .github/release/build.sh -c TAG FOLDER [OS/ARCH...]
#
# The programs go to FOLDER with their digests, checksums.txt, the licences of
# what is linked into them, licenses.txt, the manual page, openagent.1, and for
# each shell the script that completes commands. The digests then replace those of
# TAG in checksums.txt beside this script, from which the action learns what a
# release is; with -c they are compared with it instead, and a difference is an
# error. Without OS/ARCH all systems are built.
# -t TOOLCHAIN builds with another Go than that of releases.
set -eu

toolchain=go1.26.8
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
tag=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
case $tag in
*[!0-9A-Za-z.-]*) tag= ;;
esac
case $tag in
v[0-9]*.[0-9]*.[0-9]*) ;;
*)
	echo 'build.sh: the tag is not like v1.2.3' >&2
	exit 2
	;;
esac
[ $# -gt 0 ] || set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
cd "$(dirname "$0")/../.."

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
unset GOOS GOARCH
: >"$folder/checksums.txt"
: >"$folder/modules"
for target; do
	name=openagent_${target%/*}_${target#*/}
	[ "${target%/*}" != windows ] || name=$name.exe
	echo "build.sh: $tag/$name" >&2
	GOOS=${target%/*} GOARCH=${target#*/} go build -trimpath -buildvcs=false \
		-ldflags "-s -w -X github.com/openagent-ci/openagent/internal/cli.release=$tag" \
		-o "$folder/$name" ./cmd/openagent
	GOOS=${target%/*} GOARCH=${target#*/} go list -deps \
		-f '{{with .Module}}{{if .Version}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/openagent >>"$folder/modules"
	printf '%s  %s/%s\n' "$(sha256 "$folder/$name" | cut -d ' ' -f 1)" "$tag" "$name" >>"$folder/checksums.txt"
done

{
	printf '== Go %s\n\n' "$toolchain"
	cat "$(go env GOROOT)/LICENSE"
	sort -u "$folder/modules" | while read -r module version dir; do
		printf '\n== %s %s\n\n' "$module" "$version"
		cat "$dir"/LICENSE*
		[ ! -f "$dir/NOTICE" ] || cat "$dir/NOTICE"
	done
} >"$folder/licenses.txt"
rm "$folder/modules"
go run -trimpath -buildvcs=false ./internal/manual "$folder" "$tag"

list=.github/release/checksums.txt
[ -f "$list" ] || [ -n "$compare" ] || : >"$list"
if [ -n "$compare" ]; then
	grep -F "  $tag/" "$list" | diff - "$folder/checksums.txt" >&2 || {
		echo "build.sh: these are not the programs that $list lists for $tag" >&2
		exit 1
	}
	exit 0
fi
{
	grep -vF "  $tag/" "$list" || :
	cat "$folder/checksums.txt"
} >"$folder/list"
mv "$folder/list" "$list"
