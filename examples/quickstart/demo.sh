# shellcheck shell=bash disable=SC2034,SC2154 # STACK_PIDS belongs to stack.sh
# What quickstart.sh does with the stack: evaluate, run, watch, clean up.  Needs stack.sh, and WORK, GPUTIDED, ROOT,
# KEEP_LOGS and HILL_SECONDS of its caller.

step() {
    printf '\n== %s\n' "$1"
}

fail() {
    echo "quickstart: $1" >&2
    exit 1
}

# The values that the two ${NAME}s of the manifest and the credential chain take.
show_environment() {
    local name
    for name in USER_ASSIGNED_CLIENT_ID PROMETHEUS_QUERY_ENDPOINT AZURE_TENANT_ID AZURE_AUTHORITY_HOST \
        AZURE_FEDERATED_TOKEN_FILE SSL_CERT_FILE; do
        echo "export $name=${!name}"
    done
}

# Starts the hill, and waits until Prometheus shows that there is something to decide.
start_the_load() {
    stack_curl -f -X POST -o /dev/null "$FLEET_URL/load"
    wait_for prometheus 60 utilization_above 40
}

utilization_above() {
    stack_curl -f --data-urlencode "query=avg(DCGM_FI_DEV_GPU_UTIL{deployment=\"my-gpu-workload\"}) > $1" \
        "$PROMETHEUS_URL/api/v1/query" | grep -q '"value"'
}

evaluate() {
    "$GPUTIDED" eval -f "$ROOT/examples/manifests/aks-gpu.yaml" --current 1 --output "$1" 2>>"$WORK/logs/gputided-eval.log"
}

# Decisions, a JSON line each, go through a pipe to the watcher.  --exec applies one, --observe tells how many replicas there are.
start_gputided() {
    mkfifo "$WORK/decisions"
    # shellcheck disable=SC2016 # GPUTIDE_DESIRED is for the shell that gputided starts
    "$GPUTIDED" run -f "$ROOT/examples/manifests/aks-gpu-demo.yaml" --listen "127.0.0.1:$STACK_SPARE_PORT" --log all \
        --observe "curl -q -fsS '$FLEET_URL/scale'" \
        --exec 'curl -q -fsS -X PUT -d "{\"replicas\": $GPUTIDE_DESIRED}" -o /dev/null '"'$FLEET_URL/scale'" \
        </dev/null >"$WORK/decisions" 2>"$WORK/logs/gputided-run.log" &
    STACK_PIDS[gputided]=$!
}

# Fails if the fleet did not go up and come down in time.  The watcher runs in the background because a signal interrupts
# bash in `wait`, but not while a program is in the foreground.
watch_the_fleet() {
    python3 "$STACK_SOURCE/watch.py" --fleet "$FLEET_URL" --timeout "$((HILL_SECONDS + 120))" \
        --record "$WORK/logs/decisions.jsonl" <"$WORK/decisions" &
    STACK_PIDS[watch]=$!
    wait "${STACK_PIDS[watch]}"
    stack_stop gputided
}

show_tokens() {
    echo "Tokens: $(stack_curl -f "$TOKEN_URL/stats")"
}

# Runs at every exit: stops all parts, shows the logs after a failure, removes the folder.
finish() {
    local status=$1
    trap - EXIT
    trap '' HUP INT TERM # no half clean-up
    stack_down
    allow_services_again
    [[ -n ${WORK:-} ]] || exit "$status"
    if ((status != 0 && status < 128)); then
        printf '\nquickstart: failed with status %s\n' "$status" >&2
        stack_logs >&2
    fi
    if [[ -n $KEEP_LOGS ]]; then
        mkdir -p "$KEEP_LOGS" && cp -r "$WORK/logs/." "$KEEP_LOGS/"
    fi
    rm -rf "$WORK"
    exit "$status"
}
