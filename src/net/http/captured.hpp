// Detects a host that replaces a library that we depend on.  An executable that exports OpenSSL, nghttp2 or libcurl (Node exports
// the first two) receives the calls of every library loaded after it, including ours and libcurl's.  Two versions then share
// structures with different layouts: the process crashes, or TLS verifies nothing.
#pragma once

#include "base/error.hpp"

#include <optional>

namespace gputide::http {

// Tells whether this is the self-contained build: libcurl and OpenSSL are linked into this library, and only this library calls
// them.
bool has_own_libraries();

// Returns nullopt if each TLS and HTTP call reaches the library that it was linked to, or if all of them are inside this library.
// Otherwise returns an error of class security that names the symbol, the file that defines it, and the remedy.  Only reads
// addresses, so it may run before any other call.  Thread-safe; the result is constant for the process.
const std::optional<error>& captured_library();

// Tells whether the linked libcurl has HTTP/2.  This call runs code of libcurl, OpenSSL and nghttp2, so a host must not have
// replaced them.
bool has_http2() noexcept;

}  // namespace gputide::http
