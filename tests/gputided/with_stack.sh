#!/usr/bin/env bash
# Runs a command beside the quickstart's stack (fleet, Prometheus, strict token endpoint, nginx with TLS) and ends the stack.
#   with_stack.sh COMMAND...     the command finds the stack's addresses and files in its environment
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR
source "$HERE/../../examples/quickstart/stack.sh"

WORK=$(mktemp -d)
trap 'stack_down; rm -rf "$WORK"' EXIT
echo '0 48' >"$WORK/flat.curve" # one GPU at 47 to 49 %, for ever: with a target of 5 that is always 10 replicas
if ! stack_up "$WORK" --load "$WORK/flat.curve" --collect-interval 0.5; then
    stack_logs
    exit 1
fi
project_token --lifetime -600 >"$WORK/keys/expired-token" # what a clock that is wrong by ten minutes makes of it
project_token --subject system:serviceaccount:default:stranger >"$WORK/keys/foreign-token"
export PROMETHEUS_URL FLEET_URL TOKEN_URL STACK_DIR
"$@"
