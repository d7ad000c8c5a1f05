# Debian's packages of a build with the preset `package`: cpack makes in BUILD/debian
# libgputide1, libgputide-full1, libgputide-pure1, libgputide-dev and gputided.
if(GPUTIDE_SELF_CONTAINED OR GPUTIDE_SANITIZE)
    message(FATAL_ERROR "GPUTIDE_PACKAGE: Debian's packages take Debian's libraries; leave out GPUTIDE_SELF_CONTAINED and GPUTIDE_SANITIZE")
endif()
if(NOT CMAKE_INSTALL_PREFIX STREQUAL /usr)
    message(FATAL_ERROR "GPUTIDE_PACKAGE: CMAKE_INSTALL_PREFIX is ${CMAKE_INSTALL_PREFIX}, and a Debian package belongs in /usr: "
        "configure with --preset package")
endif()
find_program(GPUTIDE_GZIP gzip REQUIRED)
# The tools that cpack itself calls; it fails without naming them.
foreach(program dpkg-shlibdeps:dpkg-dev file:file dpkg-deb:dpkg)
    string(REPLACE ":" ";" program ${program})
    list(GET program 0 name)
    list(GET program 1 package)
    find_program(GPUTIDE_PROGRAM_${name} ${name})
    if(NOT GPUTIDE_PROGRAM_${name})
        message(FATAL_ERROR "GPUTIDE_PACKAGE: ${name} is missing, which cpack needs: install ${package}")
    endif()
endforeach()

set(parts ${PROJECT_SOURCE_DIR}/cmake/package)
set(packed ${PROJECT_BINARY_DIR}/package)
set(GPUTIDE_MAINTAINER "gputide <gputide@example.org>" CACHE STRING "Maintainer of the packages: Name <address>")
# SOURCE_DATE_EPOCH, where it is set, is what counts as now: the same source makes the same packages.
string(TIMESTAMP GPUTIDE_CHANGED "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${packed}/changelog @ONLY CONTENT "gputide (@PROJECT_VERSION@) unstable; urgency=medium

  * See CHANGELOG.md of the source.

 -- @GPUTIDE_MAINTAINER@  @GPUTIDE_CHANGED@
")
file(CONFIGURE OUTPUT ${packed}/triggers CONTENT "activate-noawait ldconfig\n")
file(CONFIGURE OUTPUT ${packed}/conffiles CONTENT "/etc/default/gputided\n")
execute_process(COMMAND ${GPUTIDE_GZIP} -9nc ${packed}/changelog OUTPUT_FILE ${packed}/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
add_custom_command(OUTPUT ${packed}/texts/man1/gputided.1.gz VERBATIM DEPENDS gputided ${parts}/texts.cmake
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:gputided> -DGZIP=${GPUTIDE_GZIP} -DTO=${packed}/texts -P ${parts}/texts.cmake)
add_custom_target(gputided_texts ALL DEPENDS ${packed}/texts/man1/gputided.1.gz)

# A component of the install tree and the package that it becomes.
foreach(package library:libgputide${GPUTIDE_ABI} full:libgputide-full${GPUTIDE_ABI} pure:libgputide-pure${GPUTIDE_ABI}
        development:libgputide-dev daemon:gputided)
    string(REPLACE ":" ";" package ${package})
    list(GET package 0 component)
    list(GET package 1 name)
    install(FILES ${packed}/changelog.gz ${parts}/copyright DESTINATION share/doc/${name} COMPONENT ${component})
    string(TOUPPER ${component} component)
    set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${name})
endforeach()
install(TARGETS gputided RUNTIME DESTINATION bin COMPONENT daemon)
install(DIRECTORY ${packed}/texts/man1/ DESTINATION share/man/man1 COMPONENT daemon)
install(FILES ${packed}/texts/completion/gputided DESTINATION share/bash-completion/completions COMPONENT daemon)
install(FILES ${packed}/texts/completion/_gputided DESTINATION share/zsh/vendor-completions COMPONENT daemon)
install(FILES ${packed}/texts/completion/gputided.fish DESTINATION share/fish/vendor_completions.d COMPONENT daemon)
install(FILES ${parts}/gputided.service DESTINATION /lib/systemd/system COMPONENT daemon)
install(FILES ${parts}/gputided.default DESTINATION /etc/default RENAME gputided COMPONENT daemon)
install(DIRECTORY DESTINATION /etc/gputide COMPONENT daemon)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL library full pure development daemon)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_SET_DESTDIR ON)  # for /etc and /lib
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/debian)
set(CPACK_PACKAGE_CONTACT "${GPUTIDE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_POST_BUILD_SCRIPTS ${parts}/without_ldconfig.cmake)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})

set(exact "(= ${PROJECT_VERSION})")
foreach(flavor LIBRARY FULL PURE)
    set(CPACK_DEBIAN_${flavor}_PACKAGE_SECTION libs)
    set(CPACK_DEBIAN_${flavor}_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_${flavor}_PACKAGE_CONTROL_EXTRA ${packed}/triggers)  # in place of scripts that call ldconfig
endforeach()
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "embeddable GPU autoscaling, the library
Decides replica counts of GPU workloads in the host's own process, as KEDA and
the HPA would decide them, from the manifests that those two read.")
set(CPACK_COMPONENT_FULL_DESCRIPTION "embeddable GPU autoscaling, the whole library
libgputide with its planners (nodes, right-sizing, replay, forecast) and its
Kubernetes controller.")
set(CPACK_COMPONENT_PURE_DESCRIPTION "embeddable GPU autoscaling, without network
Checks manifests, decides replica counts from numbers, and plans; for hosts
that fetch their metrics themselves.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libgputide${GPUTIDE_ABI} ${exact}, libgputide-full${GPUTIDE_ABI} ${exact}, libgputide-pure${GPUTIDE_ABI} ${exact}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "embeddable GPU autoscaling, for developers
Headers for C and C++, the links to the libraries, and what pkg-config and
CMake need to find them.")
set(CPACK_DEBIAN_DAEMON_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_DAEMON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DAEMON_PACKAGE_DEPENDS "libgputide-full${GPUTIDE_ABI} ${exact}")
set(CPACK_DEBIAN_DAEMON_PACKAGE_RECOMMENDS "ca-certificates, tzdata")
set(CPACK_DEBIAN_DAEMON_PACKAGE_CONTROL_EXTRA "${packed}/conffiles;${parts}/postinst;${parts}/prerm;${parts}/postrm")
set(CPACK_COMPONENT_DAEMON_DESCRIPTION "GPU autoscaling where KEDA is not, and beside it
Polls, decides and writes replica counts by manifests of KEDA, checks, explains
and replays them. Comes with a unit for systemd.")
include(CPack)
