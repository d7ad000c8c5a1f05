#!/usr/bin/env bash
# Gathers what the installed gputided needs to run, and nothing else, into a folder: the root of a container's image.
#   cmake/package/image_root.sh FOLDER
set -euo pipefail
root=$1
mkdir -p "$root"/{etc,usr/bin,var/lib/dpkg/status.d}
mkdir -m 1777 "$root/tmp"

# With their paths; a link becomes what it leads to.
needed=(/usr/bin/gputided /etc/ssl/openssl.cnf /etc/ssl/certs/ca-certificates.crt /usr/share/zoneinfo)
while read -r library; do needed+=("$library"); done < <(ldd /usr/bin/gputided | sed -nE 's/.*=> (\/[^ ]+) .*/\1/p; s/^[[:space:]]*(\/[^ ]+) .*/\1/p')
cp --archive --dereference --parents "${needed[@]}" "$root"

printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
printf 'gputide:x:65532:65532::/:/sbin/nologin\n' >"$root/etc/passwd"
printf 'gputide:x:65532:\n' >"$root/etc/group"

# Which packages these are, as scanners of images read it, and under which licenses.
for file in "${needed[@]}"; do dpkg-query --search "$(realpath "$file")" 2>/dev/null || dpkg-query --search "$file" 2>/dev/null || true; done |
    cut -d: -f1 | sort -u | while read -r package; do
    dpkg-query --status "$package" >"$root/var/lib/dpkg/status.d/$package"
    if [[ -e /usr/share/doc/$package/copyright ]]; then cp --dereference --parents "/usr/share/doc/$package/copyright" "$root"; fi
done
