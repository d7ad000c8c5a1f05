// Keeps only sums, not a list of bodies, so that it allocates nothing when memory is short.
#include "base/limits.hpp"
#include "http/transfer/transfer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <zlib.h>

namespace gputide::http {

namespace {

constexpr std::size_t endpoint_sums = 1'024;

// One budget per process, like the memory; constant-initialized, so that fork and exit run no constructor or destructor.
constinit std::atomic<std::size_t> all_bytes{0};
constinit std::array<std::atomic<std::size_t>, endpoint_sums> bytes_of_endpoint{};

// Adds if the sum stays within `max_bytes`.
bool take(std::atomic<std::size_t>& sum, std::size_t bytes, std::size_t max_bytes) {
    std::size_t now = sum.load(std::memory_order_relaxed);
    do {
        if (bytes > max_bytes - std::min(now, max_bytes)) return false;
    } while (!sum.compare_exchange_weak(now, now + bytes, std::memory_order_relaxed));
    return true;
}

}  // namespace

body_share::body_share(std::string_view host, std::int32_t port)
    : endpoint_((std::hash<std::string_view>()(host) + static_cast<std::size_t>(port)) % endpoint_sums) {}

body_share::~body_share() {
    bytes_of_endpoint[endpoint_].fetch_sub(taken_bytes_, std::memory_order_relaxed);
    all_bytes.fetch_sub(taken_bytes_, std::memory_order_relaxed);
}

bool body_share::grow(std::size_t body_bytes) {
    const std::size_t wanted = body_bytes - std::min(body_bytes, limits::free_body_bytes);
    if (wanted <= taken_bytes_) return true;
    const std::size_t more = wanted - taken_bytes_;
    if (!take(all_bytes, more, limits::bodies_bytes)) return false;
    if (!take(bytes_of_endpoint[endpoint_], more, limits::bodies_of_endpoint_bytes)) {
        all_bytes.fetch_sub(more, std::memory_order_relaxed);
        return false;
    }
    taken_bytes_ = wanted;
    return true;
}

namespace {

constexpr int any_header = 15 + 32;  // maximum window; gzip or zlib is detected from the first bytes
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

// Decompresses.  A gzip body may consist of several streams (RFC 1952 2.2).
bool inflater::take(std::string_view bytes, function_ref<bool(std::string_view)> use) {
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
