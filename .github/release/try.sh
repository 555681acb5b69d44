#!/bin/sh
# Tries a release on the system that it runs on, as somebody does who has just got it:
# with an empty home, and nothing but the files of the release.
#
#   .github/release/try.sh TAG FOLDER
#
# All files are held to SHA256SUMS first. Then the program alone and the one in the
# archive run; on Linux also what dpkg installs, what the RPM package has and what is
# in the image, where dpkg, rpm and skopeo are there.
set -eu

[ $# = 2 ] || {
	echo 'usage: try.sh TAG FOLDER' >&2
	exit 2
}
tag=$1
release=$(cd "$2" && pwd)

fail() {
	echo "try.sh: $1" >&2
	exit 1
}

has() { command -v "$1" >/dev/null; }

if has sha256sum; then sums=sha256sum; else sums='shasum -a 256'; fi
(cd "$release" && $sums -c --strict SHA256SUMS >/dev/null) || fail 'a file is not as SHA256SUMS has it'
for path in "$release"/*; do
	name=${path##*/}
	[ "$name" = SHA256SUMS ] || awk -v name="$name" '$2 == name { found = 1 } END { exit !found }' "$release/SHA256SUMS" ||
		fail "SHA256SUMS does not list $name"
done

case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
MINGW* | MSYS*) system=windows ;;
*) fail "no release has a program for $(uname -s)" ;;
esac
case ${PROCESSOR_ARCHITECTURE:-$(uname -m)} in
x86_64 | AMD64) arch=amd64 ;;
aarch64 | arm64 | ARM64) arch=arm64 ;;
*) fail "no release has a program for $(uname -m)" ;;
esac
name=openagent_${system}_$arch

# Some unpack with the modes of whoever runs them; the image has a user of its own.
umask 022
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/home"
cd "$scratch"
HOME=$scratch/home
export HOME

# runs makes sure that a program is the one of the release, and that it works.
runs() {
	got=$("$1" --version) || fail "$1 does not run"
	[ "$got" = "openagent $tag" ] || fail "$1 is $got, want openagent $tag"
	"$1" ci --script demo --out "$scratch/evidence/$2" >demo.log 2>&1 || {
		cat demo.log >&2
		fail "$1 ci --script demo ends with another verdict than success"
	}
	echo "try.sh: $2 works"
}

# has_all makes sure that these files are below a folder.
has_all() {
	folder=$1
	shift
	for path; do
		[ -s "$folder/$path" ] || fail "$path is not in it, or empty"
	done
}

case $system in
windows)
	cp "$release/$name.exe" alone.exe
	runs ./alone.exe 'the program alone'
	mkdir zip
	(cd zip && { unzip -q "$release/$name.zip" || powershell -NoProfile -Command "Expand-Archive '$(cygpath -w "$release/$name.zip")' ."; })
	runs ./zip/openagent.exe 'the program of the zip archive'
	has_all zip LICENSE licenses.txt openagent.ps1
	exit
	;;
esac
cp "$release/$name" alone
chmod +x alone
runs ./alone 'the program alone'
mkdir -p .local
tar -xzf "$release/$name.tar.gz" -C .local --strip-components 1
runs ./.local/bin/openagent 'the program of the tar archive'
has_all .local share/man/man1/openagent.1 share/bash-completion/completions/openagent share/zsh/site-functions/_openagent \
	share/fish/vendor_completions.d/openagent.fish share/doc/openagent/LICENSE share/doc/openagent/licenses.txt
./.local/bin/openagent-archive add --to archive "evidence/the program alone" >archive.log 2>&1 ||
	fail "openagent-archive of the tar archive: $(cat archive.log)"
[ $system = linux ] || exit 0

if has dpkg; then
	mkdir -p deb/var/lib/dpkg/info deb/var/lib/dpkg/updates
	: >deb/var/lib/dpkg/status
	dpkg --force-not-root --force-script-chrootless --root="$scratch/deb" --log=/dev/null -i "$release/$name.deb" >dpkg.log 2>&1 || {
		cat dpkg.log >&2
		fail 'dpkg does not install the package'
	}
	runs ./deb/usr/bin/openagent 'the program that dpkg installed'
	has_all deb usr/share/man/man1/openagent.1 usr/share/doc/openagent/copyright
	dpkg --force-not-root --root="$scratch/deb" --log=/dev/null -r openagent >dpkg.log 2>&1 || fail 'dpkg does not remove the package'
	[ ! -e deb/usr/bin/openagent ] || fail 'dpkg leaves the program behind'
else
	echo 'try.sh: skipped: dpkg is not here to install the .deb'
fi
if has rpm2cpio && has cpio; then
	mkdir rpm
	rpm -K --nosignature "$release/$name.rpm" >rpm.log 2>&1 || fail "rpm: $(cat rpm.log)"
	(cd rpm && rpm2cpio "$release/$name.rpm" | cpio -idm --quiet --no-absolute-filenames 2>/dev/null)
	runs ./rpm/usr/bin/openagent 'the program of the RPM package'
	has_all rpm usr/share/man/man1/openagent.1 usr/share/doc/openagent/licenses.txt
else
	echo 'try.sh: skipped: rpm and cpio are not here to read the .rpm'
fi
if has skopeo; then
	skopeo --override-os linux --override-arch $arch copy --quiet "oci-archive:$release/openagent_image.tar" "dir:$scratch/image"
	mkdir root
	grep -o '"layers":.*' image/manifest.json | grep -o 'sha256:[0-9a-f]*' | cut -d : -f 2 | while read -r layer; do
		tar -xzf "image/$layer" -C root
	done
	has_all root etc/ssl/certs/ca-certificates.crt usr/share/doc/openagent/copyright
	cp "$scratch/evidence/the program alone/events.jsonl" root/tmp/ 2>/dev/null || fail 'there is no stream for the program in the image to check'
	chmod 644 root/tmp/events.jsonl
	if [ "$(id -u)" = 0 ]; then
		enter='chroot --userspec=65532:65532'
	else
		enter='unshare --map-root-user chroot'
	fi
	# Its environment is that of the image.
	# shellcheck disable=SC2086
	inside() { env -i PATH="$PATH" HOME=/home/openagent $enter root /usr/bin/openagent "$@"; }
	got=$(inside --version) || got=
	[ "$got" = "openagent $tag" ] || fail "the program in the image is \"$got\", want openagent $tag"
	inside check --strict /tmp/events.jsonl >check.log 2>&1 || fail "the program in the image: $(cat check.log)"
	echo 'try.sh: the program in the image works'
else
	echo 'try.sh: skipped: skopeo is not here to unpack the image'
fi
