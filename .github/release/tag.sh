# shellcheck shell=sh
# Part of the scripts beside it, which read it; it runs nothing by itself.

# check_tag refuses what is no version of Semantic Versioning 2.0.0 behind a v, and
# build metadata, which a release does not have.
check_tag() {
	number='(0|[1-9][0-9]*)'
	part='(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)'
	case $1 in
	*[!0-9A-Za-z.-]*) ;;
	*)
		if printf '%s\n' "$1" | grep -Eq "^v$number\\.$number\\.$number(-$part(\\.$part)*)?\$"; then
			return
		fi
		;;
	esac
	echo "${0##*/}: the tag is not like v1.2.3 or v1.2.3-rc.1" >&2
	exit 2
}

# check_clean refuses a tree with changes: they would be in the programs, and not in
# the commit that the tag names.
check_clean() {
	changes=$(git status --porcelain) || exit
	[ -z "$changes" ] || {
		printf '%s: these files are not as committed:\n%s\n' "${0##*/}" "$changes" >&2
		exit 1
	}
}
