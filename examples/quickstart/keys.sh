# shellcheck shell=bash
# Keys and certificates for the stack: an own CA, one server certificate for localhost, the cluster issuer's key and the
# token endpoint's signing key.  In: a folder that only the caller can read.  Out: PEM files in it; two days of life.

make_keys() {
    local dir=$1
    # issuer signs service-account tokens, as the cluster does; signing signs access tokens, as Entra does
    make_ca "$dir" &&
        make_server_certificate "$dir" &&
        make_rsa_pair "$dir/issuer" &&
        make_rsa_pair "$dir/signing"
}

make_ca() {
    local dir=$1
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 2 -subj '/CN=gputide quickstart CA' \
        -addext 'keyUsage=critical,keyCertSign,cRLSign' -keyout "$dir/ca.key" -out "$dir/ca.crt" 2>>"$dir/openssl.log"
}

make_server_certificate() {
    local dir=$1
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -subj '/CN=localhost' \
        -keyout "$dir/server.key" -out "$dir/server.csr" 2>>"$dir/openssl.log" || return
    printf '%s\n' 'subjectAltName=DNS:localhost,IP:127.0.0.1' 'extendedKeyUsage=serverAuth' \
        'basicConstraints=critical,CA:FALSE' 'authorityKeyIdentifier=keyid' >"$dir/server.ext"
    openssl x509 -req -in "$dir/server.csr" -CA "$dir/ca.crt" -CAkey "$dir/ca.key" -days 2 -extfile "$dir/server.ext" \
        -out "$dir/server.crt" 2>>"$dir/openssl.log"
}

make_rsa_pair() {
    local name=$1
    openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$name.key" 2>/dev/null &&
        openssl pkey -in "$name.key" -pubout -out "$name.pub"
}
