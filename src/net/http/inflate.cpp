#include "http/inflate.hpp"

#include <array>
#include <new>
#include <zlib.h>

namespace gputide::http {

namespace {

constexpr int any_header = 15 + 32;  // the largest window; gzip or zlib, as the stream's first bytes say
constexpr std::size_t piece_bytes = 16'384;

}  // namespace

struct inflater::state {
    z_stream stream{};
    bool is_whole = false;
};

inflater::inflater() : state_(std::make_unique<state>()) {
    if (::inflateInit2(&state_->stream, any_header) != Z_OK) throw std::bad_alloc();
}

inflater::~inflater() { ::inflateEnd(&state_->stream); }

bool inflater::is_whole() const { return state_->is_whole; }

// RFC 1952 2.2: a gzip body may be several streams, one after the other.
bool inflater::take(std::string_view bytes, const std::function<bool(std::string_view)>& use) {
    z_stream& stream = state_->stream;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT: zlib does not write to it
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::array<char, piece_bytes> piece{};
    for (;;) {
        if (state_->is_whole) {
            if (stream.avail_in == 0) return true;
            if (::inflateReset(&stream) != Z_OK) return false;
            state_->is_whole = false;
        }
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = piece_bytes;
        const int said = ::inflate(&stream, Z_NO_FLUSH);
        const bool goes_on = said == Z_OK || said == Z_STREAM_END || said == Z_BUF_ERROR;
        if (!goes_on) return false;
        const std::string_view out(piece.data(), piece_bytes - stream.avail_out);
        if (!out.empty() && !use(out)) return false;
        state_->is_whole = said == Z_STREAM_END;
        if (!state_->is_whole && stream.avail_in == 0 && stream.avail_out > 0) return true;
    }
}

}  // namespace gputide::http
