// Scheme, host and port of a URL as libcurl reads them, and so as it sends.
#pragma once

#include <optional>
#include <string>

namespace gputide::http {

struct url_authority {
    std::string scheme;
    std::string host;  // of an IPv6 address with brackets
    std::string port;  // default filled in
};

// Returns nothing for an invalid URL.  Null in libgputide-pure, which links no libcurl.
#ifndef GPUTIDE_PURE_ONLY  // the sources of cmake/amalgamate.py
__attribute__((weak)) std::optional<url_authority> libcurl_authority(const std::string& url);
#endif

}  // namespace gputide::http
