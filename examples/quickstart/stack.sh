# shellcheck shell=bash source-path=SCRIPTDIR
# shellcheck disable=SC2034,SC2120 # STACK_SPARE_PORT and the options of project_token are for callers
# The world around gputide, on loopback: simulated fleet, Prometheus that scrapes it, token endpoint in Entra's place, and
# nginx in the place of the Azure Managed Prometheus query endpoint.
#
#     source examples/quickstart/stack.sh
#     stack_up DIR [options of fleet.py]     starts all, waits until all answer, exports what a manifest needs
#     stack_curl ARGUMENTS                   curl that trusts the stack's CA
#     stack_logs                             prints the end of each log
#     stack_down                             stops all; safe to call at any time, also twice
#
# stack_up sets STACK_DIR, FLEET_URL, PROMETHEUS_URL, TOKEN_URL and STACK_SPARE_PORT (free, for gputided), and exports
# AZURE_TENANT_ID, AZURE_FEDERATED_TOKEN_FILE, AZURE_AUTHORITY_HOST, USER_ASSIGNED_CLIENT_ID, PROMETHEUS_QUERY_ENDPOINT
# and SSL_CERT_FILE.
# Everything written lies below DIR.  Access tokens live STACK_TOKEN_LIFETIME seconds (default 90).

STACK_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=keys.sh
source "$STACK_SOURCE/keys.sh"

STACK_ISSUER=https://oidc.quickstart.invalid/00000000-0000-0000-0000-0000000000aa/
STACK_SUBJECT=system:serviceaccount:default:my-gpu-workload
declare -A STACK_PIDS=()

stack_up() {
    STACK_DIR=$1
    shift
    mkdir -p "$STACK_DIR"/{logs,nginx,keys} &&
        chmod 711 "$STACK_DIR" && # nginx' workers, which may run as another user, pass through
        chmod 700 "$STACK_DIR/keys" &&
        make_keys "$STACK_DIR/keys" &&
        stack_environment &&
        stack_start_fleet "$@" &&
        stack_start_token_endpoint &&
        stack_start_prometheus &&
        stack_start_nginx &&
        stack_wait_ready
}

# Ports first: the parts must know each other's, and the manifest the outermost.
stack_environment() {
    read -r FLEET_PORT PROMETHEUS_PORT TOKEN_PORT QUERY_PORT STACK_SPARE_PORT < <(free_ports 5)
    FLEET_URL=http://127.0.0.1:$FLEET_PORT
    PROMETHEUS_URL=http://127.0.0.1:$PROMETHEUS_PORT
    TOKEN_URL=https://localhost:$TOKEN_PORT
    export AZURE_TENANT_ID=00000000-0000-0000-0000-00000000000a
    export AZURE_AUTHORITY_HOST=$TOKEN_URL/
    export AZURE_FEDERATED_TOKEN_FILE=$STACK_DIR/keys/azure-identity-token
    export USER_ASSIGNED_CLIENT_ID=00000000-0000-0000-0000-00000000000b
    export PROMETHEUS_QUERY_ENDPOINT=https://localhost:$QUERY_PORT
    export SSL_CERT_FILE=$STACK_DIR/keys/ca.crt
    export no_proxy=localhost,127.0.0.1 NO_PROXY=localhost,127.0.0.1
    # shellcheck disable=SC2119
    project_token >"$AZURE_FEDERATED_TOKEN_FILE"
}

# Prints a service-account token as the kubelet would project it; options of projected_token.py change single claims.
project_token() {
    python3 "$STACK_SOURCE/projected_token.py" --key "$STACK_DIR/keys/issuer.key" --issuer "$STACK_ISSUER" \
        --subject "$STACK_SUBJECT" "$@"
}

stack_start_fleet() {
    stack_start fleet python3 "$STACK_SOURCE/../fleet/fleet.py" --port "$FLEET_PORT" "$@"
}

stack_start_token_endpoint() {
    local keys=$STACK_DIR/keys
    stack_start token-endpoint python3 "$STACK_SOURCE/token_endpoint.py" --port "$TOKEN_PORT" \
        --certificate "$keys/server.crt" --certificate-key "$keys/server.key" \
        --signing-key "$keys/signing.key" --signing-public-key "$keys/signing.pub" --issuer-public-key "$keys/issuer.pub" \
        --tenant "$AZURE_TENANT_ID" --client-id "$USER_ASSIGNED_CLIENT_ID" \
        --issuer "$STACK_ISSUER" --subject "$STACK_SUBJECT" --lifetime "${STACK_TOKEN_LIFETIME:-90}"
}

stack_start_prometheus() {
    fill_in "$STACK_SOURCE/prometheus.yml.in" >"$STACK_DIR/prometheus.yml"
    stack_start prometheus prometheus --config.file="$STACK_DIR/prometheus.yml" --storage.tsdb.path="$STACK_DIR/tsdb" \
        --web.listen-address="127.0.0.1:$PROMETHEUS_PORT" --log.level=warn
}

stack_start_nginx() {
    fill_in "$STACK_SOURCE/nginx.conf.in" >"$STACK_DIR/nginx/nginx.conf"
    # Debian keeps nginx in sbin, which is not on every PATH.
    stack_start nginx env PATH="$PATH:/usr/sbin" nginx -p "$STACK_DIR/nginx" -e "$STACK_DIR/logs/nginx.log" \
        -c "$STACK_DIR/nginx/nginx.conf"
}

stack_wait_ready() {
    wait_for fleet 30 stack_curl -f -o /dev/null "$FLEET_URL/health" &&
        wait_for token-endpoint 30 stack_curl -f -o /dev/null "$TOKEN_URL/healthz" &&
        wait_for prometheus 30 stack_curl -f -o /dev/null "$PROMETHEUS_URL/-/ready" &&
        wait_for nginx 30 stack_curl -o /dev/null "$PROMETHEUS_QUERY_ENDPOINT/" &&
        wait_for prometheus 30 prometheus_has_seen_the_fleet
}

# curl that trusts the stack's CA, whatever CURL_CA_BUNDLE or ~/.curlrc say.
stack_curl() {
    curl -q -sS --max-time 5 --cacert "$STACK_DIR/keys/ca.crt" "$@"
}

prometheus_has_seen_the_fleet() {
    stack_curl -f --data-urlencode 'query=count(DCGM_FI_DEV_GPU_UTIL)' "$PROMETHEUS_URL/api/v1/query" | grep -q '"value"'
}

# stack_start NAME COMMAND...: in the background, output to logs/NAME.log.
stack_start() {
    local name=$1
    shift
    "$@" </dev/null >>"$STACK_DIR/logs/$name.log" 2>&1 &
    STACK_PIDS[$name]=$!
}

# wait_for NAME SECONDS COMMAND...: until the command succeeds; gives up early if the part has ended.
wait_for() {
    local name=$1 deadline=$((SECONDS + $2)) limit=$2
    shift 2
    until "$@" 2>/dev/null; do
        if ! kill -0 "${STACK_PIDS[$name]}" 2>/dev/null; then
            echo "stack: $name ended during start-up; its log is $STACK_DIR/logs/$name.log" >&2
            return 1
        fi
        if ((SECONDS >= deadline)); then
            echo "stack: $name did not answer within $limit s; its log is $STACK_DIR/logs/$name.log" >&2
            return 1
        fi
        sleep 0.1
    done
}

# stack_stop NAME: asks one part to end and waits for it.
stack_stop() {
    kill "${STACK_PIDS[$1]}" 2>/dev/null || true
    end_within 5 "${STACK_PIDS[$1]}"
    unset "STACK_PIDS[$1]"
}

stack_down() {
    local pid
    ((${#STACK_PIDS[@]})) || return 0
    kill "${STACK_PIDS[@]}" 2>/dev/null || true
    for pid in "${STACK_PIDS[@]}"; do
        end_within 5 "$pid"
    done
    STACK_PIDS=()
}

# end_within SECONDS PID: waits for a child that was asked to end; then it is killed.
end_within() {
    local tries=$(($1 * 20)) pid=$2
    while kill -0 "$pid" 2>/dev/null && ((tries-- > 0)); do
        sleep 0.05
    done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
}

stack_logs() {
    local log
    for log in "$STACK_DIR"/logs/*; do
        [[ -s $log ]] || continue
        printf -- '--- %s (last lines)\n' "${log##*/}"
        tail -n 15 "$log"
    done
}

# Puts the folder and the ports into a template's @NAMES@.
fill_in() {
    sed -e "s|@DIR@|$STACK_DIR|g" -e "s|@FLEET_PORT@|$FLEET_PORT|g" -e "s|@PROMETHEUS_PORT@|$PROMETHEUS_PORT|g" \
        -e "s|@TOKEN_PORT@|$TOKEN_PORT|g" -e "s|@QUERY_PORT@|$QUERY_PORT|g" "$1"
}

# Prints N free ports below the range from which the kernel takes ports for outgoing connections, so that they stay free.
free_ports() {
    python3 - "$1" <<'PYTHON'
import random, socket, sys
found = []
for port in random.sample(range(20000, 32000), 500):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
    found.append(port)
    if len(found) == int(sys.argv[1]):
        break
print(*found)
PYTHON
}
