#!/usr/bin/env bash
# Unpacks a source package of Debian's and prints the folder.
#   debian_source.sh simdjson=3.0.1-1      this version
#   debian_source.sh curl                  the one that apt would install here, security updates included
# apt downloads and verifies it with an index of its own, so this needs neither root nor a deb-src line; what was unpacked
# once is kept below ${XDG_CACHE_HOME:-~/.cache}/gputide, each version for itself, and needs no network any more.
set -euo pipefail

package=$1
if [[ $package != *=* ]]; then
    # "Source: curl (7.88.1-10)" where the binary package was only built anew: "Version: 7.88.1-10+b1".
    version=$(apt-cache show --no-all-versions "$package" 2>/dev/null |
        sed -nE '/^$/q; s/^Source: .*\((.*)\)$/\1/p; s/^Version: (.*)$/\1/p' | sort | head -n 1) || true
    [[ -n $version ]] || { echo "apt knows no package $package; run apt-get update first" >&2; exit 1; }
    package+==$version
fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gputide/sources
kept=$cache/${package/=/_}
if [[ ! -e $kept/complete ]]; then
    command -v apt-get >/dev/null && command -v dpkg-source >/dev/null || {
        echo "unpacking Debian's source package $package needs apt-get and dpkg-source (Debian: dpkg-dev)" >&2
        exit 1
    }
    mkdir -p "$cache"
    work=$(mktemp -d "$cache/work.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work"/state/lists/partial "$work"/cache/archives/partial

    # The places that this machine has its packages from, read for sources.
    # shellcheck disable=SC2016 # apt fills these in
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
        sort -u >"$work/sources.list"
    [[ -s $work/sources.list ]] || { echo "apt knows no Debian mirror; run apt-get update first" >&2; exit 1; }
    own_apt=(apt-get -qq -o Dir::State="$work/state" -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$work/cache"
        -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- -o APT::Sandbox::User=)
    "${own_apt[@]}" update >&2
    (cd "$work" && "${own_apt[@]}" source --only-source "$package" >/dev/null) || {
        echo "apt-get source $package failed: where Debian has replaced that version, run apt-get update first" >&2
        exit 1
    }
    folder=$(find "$work" -mindepth 1 -maxdepth 1 -type d ! -name state ! -name cache)
    [[ -n $folder ]] || { echo "apt has no source package $package" >&2; exit 1; }
    touch "$folder/complete"
    rm -rf "$kept"
    mv "$folder" "$kept"
fi
echo "$kept"
