#!/usr/bin/env bash
# The quickstart's stack, part by part, by curl: what the fleet shows, what the token endpoint takes and refuses, what the
# query endpoint lets through, and that nothing is left behind.  No gputide in it: this is the world that gputide is tried
# against, so it must be right by itself.  Needs prometheus, nginx, curl, openssl, python3; about 20 s.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR
source "$HERE/../../examples/quickstart/stack.sh"

FAILED=0 PASSED=0
SCOPE=https://prometheus.monitor.azure.com/.default
ASSERTION_TYPE=urn:ietf:params:oauth:client-assertion-type:jwt-bearer
AVERAGE='avg(DCGM_FI_DEV_GPU_UTIL{deployment="my-gpu-workload"})'

main() {
    WORK=$(mktemp -d)
    trap 'stack_down; rm -rf "$WORK"' EXIT
    echo '0 90' >"$WORK/flat.curve" # one GPU at 90 %, for ever
    STACK_TOKEN_LIFETIME=6
    if ! stack_up "$WORK" --load "$WORK/flat.curve" --start-delay 3 --collect-interval 0.5; then
        stack_logs
        exit 1
    fi
    no_access_without_a_token
    a_right_request_gets_a_token
    each_wrong_field_has_its_number
    the_token_opens_the_query_endpoint
    foreign_tokens_open_nothing
    the_page_is_the_exporters
    the_fleet_scales_with_a_delay
    the_fleet_refuses_what_it_cannot_read
    an_old_token_opens_nothing
    all_parts_end
    echo "$PASSED passed, $FAILED failed"
    ((FAILED == 0))
}

# expect NAME EXPECTED ACTUAL
expect() {
    if [[ $3 == "$2" ]]; then
        PASSED=$((PASSED + 1))
    else
        FAILED=$((FAILED + 1))
        printf '%s: expected %s, got %s\n' "$1" "$2" "$3" >&2
    fi
}

# json EXPRESSION: evaluates a Python expression over the JSON on stdin, which is called it.
json() {
    python3 -c 'import json, sys; it = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"
}

# exchange [NAME=VALUE...]: a right token request with some fields replaced; `NAME=` leaves a field out.
exchange() {
    local -A form=([grant_type]=client_credentials [client_id]=$USER_ASSIGNED_CLIENT_ID [scope]=$SCOPE
        [client_assertion_type]=$ASSERTION_TYPE [client_assertion]=$(<"$AZURE_FEDERATED_TOKEN_FILE"))
    local pair name tenant=$AZURE_TENANT_ID arguments=()
    for pair in "$@"; do
        if [[ $pair == tenant=* ]]; then tenant=${pair#*=}; else form[${pair%%=*}]=${pair#*=}; fi
    done
    for name in "${!form[@]}"; do
        [[ -z ${form[$name]} ]] || arguments+=(--data-urlencode "$name=${form[$name]}")
    done
    stack_curl "${arguments[@]}" "${AZURE_AUTHORITY_HOST}$tenant/oauth2/v2.0/token"
}

# query TOKEN PROMQL [options of curl]
query() {
    local token=$1 promql=$2
    shift 2
    stack_curl -H "Authorization: Bearer $token" --data-urlencode "query=$promql" "$@" "$PROMETHEUS_QUERY_ENDPOINT/api/v1/query"
}

no_access_without_a_token() {
    local answer
    answer=$(stack_curl -w '\n{"status":%{http_code},"version":"%{http_version}","type":"%{content_type}"}' \
        "$PROMETHEUS_QUERY_ENDPOINT/api/v1/query?query=1")
    expect 'status without a token' "401 2 application/json" \
        "$(tail -n 1 <<<"$answer" | json '" ".join(str(value) for value in it.values())')"
    expect 'body without a token' 'error Unauthorized Request does not contain an Authorization Header' \
        "$(head -n 1 <<<"$answer" | json 'it["status"] + " " + it["errorType"] + " " + it["error"].split(".")[0]')"
    expect 'other paths' 404 "$(stack_curl -o /dev/null -w '%{http_code}' "$PROMETHEUS_QUERY_ENDPOINT/metrics")"
}

a_right_request_gets_a_token() {
    local answer
    answer=$(exchange)
    expect 'token answer' 'Bearer 6 3' "$(json 'it["token_type"], it["expires_in"], len(it["access_token"].split("."))' \
        <<<"$answer" | tr -d "(),'")"
    TOKEN=$(json 'it["access_token"]' <<<"$answer")
    expect 'scope is exact, client id and tenant are not case-sensitive' Bearer \
        "$(exchange "client_id=${USER_ASSIGNED_CLIENT_ID^^}" "tenant=${AZURE_TENANT_ID^^}" | json 'it["token_type"]')"
}

# refused NAME NUMBER WORD [NAME=VALUE...]
refused() {
    local name=$1 expected="[$2] $3 AADSTS$2:"
    shift 3
    expect "$name" "$expected" \
        "$(exchange "$@" | json 'str(it["error_codes"]) + " " + it["error"] + " " + it["error_description"].split(" ")[0]')"
}

each_wrong_field_has_its_number() {
    local assertion other
    refused 'another tenant' 90002 invalid_request tenant=00000000-0000-0000-0000-0000000000ff
    refused 'another client' 700016 unauthorized_client client_id=00000000-0000-0000-0000-0000000000ff
    refused 'another scope' 70011 invalid_scope scope=https://management.azure.com/.default
    refused 'the resource in place of the scope' 70011 invalid_scope scope=https://prometheus.monitor.azure.com
    refused 'another grant' 70003 unsupported_grant_type grant_type=authorization_code
    refused 'no grant' 900144 invalid_request grant_type=
    refused 'a resource' 901002 invalid_request resource=https://prometheus.monitor.azure.com
    refused 'no assertion type' 7000218 invalid_client client_assertion_type=
    refused 'no assertion' 7000218 invalid_client client_assertion=
    refused 'an assertion that is no JWT' 50027 invalid_request client_assertion=ghp_something
    assertion=$(project_token --issuer https://elsewhere.invalid/)
    refused 'another issuer' 700211 invalid_client "client_assertion=$assertion"
    assertion=$(project_token --audience https://kubernetes.default.svc)
    refused 'another audience' 700212 invalid_client "client_assertion=$assertion"
    assertion=$(project_token --subject system:serviceaccount:keda:keda-operator)
    refused 'another subject' 700213 invalid_client "client_assertion=$assertion"
    assertion=$(project_token --lifetime -60)
    refused 'an expired assertion' 700024 invalid_client "client_assertion=$assertion"
    assertion=$(project_token --key "$STACK_DIR/keys/signing.key")
    refused 'a signature of another key' 700027 invalid_client "client_assertion=$assertion"
    other=$(project_token)
    refused 'claims with the signature of other claims' 700027 invalid_client \
        "client_assertion=${other%.*}.$(sed 's/.*\.//' "$AZURE_FEDERATED_TOKEN_FILE")"
    expect 'a JSON body' '[900144]' "$(stack_curl -H 'Content-Type: application/json' -d '{}' \
        "${AZURE_AUTHORITY_HOST}$AZURE_TENANT_ID/oauth2/v2.0/token" | json 'it["error_codes"]')"
    expect 'GET' 405 "$(stack_curl -o /dev/null -w '%{http_code}' \
        "${AZURE_AUTHORITY_HOST}$AZURE_TENANT_ID/oauth2/v2.0/token")"
    expect 'the client-request-id comes back' 11111111-2222-3333-4444-555555555555 "$(stack_curl -d a=b \
        -H 'client-request-id: 11111111-2222-3333-4444-555555555555' \
        "${AZURE_AUTHORITY_HOST}$AZURE_TENANT_ID/oauth2/v2.0/token" | json 'it["correlation_id"]')"
}

the_token_opens_the_query_endpoint() {
    TOKEN=$(exchange | json 'it["access_token"]')
    expect "the fleet's average" 'success vector True' "$(query "$TOKEN" "$AVERAGE" | json \
        'it["status"] + " " + it["data"]["resultType"] + " " + str(89 <= float(it["data"]["result"][0]["value"][1]) <= 91)')"
    expect 'only GPUs that a pod holds get a deployment' "my-gpu-workload=1 none=23" "$(query "$TOKEN" \
        'count by (deployment) (DCGM_FI_DEV_GPU_UTIL)' |
        json '" ".join(sorted(s["metric"].get("deployment", "none") + "=" + s["value"][1] for s in it["data"]["result"]))')"
}

foreign_tokens_open_nothing() {
    local forged
    forged=$(cd "$STACK_SOURCE" && python3 -c 'import jws, pathlib, sys, time
print(jws.sign(pathlib.Path(sys.argv[1]), {"aud": sys.argv[2], "exp": time.time() + 60}))' \
        "$STACK_DIR/keys/signing.key" https://management.azure.com)
    expect 'a token for another audience' '401 The access token has the wrong audience' "$(fault_of "$forged")"
    expect 'the service-account token itself' '401 The signature of the access token is not valid' \
        "$(fault_of "$(<"$AZURE_FEDERATED_TOKEN_FILE")")"
    expect 'a token without its end' '401 The signature of the access token is not valid' "$(fault_of "${TOKEN%????}")"
    expect 'no token at all' '401 The access token is not a JWT' "$(fault_of nonsense)"
}

# Status and text of a query with this token.
fault_of() {
    query "$1" 1 -w '\n%{http_code}' | {
        read -r body
        read -r status
        echo "$status $(json 'it["error"].split(".")[0]' <<<"$body")"
    }
}

# promtool dislikes two things, which are the real exporter's: the label modelName, and a counter without _total.
the_page_is_the_exporters() {
    local said status=0
    said=$(stack_curl "$FLEET_URL/metrics" | promtool check metrics 2>&1) || status=$?
    expect "promtool's verdict" 3 "$status"
    expect "promtool's only complaints" \
        "counter metrics should have \"_total\" suffix; label names should be written in 'snake_case' not 'camelCase'" \
        "$(cut -d' ' -f2- <<<"$said" | sort -u | sed -z 's/\n\(.\)/; \1/g')"
    expect 'content type' 'text/plain; charset=utf-8' "$(stack_curl -o /dev/null -w '%{content_type}' "$FLEET_URL/metrics")"
}

scale() {
    stack_curl -X PUT -d "{\"replicas\": $1}" "$FLEET_URL/scale"
}

the_fleet_scales_with_a_delay() {
    local before
    expect 'before' '{"spec": 1, "status": 1, "ready": 1}' "$(stack_curl "$FLEET_URL/scale")"
    before=$(date +%s%N)
    expect 'pods come at once' '{"spec": 3, "status": 3, "ready": 1}' "$(scale 3)"
    wait_for fleet 30 all_ready 3
    expect 'ready after the delay of 3 s' True "$(json "3 <= it / 1e9 <= 30" <<<$(($(date +%s%N) - before)))"
    expect 'the load is shared' True "$(wait_for fleet 30 load_is_shared && echo True)"
    expect 'pods go at once' '{"spec": 1, "status": 1, "ready": 1}' "$(scale 1)"
    expect 'their GPUs too' 1 "$(pod_readings | json 'len(it)')"
}

all_ready() {
    stack_curl "$FLEET_URL/scale" | grep -q "\"ready\": $1"
}

load_is_shared() {
    [[ $(pod_readings | json 'len(it) == 3 and all(29 <= value <= 31 for value in it)') == True ]]
}

# GPU_UTIL of the GPUs that pods hold, as a JSON array.
pod_readings() {
    stack_curl "$FLEET_URL/metrics" | sed -n 's/^DCGM_FI_DEV_GPU_UTIL{.*pod=.*} //p' | paste -sd, | sed 's/.*/[&]/'
}

the_fleet_refuses_what_it_cannot_read() {
    local body
    for body in '{"replicas": -1}' '{"replicas": 1001}' '{"replicas": 2.5}' '{"replicas": true}' '{"replicas": "2"}' \
        '{"replica": 2}' '[2]' '2' '' '{'; do
        expect "scale with $body" 400 "$(stack_curl -o /dev/null -w '%{http_code}' -X PUT -d "$body" "$FLEET_URL/scale")"
    done
    expect 'the text says what to send' 'replicas: expected an integer from 0 to 1000, got -1; send {"replicas": 3}' "$(scale -1)"
    expect 'a large body' 400 "$(head -c 5000 /dev/zero |
        stack_curl -o /dev/null -w '%{http_code}' --data-binary @- "$FLEET_URL/scale")"
    expect 'another method' 405 "$(stack_curl -X DELETE -o /dev/null -w '%{http_code}' "$FLEET_URL/scale")"
    expect 'nothing changed' '{"spec": 1, "status": 1, "ready": 1}' "$(stack_curl "$FLEET_URL/scale")"
}

an_old_token_opens_nothing() {
    local token
    token=$(exchange | json 'it["access_token"]')
    expect 'a token in its first second' 200 "$(query "$token" 1 -o /dev/null -w '%{http_code}')"
    sleep 6.1
    expect 'a token after its six seconds' '401 The access token has expired' "$(fault_of "$token")"
}

all_parts_end() {
    local pids=("${STACK_PIDS[@]}") pid
    stack_down
    for pid in "${pids[@]}"; do
        expect "process $pid has ended" gone "$([[ -e /proc/$pid ]] && echo alive || echo gone)"
    done
    expect 'the query endpoint is closed' closed "$(stack_curl "$PROMETHEUS_QUERY_ENDPOINT" 2>/dev/null || echo closed)"
}

main
