// Bytes as gzip, for servers that compress.
#pragma once

#include <stdexcept>
#include <string>
#include <zlib.h>

namespace gputide::testing {

inline std::string zipped(std::string text) {
    z_stream to{};
    constexpr int with_gzip_header = 15 + 16;
    if (deflateInit2(&to, 9, Z_DEFLATED, with_gzip_header, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("deflateInit2");
    std::string out(deflateBound(&to, text.size()), '\0');
    to.next_in = reinterpret_cast<Bytef*>(text.data());
    to.avail_in = static_cast<uInt>(text.size());
    to.next_out = reinterpret_cast<Bytef*>(out.data());
    to.avail_out = static_cast<uInt>(out.size());
    if (deflate(&to, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
    out.resize(to.total_out);
    deflateEnd(&to);
    return out;
}

}  // namespace gputide::testing
