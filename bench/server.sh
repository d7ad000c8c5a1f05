# shellcheck shell=bash source-path=SCRIPTDIR
# nginx with TLS on a free loopback port, in a process of its own.
#     server_up DIR       sets BENCH_URL, exports SSL_CERT_FILE and REQUESTS_CA_BUNDLE
#     server_down         safe at any time, also twice

SERVER_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../examples/quickstart/keys.sh
source "$SERVER_SOURCE/../examples/quickstart/keys.sh"
SERVER_PID=

server_up() {
    local dir port tries
    dir=$(realpath "$1")
    make_ca "$dir" && make_server_certificate "$dir"
    export SSL_CERT_FILE=$dir/ca.crt REQUESTS_CA_BUNDLE=$dir/ca.crt no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    write_configuration "$dir" "$port" >"$dir/nginx.conf"
    "$(PATH=$PATH:/usr/sbin command -v nginx)" -p "$dir" -c "$dir/nginx.conf" &
    SERVER_PID=$!
    BENCH_URL=https://127.0.0.1:$port
    for ((tries = 0; tries < 50; ++tries)); do
        if curl -fs --cacert "$SSL_CERT_FILE" "$BENCH_URL/api/v1/query" >/dev/null; then return 0; fi
        sleep 0.1
    done
    echo "bench: the server did not start:" >&2
    cat "$dir/nginx.log" >&2
    return 1
}

server_down() {
    [[ -n $SERVER_PID ]] || return 0
    kill "$SERVER_PID" 2>/dev/null || true
    wait "$SERVER_PID" 2>/dev/null || true
    SERVER_PID=
}

# The other end of the macro benchmarks: TLS, connections kept for ever, one fixed instant vector for every query.
# Loopback only; HTTP/1.1, so that all clients speak the same.
write_configuration() {  # DIR PORT
    local dir=$1 port=$2
    cat <<END
daemon off;
pid $dir/nginx.pid;
error_log $dir/nginx.log warn;
worker_processes 1;
worker_rlimit_nofile 8192;

events {
    worker_connections 4096;
}

http {
    access_log off;
    keepalive_timeout 3600s;
    keepalive_requests 1000000000;
    client_body_temp_path $dir/body;
    proxy_temp_path $dir/proxy;
    fastcgi_temp_path $dir/fastcgi;
    uwsgi_temp_path $dir/uwsgi;
    scgi_temp_path $dir/scgi;

    server {
        listen 127.0.0.1:$port ssl backlog=4096;
        ssl_certificate $dir/server.crt;
        ssl_certificate_key $dir/server.key;
        ssl_protocols TLSv1.3;

        location /api/v1/query {
            default_type application/json;
            return 200 '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1795255200.123,"84.5"]}]}}';
        }
    }
}
END
}
