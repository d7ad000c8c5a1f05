// Arbitrary bytes as a compressed body, whole and in small pieces: nothing may crash or hang, and what comes out does not hang on
// where the pieces end.
#include "http/transfer/body.hpp"
#include "require.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using gputide::fuzz::one_of;
using gputide::fuzz::require;

namespace {

constexpr std::size_t most_bytes = 262'144;  // a few bytes may stand for many

struct inflated {
    bool good = true;
    bool is_whole = false;
    bool is_cut = false;  // more came than is kept
    std::string bytes;
};

inflated inflate(std::string_view from, std::size_t piece) {
    inflated out;
    gputide::http::inflater by;
    for (; out.good && !from.empty(); from.remove_prefix(std::min(piece, from.size()))) {
        out.good = by.take(from.substr(0, piece), [&out](std::string_view more) {
            out.is_cut = out.bytes.size() + more.size() > most_bytes;
            if (!out.is_cut) out.bytes += more;
            return !out.is_cut;
        });
    }
    out.is_whole = by.is_whole();
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(bytes), size);
    const inflated whole = inflate(input, input.size() + 1);
    const inflated pieces = inflate(input, one_of({std::size_t{1}, std::size_t{7}, std::size_t{1'000}}, size));
    require(pieces.good == whole.good);  // a body that fails is nobody's, however much of it came before
    if (whole.good) require(pieces.bytes == whole.bytes && pieces.is_whole == whole.is_whole);
    return 0;
}
