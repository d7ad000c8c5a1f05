#!/bin/sh
# Makes the certificates of the TLS tests: certificates.sh FOLDER
set -eu
cd "$1"

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }

authority() { # name
    key "$1"
    openssl req -x509 -new -key "$1.key" -subj "/CN=$1" -days 2 -out "$1.pem" \
        -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
}

signed() { # name, authority, days, subjectAltName
    key "$1"
    openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
    printf 'subjectAltName=%s\n' "$4" > "$1.ext"
    openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial -days "$3" -extfile "$1.ext" -out "$1.pem"
}

authority ours
authority theirs
signed good ours 2 DNS:localhost,IP:127.0.0.1
signed named ours 2 DNS:prom.internal
signed expired ours -1 DNS:localhost,IP:127.0.0.1
signed client ours 2 DNS:client
mkdir roots
cp ours.pem roots
openssl rehash roots
openssl ec -in client.key -aes128 -passout pass:secret -out client.locked.key
