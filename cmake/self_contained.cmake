# The hidden libraries of the self-contained flavor: curl with HTTP and TLS alone and nghttp2 from Debian's source packages,
# the rest from Debian's archives.  What is left outside is the C library.
#   gputide_inside             all of it, for the library to link
#   gputide_take_inside()      gives its parts the names by which the modules call the shared ones

# An archive of Debian's, as an imported target.  Whether its objects may go into a shared library is seen when that is linked.
function(gputide_debian_archive target file PACKAGE package)
    find_library(GPUTIDE_ARCHIVE_${file} ${file})
    mark_as_advanced(GPUTIDE_ARCHIVE_${file})
    if(NOT GPUTIDE_ARCHIVE_${file})
        message(FATAL_ERROR "The self-contained flavor puts ${file} inside the library, and it is not installed (Debian: ${package})")
    endif()
    add_library(${target} STATIC IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${GPUTIDE_ARCHIVE_${file}})
endfunction()

gputide_debian_archive(gputide_inside_crypto libcrypto.a PACKAGE libssl-dev)
gputide_debian_archive(gputide_inside_tls libssl.a PACKAGE libssl-dev)
gputide_debian_archive(gputide_inside_zlib libz.a PACKAGE zlib1g-dev)
target_link_libraries(gputide_inside_crypto INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
target_link_libraries(gputide_inside_tls INTERFACE gputide_inside_crypto)

# Debian's archive of nghttp2 is not position-independent.  The version's header is the one of libnghttp2-dev.
gputide_debian_source(source nghttp2 OPTION GPUTIDE_NGHTTP2_SOURCE)
gputide_version_of(version ${source})
set(compile ${CMAKE_C_COMPILER} -O2 -DNDEBUG -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections
    ${GPUTIDE_HARDENED_ARCHIVE} -DNGHTTP2_STATICLIB
    -DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H -DHAVE_TIME_H -DHAVE_CLOCK_GETTIME -I${source}/lib/includes)
gputide_archive(gputide_inside_nghttp2 NAME nghttp2 VERSION ${version} SOURCE ${source}
    BUILD sh -c "\"$@\" -c ${source}/lib/*.c && ${CMAKE_AR} rcs libnghttp2.a *.o" sh ${compile})

# No other protocol than HTTP, no cookies, no names beyond ASCII, no brotli and zstd: gputide asks for none of them.  The path
# of the roots is Debian's; where it is not there, the library looks where other distributions have theirs (src/net/http/libcurl.hpp).
gputide_debian_source(source curl OPTION GPUTIDE_CURL_SOURCE)
gputide_version_of(version ${source})
set(cross "")
if(CMAKE_TOOLCHAIN_FILE)  # curl finds out by running a program that poll() works; without it, select() ends at 1,024 descriptors
    set(cross -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE} -DHAVE_POLL_FINE=1)
endif()
string(JOIN " " hardened ${GPUTIDE_HARDENED_ARCHIVE} -ffile-prefix-map=${source}/=)  # OpenSSL's macros, as in cmake/hardening.cmake
set(options -G "'${CMAKE_GENERATOR}'" -Wno-dev -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
    ${cross}
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_C_VISIBILITY_PRESET=hidden
    "-DCMAKE_C_FLAGS='-ffunction-sections -fdata-sections ${hardened}'" -DBUILD_SHARED_LIBS=OFF -DBUILD_CURL_EXE=OFF -DBUILD_TESTING=OFF
    -DPICKY_COMPILER=OFF -DCURL_ENABLE_EXPORT_TARGET=OFF -DENABLE_MANUAL=OFF -DHTTP_ONLY=ON -DCURL_USE_OPENSSL=ON
    -DUSE_NGHTTP2=ON -DUSE_LIBIDN2=OFF -DCURL_USE_LIBPSL=OFF -DCURL_USE_LIBSSH2=OFF -DCURL_BROTLI=OFF -DCURL_ZSTD=OFF
    -DCURL_DISABLE_ALTSVC=ON -DCURL_DISABLE_COOKIES=ON -DCURL_DISABLE_DOH=ON -DCURL_DISABLE_HSTS=ON -DCURL_DISABLE_NETRC=ON
    -DCURL_DISABLE_NTLM=ON -DCURL_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt -DCURL_CA_PATH=none)
string(JOIN " " options ${options})
gputide_archive(gputide_inside_curl NAME curl VERSION ${version} SOURCE ${source}
    BUILD sh -c "${CMAKE_COMMAND} -S ${source} -B . ${options} && ${CMAKE_COMMAND} --build . --target libcurl && cp lib/libcurl.a .")
target_compile_definitions(gputide_inside_curl INTERFACE CURL_STATICLIB)
target_link_libraries(gputide_inside_curl INTERFACE gputide_inside_nghttp2 gputide_inside_tls gputide_inside_zlib)

add_library(gputide_inside INTERFACE)
target_link_libraries(gputide_inside INTERFACE gputide_inside_curl gputide_simdjson)
# The unwinder goes in with the C++ library: exceptions are thrown and caught inside.
target_link_options(gputide_inside INTERFACE -static-libstdc++ -static-libgcc)

if(GPUTIDE_YAML)
    gputide_debian_archive(gputide_inside_yaml libyaml.a PACKAGE libyaml-dev)
    target_link_libraries(gputide_inside INTERFACE gputide_inside_yaml)
endif()

# Debian has no archive of cctz; Abseil's has a copy, which src/net/source/cron/zone.cpp takes where the definition says so.
if(GPUTIDE_CRON)
    gputide_debian_archive(gputide_inside_zone libabsl_time_zone.a PACKAGE libabsl-dev)
    gputide_debian_archive(gputide_inside_civil_time libabsl_civil_time.a PACKAGE libabsl-dev)
    add_library(gputide_inside_cctz INTERFACE)
    target_compile_definitions(gputide_inside_cctz INTERFACE GPUTIDE_CCTZ_OF_ABSEIL=1)
    target_link_libraries(gputide_inside_cctz INTERFACE gputide_inside_zone gputide_inside_civil_time)
    target_link_libraries(gputide_inside INTERFACE gputide_inside_cctz)
endif()

function(gputide_take_inside)
    add_library(CURL::libcurl ALIAS gputide_inside_curl)
    add_library(OpenSSL::SSL ALIAS gputide_inside_tls)
    add_library(OpenSSL::Crypto ALIAS gputide_inside_crypto)
    add_library(ZLIB::ZLIB ALIAS gputide_inside_zlib)
    if(GPUTIDE_YAML)
        add_library(PkgConfig::yaml ALIAS gputide_inside_yaml)
    endif()
    if(GPUTIDE_CRON)
        add_library(cctz::cctz ALIAS gputide_inside_cctz)
    endif()
endfunction()
