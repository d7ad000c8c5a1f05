#include "source/grpc/frames.hpp"

#include "base/format_text.hpp"

#include <utility>

namespace gputide::source::grpc {

std::string framed(std::string_view message) {
    std::string out(1, '\0');
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(message.size() >> shift & 0xFF));
    return out.append(message);
}

error damaged(std::string what) {
    error out = fail(error_class::protocol, std::move(what));
    out.retryable = true;
    return out;
}

result<std::uint32_t> announced_bytes(std::string_view frame) {
    if (frame.empty()) return damaged("the answer says OK and holds no message");
    if (frame[0] == 1) {
        return fail(error_class::encoding,
                    "the answer is compressed, although nobody offered to undo that; switch the external scaler's "
                    "compression off");
    }
    if (frame[0] != 0) return damaged("the answer does not begin as a gRPC message does");
    if (frame.size() < prefix_bytes) return damaged("the answer ends within the five bytes before its message");
    std::uint32_t out = 0;
    for (std::size_t i = 1; i < prefix_bytes; ++i) out = out << 8 | static_cast<unsigned char>(frame[i]);
    return out;
}

result<void> frame_cutter::feed(std::string_view bytes, const std::function<result<void>(std::string_view)>& take) {
    rest_.append(bytes);
    std::string_view left = rest_;
    while (left.size() >= prefix_bytes) {
        const auto size = announced_bytes(left);
        if (!size) return size.failure();
        if (*size > most_message_bytes) {
            return fail(error_class::limit, format_text("a message of the stream has {} bytes; at most {} are read",
                                                        *size, most_message_bytes));
        }
        if (left.size() - prefix_bytes < *size) break;
        if (auto taken = take(left.substr(prefix_bytes, *size)); !taken) return taken;
        left.remove_prefix(prefix_bytes + *size);
    }
    rest_.erase(0, rest_.size() - left.size());
    return {};
}

}  // namespace gputide::source::grpc
