// libcurl's own URL parser, for code that must agree with it about a URL's meaning.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <new>
#include <string>

namespace gputide::http {

using url_handle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

inline url_handle new_url() {
    url_handle out(::curl_url(), &curl_url_cleanup);
    if (!out) throw std::bad_alloc();
    return out;
}

// Returns "" if the URL has no such part.
inline std::string part_of(const url_handle& url, CURLUPart part, unsigned flags = 0) {
    char* text = nullptr;
    if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return {};
    const std::unique_ptr<char, decltype(&curl_free)> held(text, &curl_free);
    return text;
}

// Returns "::1" for "[::1]".
inline std::string without_brackets(std::string host) {
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') return host.substr(1, host.size() - 2);
    return host;
}

}  // namespace gputide::http
