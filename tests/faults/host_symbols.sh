#!/usr/bin/env bash
# Both flavors in hosts that export another simdjson, OpenSSL or nghttp2.
#   host_symbols.sh FOLDER_OF_HOSTS SHARED SELF_CONTAINED NGINX [NODE]
set -euo pipefail
hosts=$1 shared=$2 self_contained=$3 nginx=$4 node=${5-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$work"' EXIT

# A Prometheus over TLS that answers the right number to HTTP/2 alone, zipped.
sh "$here/../unit/http/certificates.sh" "$work" >"$work/certificates.log" 2>&1 || { cat "$work/certificates.log" >&2; exit 1; }
port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >"$work/nginx.conf" <<END
daemon off; master_process off; pid $work/nginx.pid; error_log $work/error.log;
events { worker_connections 64; }
http {
    access_log off; client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fcgi;
    uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;
    map \$server_protocol \$gpu { HTTP/2.0 42.5; default 0; }
    gzip on; gzip_min_length 1; gzip_types application/json;
    server {
        listen 127.0.0.1:$port ssl http2; ssl_certificate $work/good.pem; ssl_certificate_key $work/good.key;
        default_type application/json;
        location / { return 200 '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"\$gpu"]}]}}'; }
    }
}
END
"$nginx" -c "$work/nginx.conf" 2>"$work/nginx.log" &
server=$!
for _ in {1..100}; do
    curl --silent --cacert "$work/ours.pem" "https://127.0.0.1:$port/" >"$work/answer" && break
    sleep 0.1
done
whole=(whole "https://127.0.0.1:$port" "$work/ours.pem")

failures=0
cell() {  # NAME COMMAND...
    local name=$1 status=0
    shift
    "$@" 2>"$work/complaint" || status=$?
    if ((status)); then
        failures=$((failures + 1))
        echo "failed: $name (exit status $status): $(cat "$work/complaint")"
    else
        echo "passed: $name"
    fi
}
in_node() { HOST_ARGUMENTS="$*" "$node" -e 'process.dlopen({ exports: {} }, process.argv[1])' "$hosts/gputide_host_in_node.so"; }

for flavor in shared self_contained; do
    for mode in local global deepbind; do
        cell "another simdjson, $flavor, $mode" "$hosts/gputide_host_simdjson" "$mode" "${!flavor}" "${whole[@]}"
    done
done
for mode in local global deepbind; do
    cell "another OpenSSL and nghttp2, self-contained, $mode" "$hosts/gputide_host_all" "$mode" "$self_contained" "${whole[@]}"
done
cell "another OpenSSL and nghttp2, shared, deepbind" "$hosts/gputide_host_all" deepbind "$shared" "${whole[@]}"
for mode in local global; do
    cell "another OpenSSL, shared, $mode" "$hosts/gputide_host_all" "$mode" "$shared" refused SSL_CTX_new
done
cell "another nghttp2, self-contained" "$hosts/gputide_host_nghttp2" local "$self_contained" "${whole[@]}"
cell "another nghttp2, shared" "$hosts/gputide_host_nghttp2" local "$shared" refused nghttp2_session_client_new
if [[ $node ]]; then
    cell "node, self-contained" in_node local "$self_contained" "${whole[@]}"
    cell "node, shared, deepbind" in_node deepbind "$shared" "${whole[@]}"
    if nm --dynamic --defined-only "$node" 2>/dev/null | grep ' SSL_CTX_new$' >/dev/null; then
        cell "node with an OpenSSL of its own, shared" in_node local "$shared" refused SSL_CTX_new
    else
        cell "node, shared" in_node local "$shared" "${whole[@]}"
    fi
else
    echo "left out: node is not installed"
fi
((failures == 0))
