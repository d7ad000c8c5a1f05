#!/usr/bin/env bash
# Runs a command where a Go that bindings/go can be built with is there; else an error with its remedy.
#   with_go.sh COMMAND...
set -euo pipefail

PATH=$PATH:/usr/local/go/bin # where go.dev's archive goes
remedy="bindings/go needs Go 1.24 or newer: unpack go.dev/dl's archive into /usr/local, or put its go into PATH"
command -v go >/dev/null || {
    echo "with_go.sh: there is no go; $remedy" >&2
    exit 2
}
version=$(GOTOOLCHAIN=local go env GOVERSION)
if [[ ! $version =~ ^go1\.([0-9]+) || ${BASH_REMATCH[1]} -lt 24 ]]; then
    echo "with_go.sh: $(command -v go) is $version; $remedy" >&2
    exit 2
fi
# The toolchain that is here, and no module but this one: nothing is fetched.
export GOTOOLCHAIN=local
exec "$@"
