// Scheme, host and port of a URL as libcurl reads and uses them.
#pragma once

#include <optional>
#include <string>

namespace gputide::http {

struct url_authority {
    std::string scheme;
    std::string host;  // IPv6 addresses with brackets
    std::string port;  // the default if the URL has none
};

// Returns nullopt for an invalid URL.  The function is null in libgputide-pure, which does not link libcurl.
#ifndef GPUTIDE_PURE_ONLY  // the sources of cmake/amalgamate.py
__attribute__((weak)) std::optional<url_authority> libcurl_authority(const std::string& url);
#endif

}  // namespace gputide::http
