#!/usr/bin/env bash
# Gathers what gputided needs to run, and nothing else, into a folder: the root of a container's image.
#   cmake/package/image_root.sh FOLDER                        of the installed gputided
#   cmake/package/image_root.sh FOLDER BUILD [SYSROOT]        of the build folder's gputided and self-contained library; Debian's other
#                                                             libraries are those of the sysroot (cmake/debian_sysroot.sh), or of this machine
set -euo pipefail
root=$1 build=${2:-} sysroot=${3:-}
mkdir -p "$root"/{etc/ssl/certs,usr/bin,var/lib/dpkg/status.d}
mkdir -m 1777 "$root/tmp"

program=/usr/bin/gputided strip=strip
if [[ -n $build ]]; then
    program=$build/gputided
    [[ -z $sysroot ]] || strip=aarch64-linux-gnu-strip
    "$strip" -o "$root/usr/bin/gputided" "$program"
    "$(dirname "${BASH_SOURCE[0]}")/carry.sh" "$build/libgputide-full.so.1" "$root/usr/share/doc/gputide"
    mkdir -p "$root/usr/lib"
    mv "$root/usr/share/doc/gputide/libgputide-full.so.1" "$root/usr/lib"
fi

# Prints the path of a library in the system that the program is for; nothing for one that the build folder has.
path_of() {
    local folder
    for folder in /lib/"$triplet" /usr/lib/"$triplet" /lib64 /lib; do
        if [[ -e $sysroot$folder/$1 ]]; then echo "$folder/$1"; return; fi
    done
    [[ -e $build/$1 ]] || { echo "image_root.sh: $program needs $1, which ${sysroot:-this machine} does not have" >&2; return 1; }
}
# Prints the libraries that a program needs, and those that they need in turn, with their paths.
libraries_of() {
    local files=("$1") file name path
    declare -A seen=()
    readelf --wide --program-headers "$1" | sed -nE 's/.*program interpreter: (.*)\]/\1/p'
    while ((${#files[@]})); do
        file=${files[0]} files=("${files[@]:1}")
        while read -r name; do
            [[ -z ${seen[$name]:-} && $name != ld-linux-* ]] || continue
            seen[$name]=1
            path=$(path_of "$name")
            if [[ -n $path ]]; then echo "$path"; files+=("$sysroot$path"); else files+=("$build/$name"); fi
        done < <(readelf --wide --dynamic "$file" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
    done
}

# With their paths; a link becomes what it leads to.
certificates=/etc/ssl/certs/ca-certificates.crt
if [[ -n $build ]]; then
    triplet=x86_64-linux-gnu
    [[ -z $sysroot ]] || triplet=aarch64-linux-gnu
    libraries=$(libraries_of "$program")
    # Mozilla's roots alone: the list of the build machine may have more.
    cat "$sysroot"/usr/share/ca-certificates/mozilla/*.crt >"$root$certificates"
else
    libraries=$(ldd "$program" | sed -nE 's/.*=> (\/[^ ]+) .*/\1/p; s/^[[:space:]]*(\/[^ ]+) .*/\1/p')
    libraries+=$'\n'$program$'\n'$certificates
fi
mapfile -t needed <<<"/etc/ssl/openssl.cnf"$'\n'"$libraries"
(cd "$sysroot/" && cp --archive --dereference --parents "${needed[@]#/}" "$root")
mkdir -p "$root/usr/share"
tar -C "$sysroot/usr/share" --dereference --exclude=zoneinfo/localtime -c zoneinfo | tar -C "$root/usr/share" -x

printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
printf 'gputide:x:65532:65532::/:/sbin/nologin\n' >"$root/etc/passwd"
printf 'gputide:x:65532:\n' >"$root/etc/group"

# Which packages these are, as scanners of images read it, and under which licenses.
query() { dpkg-query --admindir="$sysroot/var/lib/dpkg" "$@"; }
for file in "${needed[@]}" /usr/share/zoneinfo/UTC /usr/share/ca-certificates/mozilla; do
    real=$(realpath "$sysroot$file")
    query --search "${real#"$sysroot"}" 2>/dev/null || query --search "$file" 2>/dev/null || true
done | cut -d: -f1 | sort -u | while read -r package; do
    query --status "$package" >"$root/var/lib/dpkg/status.d/$package"
    if [[ -e $sysroot/usr/share/doc/$package/copyright ]]; then
        (cd "$sysroot/" && cp --dereference --parents "usr/share/doc/$package/copyright" "$root")
    fi
done
