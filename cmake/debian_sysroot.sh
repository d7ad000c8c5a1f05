#!/usr/bin/env bash
# Unpacks Debian's libraries of another architecture into a folder, with all that they depend on, and prints the folder: a sysroot for the
# cross compiler (cmake/aarch64.cmake), and the root in which qemu-user finds them.
#   debian_sysroot.sh [--renew] arm64 [PACKAGE...]     --renew: downloads them again, as after a security update
# They are the libraries that the build needs here, self-contained flavor and tests included, and further packages.  apt downloads and
# verifies them with an index of its own, so no package of this machine changes.  What was unpacked once is kept below
# ${XDG_CACHE_HOME:-~/.cache}/gputide/sysroots, a folder for each list of packages.  Maintainer scripts do not run.
set -euo pipefail
renew=
[[ ${1:-} != --renew ]] || { renew=1; shift; }
architecture=${1:?debian_sysroot.sh [--renew] ARCHITECTURE [PACKAGE...]}
name=$(IFS=+; echo "$*")
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
kept=${XDG_CACHE_HOME:-$HOME/.cache}/gputide/sysroots/$name
[[ -n $renew || ! -e $kept/complete ]] || { echo "$kept"; exit 0; }

# shellcheck source=../examples/quickstart/packages.sh
source "$root/examples/quickstart/packages.sh"
packages=(libc6-dev libstdc++6 libnghttp2-dev libabsl-dev ca-certificates tzdata "$@")
for package in "${BUILD_PACKAGES[@]}"; do [[ $package != *-dev || $package == dpkg-dev ]] || packages+=("$package"); done

mkdir -p "$(dirname "$kept")"
work=$(mktemp -d "$kept.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/state/lists/partial "$work"/cache/archives/partial "$work"/root/usr/lib "$work"/root/usr/{bin,sbin} "$work"/root/var/lib/dpkg/info
: >"$work/status"
# shellcheck disable=SC2016 # apt fills these in
apt-get indextargets --format "deb [arch=$architecture] \$(REPO_URI) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages' 'Origin: Debian' |
    sort -u >"$work/sources.list"
[[ -s $work/sources.list ]] || { echo "apt knows no Debian mirror; run apt-get update first" >&2; exit 1; }
own_apt=(apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o Dir::State="$work/state"
    -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" -o Dir::Etc::SourceList="$work/sources.list"
    -o Dir::Etc::SourceParts=- -o APT::Sandbox::User= -o Debug::NoLocking=1)
"${own_apt[@]}" update >&2
"${own_apt[@]}" install --download-only --no-install-recommends "${packages[@]}" >&2

# Debian 12 has its libraries below /usr alone.  Links that begin at the root lead into this one.
for folder in bin sbin lib; do ln -s "usr/$folder" "$work/root/$folder"; done
for deb in "$work"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -C "$work/root" --keep-directory-symlink --no-same-owner -x
    package=$(dpkg-deb -f "$deb" Package)
    dpkg-deb -f "$deb" | sed '1a Status: install ok installed' >>"$work/root/var/lib/dpkg/status"
    echo >>"$work/root/var/lib/dpkg/status"
    dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -E 's/^\.//; s,(.)/$,\1,' >"$work/root/var/lib/dpkg/info/$package.list"
done
find "$work/root" -type l -lname '/*' -printf '%p\n' | while read -r link; do ln -sfn --relative "$work/root$(readlink "$link")" "$link"; done
touch "$work/root/complete"
rm -rf "$kept"
mv "$work/root" "$kept"
echo "$kept"
