// Whether the host took the place of a library that we stand on.  An executable that exports OpenSSL, nghttp2 or libcurl, as
// Node does the first two, gets the calls of every library that is loaded after it, ours and libcurl's among them; two versions
// then share structures that they lay out differently, and the process crashes or TLS verifies nothing.
#pragma once

#include "base/error.hpp"

#include <optional>

namespace gputide::http {

// The self-contained flavour: libcurl and OpenSSL lie in this library, and nobody else calls them.
bool has_own_libraries();

// Nothing: each call of TLS and HTTP reaches the library that it was linked to, or all of them are inside this one.  Otherwise
// an error of class security that names the symbol, the file that has it, and the remedy.  Looks at addresses alone, so it may
// run before anything else does; any thread; the answer is the same for the life of the process.
const std::optional<error>& captured_library();

// Whether the libcurl that is linked has HTTP/2.  It answers with what it asks OpenSSL and nghttp2, so a host's are not to be in
// their place.
bool has_http2() noexcept;

}  // namespace gputide::http
