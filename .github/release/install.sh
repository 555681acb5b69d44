#!/bin/sh
# Decides where a job of the action gets openagent from, and gets the program
# of a release.
#
#   install.sh FOLDER [ADDRESS]
#
# It reads the action's inputs binary, build and version from ACTION_BINARY,
# ACTION_BUILD and ACTION_VERSION, and the system from RUNNER_OS and
# RUNNER_ARCH. When the program is to be built from source it prints build=true
# for the steps that follow; when it is one of a release, FOLDER has it
# afterwards. It prints refused=REASON where an input is wrong, and error=REASON
# where it fails.
#
# checksums.txt beside this script lists the programs of releases, a line each:
# SHA-256, two blanks, TAG/NAME. Where a release is listed, its program is taken
# with exactly that digest or the job fails; there is no way round that, so who
# pins this folder by commit pins the program. ADDRESS is where releases lie;
# only tests name another, and no variable does.
set -eu

fail() {
	echo "error=$1"
	echo "::error title=openagent::$1" >&2
	exit 1
}

refuse() {
	echo "refused=input $1"
	exit 0
}

sha256() {
	if command -v sha256sum >/dev/null; then
		sha256sum <"$1"
	else
		shasum -a 256 <"$1"
	fi
}

folder=$1
address=${2:-https://github.com/openagent-ci/openagent/releases/download}
list=$(dirname "$0")/checksums.txt

case $ACTION_BUILD in
true | false) ;;
*) refuse 'build is none of true, false' ;;
esac
case $ACTION_VERSION in
*[!0-9A-Za-z.-]*) refuse 'version is not the tag of a release, like v1.2.3' ;;
esac
given=0
[ -z "$ACTION_BINARY" ] || given=$((given + 1))
[ "$ACTION_BUILD" = false ] || given=$((given + 1))
[ -z "$ACTION_VERSION" ] || given=$((given + 1))
[ $given -le 1 ] || refuse 'binary, build or version is one too many; each names a program, give one'
[ -z "$ACTION_BINARY" ] || exit 0
if [ "$ACTION_BUILD" = true ]; then
	echo build=true
	exit 0
fi
if [ ! -s "$list" ]; then
	[ -z "$ACTION_VERSION" ] || refuse "version is $ACTION_VERSION, but this commit of the action lists no release; use the commit that the tag names, or leave version out to build from source"
	echo build=true
	exit 0
fi

tag=${ACTION_VERSION:-$(awk 'END { sub("/.*", "", $2); print $2 }' "$list")}
case $RUNNER_OS-$RUNNER_ARCH in
Linux-X64) name=openagent_linux_amd64 ;;
Linux-ARM64) name=openagent_linux_arm64 ;;
macOS-X64) name=openagent_darwin_amd64 ;;
macOS-ARM64) name=openagent_darwin_arm64 ;;
Windows-X64) name=openagent_windows_amd64.exe ;;
Windows-ARM64) name=openagent_windows_arm64.exe ;;
*) fail "no release has a program for $RUNNER_OS on $RUNNER_ARCH; build: true builds it from source" ;;
esac
want=$(awk -v name="$tag/$name" '$2 == name { print $1 }' "$list")
[ -z "$ACTION_VERSION" ] || [ -n "$want" ] || refuse "version is $ACTION_VERSION, but this commit of the action has no checksum of $tag/$name; build: true builds the program from source"
[ ${#want} -eq 64 ] || fail "this commit of the action has no checksum of $tag/$name; build: true builds the program from source"

for program in curl "$(command -v sha256sum || echo shasum)"; do
	command -v "$program" >/dev/null || fail "$program is not on PATH, and a release is not used without it; build: true builds the program from source"
done
mkdir -p "$folder"
download=$folder/download
curl --fail --silent --show-error --location --proto '=https' --retry 3 --connect-timeout 30 --max-time 600 \
	--output "$download" "$address/$tag/$name" ||
	fail "$tag/$name could not be downloaded; nothing is installed"
got=$(sha256 "$download" | cut -d ' ' -f 1)
if [ "$got" != "$want" ]; then
	rm -f "$download"
	fail "$tag/$name has the SHA-256 $got, want $want; nothing is installed"
fi
chmod 755 "$download"
case $name in
*.exe) mv "$download" "$folder/openagent.exe" ;;
*) mv "$download" "$folder/openagent" ;;
esac
