# The three flavors of the library: the objects of every module, linked three times behind three lists of exports.
#   gputide        libgputide.so, the default: gputide.h, source.h, runtime.h
#   gputide_full   libgputide-full.so: every header
#   gputide_pure   libgputide-pure.so: plan.h and what of gputide.h needs no network; no network library is linked
# and what an install tree needs to use them.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# bindings/abi.json has a line per function, with the flavors that export it, and a line per table, with its members.  Writes for
# each flavor the linker's list of exports, exports/FLAVOR.map, for all of them exports/functions.txt, which tests read, and for each table exports/flavor_TABLE.inc for src/capi/flavor.cpp.
set(GPUTIDE_EXPORTS ${PROJECT_BINARY_DIR}/exports)
set(abi_json ${PROJECT_SOURCE_DIR}/bindings/abi.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${abi_json})
file(READ ${abi_json} abi)
string(REGEX MATCHALL "\"name\": \"gputide_[a-z_0-9]+\", \"flavors\": \\[[a-z\", ]*\\]" entities "${abi}")
foreach(entity IN LISTS entities)
    string(REGEX MATCH "gputide_[a-z_0-9]+" name "${entity}")
    set(kind FULL)
    string(APPEND exports "${name}")
    foreach(flavor full core pure)
        if(entity MATCHES "\"${flavor}\"")
            string(APPEND exports " ${flavor}")
            string(APPEND exports_of_${flavor} "        ${name};\n")
            string(TOUPPER ${flavor} kind)
        endif()
    endforeach()
    string(APPEND exports "\n")
    set(kind_of_${name} ${kind})  # the smallest flavor that has it
endforeach()
file(CONFIGURE OUTPUT ${GPUTIDE_EXPORTS}/functions.txt CONTENT "${exports}")
foreach(flavor pure core full)
    file(CONFIGURE OUTPUT ${GPUTIDE_EXPORTS}/${flavor}.map
        CONTENT "GPUTIDE_${GPUTIDE_ABI} {\n    global:\n${exports_of_${flavor}}    local:\n        *;\n};\n")
endforeach()
string(REGEX MATCHALL "\"name\": \"gputide_[a-z_]*api\", \"flavors\": \\[[a-z\", ]*\\], \"functions\": \\[[a-z_0-9\", ]*\\]" tables "${abi}")
foreach(table IN LISTS tables)
    string(REGEX MATCH "gputide_[a-z_]*api" table_name "${table}")
    string(REGEX REPLACE ".*\"functions\": " "" table "${table}")
    string(REGEX MATCHALL "[a-z_0-9]+" members "${table}")
    set(lines "")
    foreach(member IN LISTS members)
        string(APPEND lines "GPUTIDE_${kind_of_gputide_${member}}(${member})\n")
    endforeach()
    file(CONFIGURE OUTPUT ${GPUTIDE_EXPORTS}/flavor_${table_name}.inc CONTENT "${lines}")
endforeach()

# exclude-libs: what comes from archives stays inside.  nodelete: a host that closes the library may still have a thread inside it.
function(gputide_seal library flavor)
    target_link_options(${library} PRIVATE
        -Wl,--version-script=${GPUTIDE_EXPORTS}/${flavor}.map -Wl,--exclude-libs,ALL -Wl,-z,nodelete -Wl,--gc-sections -Wl,--as-needed)
    set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS ${GPUTIDE_EXPORTS}/${flavor}.map)
    gputide_harden(${library})
    if(NOT GPUTIDE_SANITIZE)
        target_link_options(${library} PRIVATE -Wl,--no-undefined)
    endif()
endfunction()

# The one file that differs: gputide_features and the tables.
function(gputide_flavor_objects flavor)
    set(has_pure PLAN)
    set(has_core CORE)
    set(has_full PLAN CORE FULL)
    add_library(gputide_flavor_${flavor} OBJECT ${PROJECT_SOURCE_DIR}/src/capi/flavor.cpp)
    gputide_optimize(gputide_flavor_${flavor} FOR size)
    target_include_directories(gputide_flavor_${flavor} PRIVATE ${GPUTIDE_EXPORTS})
    target_link_libraries(gputide_flavor_${flavor} PRIVATE gputide_view_capi gputide_warnings gputide_simdjson)
    list(TRANSFORM has_${flavor} REPLACE "(.+)" "GPUTIDE_HAS_\\1=1")
    target_compile_definitions(gputide_flavor_${flavor} PRIVATE ${has_${flavor}})
    if(NOT flavor STREQUAL pure)
        target_link_libraries(gputide_flavor_${flavor} PRIVATE CURL::libcurl OpenSSL::Crypto)
    endif()
    if(GPUTIDE_YAML)
        target_link_libraries(gputide_flavor_${flavor} PRIVATE PkgConfig::yaml)
        target_compile_definitions(gputide_flavor_${flavor} PRIVATE GPUTIDE_YAML=1)
    endif()
    if(GPUTIDE_CRON)
        target_compile_definitions(gputide_flavor_${flavor} PRIVATE GPUTIDE_CRON=1)
    endif()
endfunction()

get_property(modules GLOBAL PROPERTY GPUTIDE_MODULES)
foreach(flavor core full pure)
    gputide_flavor_objects(${flavor})
endforeach()

# Packed relative relocations (DT_RELR) take a fiftieth of the space.  Linkers write them since binutils 2.38; glibc loads them
# since 2.36 and announces this by a symbol version.  A library with them does not load on older systems.
#   GPUTIDE_PACKED_RELOCATIONS   what links such a library for the machine that it is built on; empty where that is older
set(GPUTIDE_PACKED_RELOCATIONS "")
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -Wl,--help OUTPUT_VARIABLE help ERROR_QUIET)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libc.so.6 OUTPUT_VARIABLE libc ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
if(help MATCHES "pack-relative-relocs" AND EXISTS "${libc}")
    file(STRINGS ${libc} versions REGEX "^GLIBC_ABI_DT_RELR$")
    if(versions)
        set(GPUTIDE_PACKED_RELOCATIONS -Wl,-z,pack-relative-relocs)
    endif()
endif()

function(gputide_flavor target flavor name)
    add_library(${target} SHARED $<TARGET_OBJECTS:gputide_flavor_${flavor}>)
    target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${flavor} VERSION ${PROJECT_VERSION} SOVERSION ${GPUTIDE_ABI}
        LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    gputide_seal(${target} ${flavor})
    # Most of the link's time; in one partition it finds a hundredth more.  tests/faults seals another build of the same objects
    # without it.
    target_link_options(${target} PRIVATE "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-flto=auto;-flto-partition=one;-O2>")
    if(GPUTIDE_SELF_CONTAINED)
        target_link_libraries(${target} PRIVATE gputide_inside)
    else()  # the self-contained build may be carried to an older system; this one needs the machine's own libraries in any case
        target_link_options(${target} PRIVATE ${GPUTIDE_PACKED_RELOCATIONS})
        # The loader searches every symbol in the libraries in this order: first those that look up thousands of their own.  With
        # -flto, --as-needed would move the C++ library behind the others.
        if(NOT flavor STREQUAL pure)
            target_link_libraries(${target} PRIVATE OpenSSL::Crypto)
        endif()
        if("stdc++" IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
            target_link_libraries(${target} PRIVATE -Wl,--push-state,--no-as-needed,-lstdc++,--pop-state)
        endif()
    endif()
endfunction()

file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/gputide/*.h ${PROJECT_SOURCE_DIR}/include/gputide/*.hpp)
gputide_flavor(gputide core gputide)
gputide_flavor(gputide_full full gputide-full)
gputide_flavor(gputide_pure pure gputide-pure)
set_target_properties(gputide PROPERTIES EXPORT_NAME gputide)
add_library(gputide::gputide ALIAS gputide)
add_library(gputide::full ALIAS gputide_full)
add_library(gputide::pure ALIAS gputide_pure)
gputide_link_modules(gputide ${modules})
gputide_link_modules(gputide_full ${modules})
# The objects without their libraries: code that could reach a network library does not link.
gputide_link_objects(gputide_pure WITHOUT "/not_in_pure[.]cpp" MODULES ${modules})
target_link_libraries(gputide_pure PRIVATE gputide_simdjson)
if(GPUTIDE_YAML)
    target_link_libraries(gputide_pure PRIVATE PkgConfig::yaml)
endif()

# libgputide.a for programs that take the library inside, as bindings/rust does with its feature vendored: one object with everything
# in it, of which gputide_* alone is seen.  What it needs of the program's link: the C library and libgcc_s, the unwinder.
#   gputide_static_library(target ARCHIVE libgputide.a OBJECTS ...)   the target makes the archive; all: not a part of it

function(gputide_static_library target)
    cmake_parse_arguments(PARSE_ARGV 1 static "" "ARCHIVE" "OBJECTS")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a OUTPUT_VARIABLE standard OUTPUT_STRIP_TRAILING_WHITESPACE)
    # An archive is looked at once, from left to right, and the one of the time zones is written in C++, too.
    if(GPUTIDE_CRON)
        set(standard $<LINK_GROUP:RESCAN,gputide_inside_zone,gputide_inside_civil_time,${standard}>)
    endif()
    # The link of one object from many: no startup code and no shared library; the groups in which inline functions lie are dissolved,
    # as copies of them in the program would else take their place.  What objects hold for optimization across files is left out.
    add_executable(${target}_whole EXCLUDE_FROM_ALL ${static_OBJECTS})
    target_link_libraries(${target}_whole PRIVATE gputide_inside ${standard})
    target_link_options(${target}_whole PRIVATE -r -static -nostdlib -Wl,--force-group-allocation $<$<CXX_COMPILER_ID:GNU>:-fno-lto>)
    set_target_properties(${target}_whole PROPERTIES LINKER_LANGUAGE CXX SUFFIX .o ENABLE_EXPORTS OFF)
    add_custom_command(OUTPUT ${static_ARCHIVE}
        # Symbols that the C++ library wants to be one in a process stay visible to the linker; weak, it gives way to the program's.
        COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=gputide_* --weaken-symbol=_Z* --strip-debug --remove-section=.gnu.lto_* --remove-section=.gnu.debuglto_*
            $<TARGET_FILE:${target}_whole> ${target}.o
        COMMAND ${CMAKE_COMMAND} -E rm -f ${static_ARCHIVE}
        COMMAND ${CMAKE_AR} rcs ${static_ARCHIVE} ${target}.o
        DEPENDS ${target}_whole VERBATIM COMMENT "One object of all in ${static_ARCHIVE}")
    add_custom_target(${target} DEPENDS ${static_ARCHIVE})
endfunction()

if(GPUTIDE_SELF_CONTAINED)
    get_property(parts GLOBAL PROPERTY GPUTIDE_OBJECTS)
    list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
    gputide_static_library(gputide_static ARCHIVE ${PROJECT_BINARY_DIR}/libgputide.a
        OBJECTS ${parts} $<TARGET_OBJECTS:gputide_flavor_full>)
endif()

# Each flavor is a component of the CMake package, with pkg-config file and install component of its own.  The tree may be moved:
# the pkg-config files say where everything is from where they lie themselves.
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/gputide)
file(RELATIVE_PATH GPUTIDE_PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" GPUTIDE_PREFIX_FROM_PC ${GPUTIDE_PREFIX_FROM_PC})
foreach(flavor gputide:core:library gputide_full:full:full gputide_pure:pure:pure)
    string(REPLACE ":" ";" flavor ${flavor})
    list(GET flavor 0 target)
    list(GET flavor 1 name)
    list(GET flavor 2 component)
    get_target_property(GPUTIDE_PC_NAME ${target} OUTPUT_NAME)
    install(TARGETS ${target} EXPORT gputide-${name} LIBRARY COMPONENT ${component} NAMELINK_COMPONENT development
        FILE_SET HEADERS COMPONENT development)
    install(EXPORT gputide-${name} FILE ${name}.cmake NAMESPACE gputide:: DESTINATION ${config} COMPONENT development)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/gputide.pc.in ${GPUTIDE_PC_NAME}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${GPUTIDE_PC_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/gputideConfig.cmake.in gputideConfig.cmake INSTALL_DESTINATION ${config})
# Before 1.0 a minor release may change the interface.
write_basic_package_version_file(gputideConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gputideConfig.cmake ${PROJECT_BINARY_DIR}/gputideConfigVersion.cmake
    DESTINATION ${config} COMPONENT development)
# The headers for generators of bindings; pkg-config --variable=abi_json gputide says where the file is.
install(FILES ${abi_json} DESTINATION ${CMAKE_INSTALL_DATADIR}/gputide COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(GPUTIDE_SELF_CONTAINED)  # Debian's package of the other build has its copyright file
    set(carried ${PROJECT_BINARY_DIR}/carried)
    install(CODE "execute_process(COMMAND [[${PROJECT_SOURCE_DIR}/cmake/package/carry.sh]] [[$<TARGET_FILE:gputide_full>]] [[${carried}]] COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT library)
    install(FILES ${carried}/THIRD_PARTY_NOTICES ${carried}/sbom.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)
endif()
