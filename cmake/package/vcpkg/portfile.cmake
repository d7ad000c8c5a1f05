# simdjson is compiled into the library with hidden symbols, so its sources are needed, and not vcpkg's library.
# SHA512 0: cmake/release.sh puts the hash of the archive there that it has built.  That of simdjson is the hash of the tag's archive, which
# is also the original archive of Debian's source package.
vcpkg_download_distfile(archive
    URLS https://github.com/gputide/gputide/releases/download/v${VERSION}/gputide-${VERSION}.tar.gz
    FILENAME gputide-${VERSION}.tar.gz
    SHA512 0)
vcpkg_extract_source_archive(source ARCHIVE ${archive})
vcpkg_from_github(OUT_SOURCE_PATH simdjson REPO simdjson/simdjson REF v3.0.1
    SHA512 614d77123cc100a34b124803092782ac55d9a9e88b5a1b8f068671dcb164e818ed1516964222ef9f6393ca8c504d70b5d3aac266adc85ab335676b110ac3b4bd)
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES yaml GPUTIDE_YAML cron GPUTIDE_CRON)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(SOURCE_PATH ${source}
    OPTIONS ${features} -DGPUTIDE_SIMDJSON_SOURCE=${simdjson} -DPKG_CONFIG_EXECUTABLE=${PKGCONFIG})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/gputide)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${source}/LICENSE)
