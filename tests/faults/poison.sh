#!/usr/bin/env bash
# Writes C with a function of each name that the given libraries define; each says its name and ends the process.
#   poison.sh OUT 'NAME PATTERN' LIBRARY...      archives too
set -euo pipefail
out=$1 pattern=$2
shift 2
{
    echo 'void poisoned(const char* name);'
    for library in "$@"; do
        case $library in *.a) nm --defined-only --extern-only "$library" ;; *) nm --dynamic --defined-only "$library" ;; esac
    done | awk -v pattern="$pattern" 'NF == 3 && $2 ~ /^[TW]$/ { sub(/@.*/, "", $3); if ($3 ~ pattern) print $3 }' | sort -u |
        sed -E 's/(.*)/void \1(void);\nvoid \1(void) { poisoned("\1"); }/'
} >"$out"
