#!/bin/sh
# Moves the tag of a major version, v1, to a release, v1.2.3, at origin.
#
#   .github/release/major.sh TAG
#
# A release before the newest of its major version moves nothing, nor does one that
# is no final version. The checkout has to be that of TAG.
set -eu

[ $# = 1 ] || {
	echo 'usage: major.sh TAG' >&2
	exit 2
}
tag=$1
cd "$(dirname "$0")/../.."
# shellcheck source=tag.sh
. .github/release/tag.sh
check_tag "$tag"
major=${tag%%.*}

fail() {
	echo "major.sh: $1" >&2
	exit 1
}

case $tag in
*-*)
	echo "major.sh: $tag is no final version; $major stays where it is"
	exit 0
	;;
esac
tags=$(git ls-remote --tags origin) || fail 'origin does not say which tags it has'
# at prints the commit that a tag of origin names.
at() {
	printf '%s\n' "$tags" | awk -v name="refs/tags/$1" '$2 == name "^{}" { peeled = $1 } $2 == name { own = $1 } END { print peeled ? peeled : own }'
}
commit=$(at "$tag")
[ -n "$commit" ] || fail "origin has no tag $tag"
[ "$commit" = "$(git rev-parse HEAD)" ] || fail "this checkout is not that of the tag $tag of origin"
newest=$(printf '%s\n' "$tags" | sed -n "s|.*refs/tags/\\($major\\.[0-9]*\\.[0-9]*\\)\$|\\1|p" | sort -t . -k 2,2n -k 3,3n | tail -n 1)
if [ "$newest" != "$tag" ]; then
	echo "major.sh: $newest is newer than $tag; $major stays where it is"
	exit 0
fi
if [ "$(at "$major")" = "$commit" ]; then
	echo "major.sh: $major is $tag already"
	exit 0
fi
# What the tag names now, so that nobody else's move is undone.
old=$(printf '%s\n' "$tags" | awk -v name="refs/tags/$major" '$2 == name { print $1 }')
git push --quiet --force-with-lease="refs/tags/$major:$old" origin "$commit:refs/tags/$major"
echo "major.sh: $major is $tag now"
