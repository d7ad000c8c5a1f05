#!/usr/bin/env bash
# Installs the OpenID provider of the tests, in the versions of package-lock.json, into a folder of the build.
#   install.sh FOLDER
# Needs node and npm (Debian: nodejs npm) and the registry that npm is set up for.  What is there already stays.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1
for program in node npm; do
    command -v "$program" >/dev/null || { echo "$program is not installed; Debian has it in the packages nodejs and npm" >&2; exit 1; }
done
mkdir -p "$folder"
if [[ -f $folder/installed ]] && cmp -s "$here/package-lock.json" "$folder/installed"; then exit 0; fi
cp "$here/package.json" "$here/package-lock.json" "$folder"
cd "$folder"
npm ci --no-audit --no-fund --ignore-scripts --loglevel=error
cp package-lock.json installed
