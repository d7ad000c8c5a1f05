#!/usr/bin/env bash
# Debian's packages, as their user meets them: built, read by lintian, installed by apt into a bare Debian 12 of its own, used there,
# upgraded, removed and purged.
#   tests/package/run.sh [--image] [--no-install]
#     --image    and examples/kubernetes/Containerfile is built on that Debian by buildah, and what it makes is run
# Needs root or sudo: a Debian of its own is a folder that one changes into (chroot).
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=../../examples/quickstart/packages.sh
source examples/quickstart/packages.sh

install=1 image=0
for option in "$@"; do
    case $option in
        --image) image=1 ;;
        --no-install) install=0 ;;
        *) sed -n '2,6p' "$0" >&2; exit 2 ;;
    esac
done
if ((install)); then
    install_missing "${BUILD_PACKAGES[@]}" file lintian systemd systemd-container pkg-config gcc mmdebstrap
    if ((image)); then install_missing buildah; fi
fi

work=$(mktemp -d)
root=$work/root
debian=${XDG_CACHE_HOME:-$HOME/.cache}/gputide/debian-bookworm-$(date +%G-%V).tar  # a week old at most: its index names what mirrors have
trap 'as_root rm -rf "$work"' EXIT
trap 'echo "package: failed at line $LINENO: $BASH_COMMAND" >&2' ERR

say() { echo "package: $*"; }
fail() { echo "package: $*" >&2; exit 1; }
inside() { as_root chroot "$root" "$@"; }
apt_inside() { inside env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends "$@" >"$work/apt.log" 2>&1 || { cat "$work/apt.log" >&2; return 1; }; }
# Everything but what apt and dpkg keep for themselves.
files_inside() { (cd "$root" && as_root find . \( -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/dpkg -o -path ./packages -o -path ./proc \) -prune -o -print | sort); }

cmake/package/build.sh --no-install >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; fail "no packages"; }
debs=(build/package/debian/*.deb)
daemon=/packages/$(basename build/package/debian/gputided_*.deb)
((${#debs[@]} == 5)) || fail "five packages were expected: ${debs[*]}"
for deb in "${debs[@]}"; do say "$(basename "$deb"): $(stat -c %s "$deb") bytes, depends on $(dpkg-deb -f "$deb" Depends)"; done

user=(); ((EUID)) || user=(--allow-root)
lintian "${user[@]}" --fail-on error,warning "${debs[@]}" || fail "lintian found an error or a warning"
say "lintian: no error, no warning"

# By the mirrors that this machine has its own packages from.
if [[ ! -e $debian ]]; then
    mkdir -p "$(dirname "$debian")"
    rm -f "$(dirname "$debian")"/debian-bookworm-*.tar
    options=(); for file in /etc/apt/apt.conf.d/*; do if grep -q '^Acquire' "$file"; then options+=(--aptopt="$file"); fi; done
    as_root mmdebstrap --quiet --variant=minbase "${options[@]}" bookworm "$work/debian.tar"
    as_root mv "$work/debian.tar" "$debian"
fi
mkdir "$root"
as_root tar -C "$root" -xf "$debian"
as_root mkdir "$root/packages"
as_root cp "${debs[@]}" "$root/packages"
as_root cp /etc/resolv.conf "$root/etc/resolv.conf"
apt_inside update
apt_inside install systemd
files_inside >"$work/before"

apt_inside install "${debs[@]/#*\///packages/}"
say "installed: $(inside gputided version | head -n 1)"
say "$(du -sk --apparent-size "$root/usr" | cut -f1) KiB in /usr with all that it depends on"

# As a developer finds it.
pc=$(find "$root/usr" -name gputide.pc)
read -ra flags < <(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs gputide)
cc -o "$work/numbers" examples/c/numbers.c "${flags[@]}" -Wl,--unresolved-symbols=ignore-in-shared-libs
as_root cp "$work/numbers" "$root/packages"
numbers=$(inside /packages/numbers)
[[ $numbers == "3 -> 6, proposed 9, limited by scale_up_limit" ]] || fail "examples/c/numbers said: $numbers"
say "examples/c/numbers: $numbers"

# The unit: what systemd says of it, and what becomes of it where systemd is the first process.
unit=$root/lib/systemd/system/gputided.service
sed "s|=/usr/bin/gputided|=$root/usr/bin/gputided|" "$unit" >"$work/gputided.service"
said=$(systemd-analyze verify --man=no "$work/gputided.service" 2>&1 | grep gputided.service || true)
[[ -z $said ]] || fail "systemd-analyze verify: $said"
said=$(systemd-analyze security --offline=yes --threshold=30 "$work/gputided.service") || fail "systemd-analyze security: $(tail -n 1 <<<"$said")"
say "systemd-analyze: $(sed -nE 's/.*(Overall exposure.*)/\1/p' <<<"$said")"
as_root cp -a "$root" "$work/booted"
as_root cp tests/package/booted.sh "$work/booted/packages"
as_root tee "$work/booted/etc/systemd/system/probe.service" >/dev/null <<'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh /packages/booted.sh
ExecStopPost=/bin/systemctl poweroff --force
StandardOutput=file:/packages/said
StandardError=inherit
[Install]
WantedBy=multi-user.target
UNIT
as_root systemctl --quiet --root="$work/booted" enable gputided.service probe.service
as_root timeout 120 systemd-nspawn --quiet --register=no --keep-unit --directory="$work/booted" --boot >"$work/boot.log" 2>&1 || { tail "$work/boot.log"; fail "Debian did not boot"; }
grep -qx 'booted: all well' "$work/booted/packages/said" || fail "the unit under systemd: $(cat "$work/booted/packages/said" "$work/boot.log")"
say "under systemd the unit waits for a manifest, decides, reloads, keeps its state, and has no privileges"

# A unit that an administrator enables stays enabled over an upgrade, and is gone after a purge.
wanted=$root/etc/systemd/system/multi-user.target.wants/gputided.service
[[ ! -e $wanted && ! -L $wanted ]] || fail "the installation enabled the unit"
as_root systemctl --quiet --root="$root" enable gputided.service
apt_inside install --reinstall "$daemon"
[[ -L $wanted ]] || fail "after an upgrade the unit is no longer enabled"
apt_inside remove gputided
[[ -e $root/etc/default/gputided ]] || fail "a removal took the configuration away"
apt_inside install "$daemon"
[[ -L $wanted && ! -e $root/etc/systemd/system/gputided.service ]] || fail "installed again, the unit is not enabled, or masked"
apt_inside purge gputided libgputide-dev libgputide1 libgputide-full1 libgputide-pure1
apt_inside autoremove --purge
as_root rmdir "$root/etc/systemd/system/multi-user.target.wants" 2>/dev/null || true
left=$(diff "$work/before" <(files_inside) || true)
[[ -z $left ]] || fail "left over after a purge: $left"
say "purged, nothing left over"

((image)) || exit 0
buildah_as_root() { as_root buildah "$@"; }
base=$(buildah_as_root from scratch)
buildah_as_root add --quiet "$base" "$debian" / >/dev/null
buildah_as_root commit --quiet "$base" localhost/gputide-test-debian >/dev/null
buildah_as_root rm "$base" >/dev/null
buildah_as_root build --isolation=chroot --pull-never --build-arg DEBIAN=localhost/gputide-test-debian -f examples/kubernetes/Containerfile \
    -t localhost/gputide-test . >"$work/image.log" 2>&1 || { tail -n 40 "$work/image.log" >&2; fail "no image"; }
made=$(buildah_as_root from --pull-never localhost/gputide-test)
mounted=$(buildah_as_root mount "$made")
say "image: $(as_root du -sm --apparent-size "$mounted" | cut -f1) MB, $(as_root ls "$mounted/var/lib/dpkg/status.d" | wc -l) packages of Debian in it"
said=$(buildah_as_root run --isolation=chroot "$made" -- /usr/bin/gputided version | head -n 1)
say "in the image: $said"
user=$(buildah_as_root inspect --type image --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}}' localhost/gputide-test)
[[ $user == "65532:65532 [/usr/bin/gputided]" ]] || fail "the image's user and entry point: $user"
as_root cp -r examples/manifests "$mounted/tmp/manifests"
buildah_as_root run --isolation=chroot "$made" -- /usr/bin/gputided check -f /tmp/manifests/gpu-duty-cycle.yaml
buildah_as_root rm "$made" >/dev/null
say "the image's gputided runs as $user"
