#!/usr/bin/env bash
# Makes an archive that is kept for every build of this user, unless it is there already.
#   archive.sh KEPT/libNAME.a EMPTY_FOLDER COMMAND...     the command leaves libNAME.a in the folder
set -euo pipefail
kept=$1 work=$2
shift 2
[[ ! -e $kept ]] || exit 0
rm -rf "$work"
mkdir -p "$work" "$(dirname "$kept")"
(cd "$work" && "$@") >"$work.log" 2>&1 || {
    cat "$work.log" >&2
    echo "$(basename "$kept") could not be built in $work" >&2
    exit 1
}
# Another build may be at the same: each puts its own in place whole.
cp "$work/$(basename "$kept")" "$kept.$$"
mv "$kept.$$" "$kept"
