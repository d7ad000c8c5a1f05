#!/usr/bin/env bash
# Debian's packages of the release build: made by cpack, read by lintian, installed into an empty folder and used from there.
#   tests/package/run.sh [--no-install]     needs gputided built in build/release
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=../../examples/quickstart/packages.sh
source examples/quickstart/packages.sh
[[ ${1:-} == --no-install ]] || install_missing lintian dpkg-dev systemd pkg-config gcc

packages=$PWD/build/release/package
work=$(mktemp -d)
root=$work/root
trap 'rm -rf "$work"' EXIT
trap 'echo "package: failed at line $LINENO: $BASH_COMMAND" >&2' ERR

say() { echo "package: $*"; }
fail() { echo "package: $*" >&2; exit 1; }

# as_dpkg OPTION...: dpkg with a database and a root of its own; dependencies on the system's packages are not in that database.
as_dpkg() {
    dpkg --root="$root" --admindir="$root/var/lib/dpkg" --log=/dev/null --force-depends --force-not-root \
        --force-script-chrootless --no-triggers "$@" 2>>"$work/dpkg.log" >&2 || { cat "$work/dpkg.log" >&2; return 1; }
}

rm -f "$packages"/*.deb
(cd build/release && cpack -G DEB >"$work/cpack.log") || { cat "$work/cpack.log" >&2; exit 1; }
debs=("$packages"/*.deb)
((${#debs[@]} == 3)) || fail "three packages were expected: ${debs[*]}"
for deb in "${debs[@]}"; do say "$(basename "$deb"): $(stat -c %s "$deb") bytes, depends on $(dpkg-deb -f "$deb" Depends)"; done

user=(); ((EUID)) || user=(--allow-root)
lintian "${user[@]}" --fail-on error,warning "${debs[@]}" || fail "lintian found an error or a warning"
say "lintian: no error, no warning"

mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
touch "$root"/var/lib/dpkg/{status,available}
as_dpkg --install "${debs[@]}"
gputided() { LD_LIBRARY_PATH=$root/usr/lib "$root/usr/bin/gputided" "$@"; }
LD_LIBRARY_PATH=$root/usr/lib ldd "$root/usr/bin/gputided" | grep -q "libgputide.so.1 => $root/" || fail "gputided takes another libgputide"
gputided version
gputided check -f examples/manifests/gpu-duty-cycle.yaml

export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig
read -ra flags < <(pkg-config --cflags --libs gputide)
cc -o "$work/numbers" examples/c/numbers.c "${flags[@]}"
numbers=$(LD_LIBRARY_PATH=$root/usr/lib "$work/numbers")
[[ $numbers == "3 -> 6, proposed 9, limited by scale_up_limit" ]] || fail "examples/c/numbers said: $numbers"
say "examples/c/numbers: $numbers"

sed "s|/usr/bin/gputided|$root/usr/bin/gputided|" "$root/lib/systemd/system/gputided.service" >"$work/gputided.service"
said=$(systemd-analyze verify --man=no "$work/gputided.service" 2>&1 | grep gputided.service || true)
[[ -z $said ]] || fail "systemd-analyze verify: $said"
systemd-analyze security --offline=yes --threshold=40 "$work/gputided.service" | tail -n 1

as_dpkg --purge gputided libgputide-dev libgputide1
left=$(find "$root" -path "$root/var/lib/dpkg" -prune -o ! -type d -print)
[[ -z $left ]] || fail "left over: $left"
[[ ! -e $root/etc/gputide ]] || fail "/etc/gputide was left over"
say "removed, nothing left over"
