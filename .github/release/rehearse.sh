#!/bin/sh
# Rehearses the release that HEAD would make, with all that a tag does and can be done
# on one Linux machine; nothing leaves FOLDER, which has to be empty or missing.
#
#   .github/release/rehearse.sh FOLDER
#
# A repository below FOLDER plays origin. The release v1.0.0 is cut in one clone of it,
# built again in another and has to have the same bytes; then v1 is moved, and the files
# are tried. FOLDER has the files in assets and the checkout of the tag in "second clone"
# afterwards.
set -eu

[ $# = 1 ] || {
	echo 'usage: rehearse.sh FOLDER' >&2
	exit 2
}
tag=v1.0.0
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
# shellcheck source=tag.sh
. .github/release/tag.sh

fail() {
	echo "rehearse.sh: $1" >&2
	exit 1
}
say() { echo "rehearse.sh: $1" >&2; }

[ -z "$(ls -A "$folder")" ] || fail "$folder is not empty"
check_clean
export TMPDIR="$folder/tmp"
mkdir "$TMPDIR"
# No identity, signature or hook of the person's is asked for.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=rehearsal GIT_AUTHOR_EMAIL=rehearsal@example.invalid
export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"

git clone -q --bare --no-tags --no-local . "$folder/origin.git"
git clone -q "$folder/origin.git" "$folder/first"
cd "$folder/first"
git switch -q --detach "$(git -C "$folder/origin.git" rev-parse HEAD)"
sed "s/^## Unreleased\$/## $tag ($(date -u +%Y-%m-%d))/" CHANGELOG.md >"$TMPDIR/changelog"
cp "$TMPDIR/changelog" CHANGELOG.md
git commit -q -a -m "CHANGELOG: $tag" || fail 'CHANGELOG.md has no heading "## Unreleased"'
say "cut $tag"
.github/release/cut.sh "$tag" "$folder/assets"
git push -q origin "$tag"

# What the workflow of releases does, on another machine.
say 'build it again'
git clone -q --branch "$tag" "$folder/origin.git" "$folder/second clone" 2>/dev/null
cd "$folder/second clone"
.github/release/build.sh -c "$tag" "$folder/assets again"
diff -r "$folder/assets" "$folder/assets again" || fail 'the second build differs'

say 'move v1'
.github/release/major.sh "$tag"
[ "$(git ls-remote --tags origin v1 | cut -f 1)" = "$(git rev-parse HEAD)" ] || fail 'v1 is not at the tag'

say 'try it'
.github/release/try.sh "$tag" "$folder/assets"
