// Reads a URL's parts with libcurl.  Not part of libgputide-pure, which does not link libcurl.
#include "http/libcurl.hpp"
#include "http/message.hpp"

namespace gputide::http {

std::optional<url_authority> libcurl_authority(const std::string& url) {
    const url_handle handle = new_url();
    if (curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), CURLU_PATH_AS_IS) != CURLUE_OK) return std::nullopt;
    return url_authority{part_of(handle, CURLUPART_SCHEME), part_of(handle, CURLUPART_HOST),
                         part_of(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT)};
}

}  // namespace gputide::http
