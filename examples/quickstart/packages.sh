# shellcheck shell=bash disable=SC2034 # the lists are for quickstart.sh
# Installs what the quickstart needs on Debian 12, and only what is missing.  Uses sudo where the caller is not root.
# Services that come along (prometheus, nginx) are not started: the quickstart runs its own, on loopback, for minutes.

BUILD_PACKAGES=(g++ cmake ninja-build pkg-config libcurl4-openssl-dev libssl-dev dpkg-dev libyaml-dev
    libcctz-dev tzdata
    zlib1g-dev libmicrohttpd-dev libcli11-dev libsystemd-dev libgtest-dev nlohmann-json3-dev libre2-dev locales)
RUN_PACKAGES=(curl openssl python3 prometheus nginx)

# install_missing PACKAGE...
install_missing() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0
    if ! command -v apt-get >/dev/null; then
        echo "quickstart: needs Debian's packages ${missing[*]}; install what corresponds to them, then use --no-install" >&2
        return 1
    fi
    echo "Installing ${missing[*]}"
    as_root apt-get update -qq || return
    without_starting_services as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

missing_packages() {
    local package
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
    done
}

as_root() {
    if ((EUID == 0)); then
        "$@"
    else
        sudo "$@"
    fi
}

# Debian asks policy-rc.d before a package starts its service; exit status 101 means no.  A file that is there already is
# left alone.
SERVICE_POLICY=/usr/sbin/policy-rc.d
OWN_SERVICE_POLICY=0

without_starting_services() {
    local status=0
    if [[ ! -e $SERVICE_POLICY ]]; then
        OWN_SERVICE_POLICY=1
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$SERVICE_POLICY" >/dev/null
        as_root chmod 755 "$SERVICE_POLICY"
    fi
    "$@" || status=$?
    allow_services_again
    return "$status"
}

# Also for the way out after an interrupted installation.
allow_services_again() {
    ((OWN_SERVICE_POLICY)) || return 0
    OWN_SERVICE_POLICY=0
    as_root rm -f "$SERVICE_POLICY"
}
