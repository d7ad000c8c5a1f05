// The parts of a URL, read as the transport reads them.  Requests and responses are in wire/message.hpp.
#pragma once

#include "wire/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::http {

// Scheme, host, port of a URL, for checks and messages.  Nothing for an invalid http(s) URL.
struct url_parts {
    std::string scheme;  // lower case
    std::string user_info;
    std::string host;       // lower case, without brackets
    std::int32_t port = 0;  // default filled in
    std::string path;       // "" or starts with '/'
    std::string query;      // without '?'
    std::string fragment;
    bool has_user_info = false, has_query = false, has_fragment = false;
};
std::optional<url_parts> parse_url(std::string_view url);
bool has_user_info(std::string_view url);  // "http://user:password@host"
}  // namespace gputide::http
