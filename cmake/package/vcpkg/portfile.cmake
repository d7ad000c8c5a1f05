# simdjson is compiled into the library with hidden symbols, so its sources are needed, and not vcpkg's library.
# SHA512 of both: that of the release's gputide-VERSION.tar.gz is known when it is published; vcpkg prints the right ones.
vcpkg_download_distfile(archive
    URLS https://github.com/gputide/gputide/releases/download/v${VERSION}/gputide-${VERSION}.tar.gz
    FILENAME gputide-${VERSION}.tar.gz
    SHA512 0)
vcpkg_extract_source_archive(source ARCHIVE ${archive})
vcpkg_from_github(OUT_SOURCE_PATH simdjson REPO simdjson/simdjson REF v3.0.1 SHA512 0)
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES yaml GPUTIDE_YAML cron GPUTIDE_CRON)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(SOURCE_PATH ${source}
    OPTIONS ${features} -DGPUTIDE_SIMDJSON_SOURCE=${simdjson} -DPKG_CONFIG_EXECUTABLE=${PKGCONFIG})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/gputide)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${source}/LICENSE)
