# Debian's packages: cpack -G DEB makes libgputide1, libgputide-dev and gputided of a build with the daemon.
if(NOT TARGET gputided OR GPUTIDE_SELF_CONTAINED OR GPUTIDE_SANITIZE)
    return()
endif()
find_program(GPUTIDE_GZIP gzip)
find_program(GPUTIDE_DPKG_SHLIBDEPS dpkg-shlibdeps)
if(NOT GPUTIDE_GZIP OR NOT GPUTIDE_DPKG_SHLIBDEPS)
    message(STATUS "No Debian packages: gzip or dpkg-shlibdeps (dpkg-dev) is missing")
    return()
endif()

set(from ${PROJECT_SOURCE_DIR}/cmake/package)
set(to ${PROJECT_BINARY_DIR}/package)
configure_file(${from}/changelog.in ${to}/changelog @ONLY)
configure_file(${from}/gputided.1.in ${to}/gputided.1 @ONLY)
foreach(file changelog gputided.1)
    execute_process(COMMAND ${GPUTIDE_GZIP} -9nc ${to}/${file} OUTPUT_FILE ${to}/${file}.gz COMMAND_ERROR_IS_FATAL ANY)
endforeach()

set(packages library:libgputide${GPUTIDE_ABI} development:libgputide-dev daemon:gputided)
foreach(package ${packages})
    string(REGEX MATCH "^([a-z]+):(.+)$" unused ${package})
    set(component ${CMAKE_MATCH_1})
    set(name ${CMAKE_MATCH_2})
    install(FILES ${to}/changelog.gz ${from}/copyright DESTINATION share/doc/${name} COMPONENT ${component} EXCLUDE_FROM_ALL)
    string(TOUPPER ${component} key)
    set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name})
endforeach()
# Not part of `cmake --install`: a unit belongs to a package.
install(TARGETS gputided RUNTIME DESTINATION bin COMPONENT daemon EXCLUDE_FROM_ALL)
install(FILES ${to}/gputided.1.gz DESTINATION share/man/man1 COMPONENT daemon EXCLUDE_FROM_ALL)
install(FILES ${from}/gputided.service DESTINATION /lib/systemd/system COMPONENT daemon EXCLUDE_FROM_ALL)
install(FILES ${from}/gputided.default DESTINATION /etc/default RENAME gputided COMPONENT daemon EXCLUDE_FROM_ALL)
install(DIRECTORY DESTINATION /etc/gputide COMPONENT daemon EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL library development daemon)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_SET_DESTDIR ON)  # for /etc and /lib
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_OUTPUT_FILE_PREFIX ${to})
set(CPACK_PACKAGE_CONTACT "gputide <gputide@example.org>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})

set(exact "libgputide${GPUTIDE_ABI} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # of libraries alone, with the trigger for ldconfig
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "embeddable GPU autoscaling, the library
 Decides replica counts of GPU workloads in the host's own process, as KEDA and
 the HPA would decide them, from the manifests that those two read.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${exact}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "embeddable GPU autoscaling, for developers
 Headers for C and C++, the link to the library, and what pkg-config and CMake
 need to find libgputide.")
set(CPACK_DEBIAN_DAEMON_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_DAEMON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DAEMON_PACKAGE_DEPENDS "${exact}")
set(CPACK_DEBIAN_DAEMON_PACKAGE_RECOMMENDS "ca-certificates, tzdata")
set(CPACK_DEBIAN_DAEMON_PACKAGE_CONTROL_EXTRA "${from}/conffiles;${from}/prerm;${from}/postrm")
set(CPACK_COMPONENT_DAEMON_DESCRIPTION "GPU autoscaling where KEDA is not, and beside it
 Polls, decides and writes replica counts by manifests of KEDA; checks, explains
 and replays them. Comes with a unit for systemd.")
include(CPack)
