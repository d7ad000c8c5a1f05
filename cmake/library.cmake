# libgputide.so: the objects of every module behind one version script, and what an install tree needs to use it.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

get_property(modules GLOBAL PROPERTY GPUTIDE_MODULES)

add_library(gputide SHARED)
add_library(gputide::gputide ALIAS gputide)
gputide_link_modules(gputide ${modules})
target_sources(gputide PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
    FILES ${PROJECT_SOURCE_DIR}/include/gputide/gputide.h ${PROJECT_SOURCE_DIR}/include/gputide/gputide_table.h
          ${PROJECT_SOURCE_DIR}/include/gputide/gputide.hpp)
set_target_properties(gputide PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${GPUTIDE_ABI} LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/gputide.map)
# exclude-libs: what comes from archives stays inside.  nodelete: a host that closes the library may still have a thread inside it.
function(gputide_seal library)
    target_link_options(${library} PRIVATE
        -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/gputide.map -Wl,--exclude-libs,ALL -Wl,-z,nodelete -Wl,--gc-sections)
    gputide_harden(${library})
    if(NOT GPUTIDE_SANITIZE)
        target_link_options(${library} PRIVATE -Wl,--no-undefined)
    endif()
endfunction()
gputide_seal(gputide)
# Most of the link's time.  tests/faults seals the other flavour of the same objects, and is spared it.
target_link_options(gputide PRIVATE "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-flto=auto;-O2>")
if(GPUTIDE_SELF_CONTAINED)
    target_link_libraries(gputide PRIVATE gputide_inside)
    include(${PROJECT_SOURCE_DIR}/cmake/static.cmake)
    get_property(parts GLOBAL PROPERTY GPUTIDE_OBJECTS)
    list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
    gputide_static_library(gputide_static ARCHIVE ${PROJECT_BINARY_DIR}/libgputide.a OBJECTS ${parts})
else()  # the self-contained flavour may be carried to an older system; this one needs the machine's own libraries in any case
    include(${PROJECT_SOURCE_DIR}/cmake/relocations.cmake)
    target_link_options(gputide PRIVATE ${GPUTIDE_PACKED_RELOCATIONS})
endif()

install(TARGETS gputide EXPORT gputideTargets
    LIBRARY COMPONENT library NAMELINK_COMPONENT development
    FILE_SET HEADERS COMPONENT development)
install(EXPORT gputideTargets NAMESPACE gputide:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gputide COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/gputideConfig.cmake.in gputideConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gputide)
# Before 1.0 a minor release may change the interface.
write_basic_package_version_file(gputideConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# The tree may be moved: gputide.pc says where everything is from where it lies itself.
file(RELATIVE_PATH GPUTIDE_PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" GPUTIDE_PREFIX_FROM_PC ${GPUTIDE_PREFIX_FROM_PC})
configure_file(${PROJECT_SOURCE_DIR}/cmake/gputide.pc.in gputide.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gputideConfig.cmake ${PROJECT_BINARY_DIR}/gputideConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gputide COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/gputide.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
# The header for generators of bindings; pkg-config --variable=abi_json gputide says where it is.
install(FILES ${PROJECT_SOURCE_DIR}/bindings/abi.json DESTINATION ${CMAKE_INSTALL_DATADIR}/gputide COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(GPUTIDE_SELF_CONTAINED)  # Debian's package of the other flavour has its copyright file
    set(carried ${PROJECT_BINARY_DIR}/carried)
    install(CODE "execute_process(COMMAND [[${PROJECT_SOURCE_DIR}/cmake/package/carry.sh]] [[$<TARGET_FILE:gputide>]] [[${carried}]] COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT library)
    install(FILES ${carried}/THIRD_PARTY_NOTICES ${carried}/sbom.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)
endif()
