#!/bin/sh
# Cuts a release: from a clean checkout to a tag that can be pushed.
#
#   .github/release/cut.sh TAG FOLDER
#
# It builds the release into FOLDER and makes two commits and the tag: one whose
# checksums.txt lists the release, one whose workflows name the action by that first
# commit, and TAG at the second. HEAD has to be detached, since main lists no release,
# and CHANGELOG.md to have a heading of TAG. Nothing is pushed.
set -eu

[ $# = 2 ] || {
	echo 'usage: cut.sh TAG FOLDER' >&2
	exit 2
}
tag=$1 folder=$2
scripts=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tag.sh
. "$scripts/tag.sh"
check_tag "$tag"

fail() {
	echo "cut.sh: $1" >&2
	exit 1
}

# A relative FOLDER is one of the caller.
case $folder in
/*) ;;
*) folder=$PWD/$folder ;;
esac
cd "$scripts/../.."
check_clean
if git symbolic-ref -q HEAD >/dev/null; then
	fail 'HEAD is a branch, and no branch lists a release; git switch --detach'
fi
if git rev-parse -q --verify "refs/tags/$tag" >/dev/null; then
	fail "the tag $tag is there already; a release is never made twice"
fi
tags=$(git ls-remote --tags origin) || fail 'origin does not say which tags it has'
case $tags in
*"refs/tags/$tag"*)
	printf '%s\n' "$tags" | cut -f 2 | grep -qxF "refs/tags/$tag" &&
		fail "origin has the tag $tag already; a release is never made twice"
	;;
esac
case $tag in
v[01].*) ;;
*) grep -q "^module .*/${tag%%.*}\$" go.mod || fail "go.mod names no module of ${tag%%.*}; go could not install $tag" ;;
esac
grep -Eq "^## $(printf '%s' "$tag" | sed 's/\./\\./g') \\([0-9]{4}-[0-9]{2}-[0-9]{2}\\)\$" CHANGELOG.md ||
	fail "CHANGELOG.md has no heading of the form \"## $tag ($(date -u +%Y-%m-%d))\""

"$scripts/build.sh" "$tag" "$folder"
git add .github/release/checksums.txt
git commit -q -m "release: $tag"
content=$(git rev-parse HEAD)

# Within a reusable workflow ./ is the tree of who calls it, so the action is named
# by its commit.
named=
for workflow in .github/workflows/*.yml; do
	grep -q 'uses: openagent-ci/openagent@' "$workflow" || continue
	sed "s|\\(uses: openagent-ci/openagent@\\).*|\\1$content # $tag|" "$workflow" >"$workflow.new"
	cat "$workflow.new" >"$workflow"
	rm "$workflow.new"
	git add "$workflow"
	named=1
done
[ -z "$named" ] || git commit -q -m "workflows: name the action of $tag"
git tag -m "openagent $tag" "$tag"
echo "cut.sh: $tag is made; git push origin $tag releases it" >&2
