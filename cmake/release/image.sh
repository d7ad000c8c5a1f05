# shellcheck shell=bash disable=SC2154 # of release.sh: the OCI image of gputided, from nothing but files
# A layer with Debian's libraries, certificates and time zones, and one with gputided and its library, for each machine.

image() {
    local machine folder sysroot root roots=()
    for machine in "${machines[@]}"; do
        folder=$(built "$machine" gputided gputide_full) sysroot=
        [[ $machine == "$(uname -m)" ]] || sysroot=$(cmake/debian_sysroot.sh arm64)
        root=$work/image-$machine
        mkdir "$root"
        cmake/package/image_root.sh "$root" "$folder" "$sysroot"
        roots+=("$machine=$root")
    done
    cmake/release/oci.py "$out/gputided-$version.oci.tar" "$version" "${roots[@]}"
}
