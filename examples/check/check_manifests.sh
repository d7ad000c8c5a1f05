#!/bin/sh
# Runs `gputided check` over those of the given files that hold something of a scaler.
#
#     check_manifests.sh [OPTION... --] FILE...      options go to gputided check: --output sarif, --fail-on-warning, ...
#
# Exit status 0 where no file holds any.  GPUTIDED names the program (gputided).
set -eu

options=0
for word in "$@"; do
    options=$((options + 1))
    if [ "$word" = -- ]; then
        break
    fi
done
if [ "${word:-}" != -- ]; then
    options=0
fi

# The options stay in front; each file that counts goes to the end with -f before it.
kinds='\(^\|[{,[:space:]]\)"\{0,1\}kind"\{0,1\}[[:space:]]*:[[:space:]]*"\{0,1\}\(ScaledObject\|ScaledJob\|HorizontalPodAutoscaler\)'
parts='\(^\|[{,[:space:]]\)"\{0,1\}kind"\{0,1\}[[:space:]]*:[[:space:]]*"\{0,1\}\(\(Cluster\)\{0,1\}TriggerAuthentication\|Secret\|ConfigMap\)'
scalers=0
index=0
count=$#
while [ "$index" -lt "$count" ]; do
    word=$1
    shift
    index=$((index + 1))
    if [ "$index" -lt "$options" ]; then
        set -- "$@" "$word"
    elif [ "$index" -eq "$options" ]; then
        :
    elif grep -q "$kinds" -- "$word"; then
        scalers=$((scalers + 1))
        set -- "$@" -f "$word"
    elif grep -q "$parts" -- "$word"; then
        set -- "$@" -f "$word"
    fi
done
if [ "$scalers" -eq 0 ]; then
    exit 0
fi
exec "${GPUTIDED:-gputided}" check "$@"
