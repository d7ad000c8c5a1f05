#include "source/grpc/protobuf.hpp"

namespace gputide::source::grpc {
namespace {

constexpr std::uint64_t last_field = (std::uint64_t{1} << 29) - 1;
constexpr unsigned varint_bytes = 10;

void put_varint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
    out.push_back(static_cast<char>(value));
}

}  // namespace

// Seven bits a byte, the low ones first; a tenth byte holds the last bit.
bool wire_reader::take_varint(std::uint64_t& out) {
    out = 0;
    for (unsigned i = 0; i < varint_bytes && i < rest_.size(); ++i) {
        const auto byte = static_cast<unsigned char>(rest_[i]);
        if (i == varint_bytes - 1 && byte > 1) return false;
        out |= std::uint64_t{byte & 0x7FU} << (7 * i);
        if (byte >= 0x80) continue;
        rest_.remove_prefix(i + 1);
        return true;
    }
    return false;
}

bool wire_reader::take_fixed(std::size_t size, std::uint64_t& out) {
    if (rest_.size() < size) return false;
    out = 0;
    for (std::size_t i = size; i-- > 0;) out = out << 8 | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(size);
    return true;
}

bool wire_reader::take_bytes(std::string_view& out) {
    std::uint64_t size = 0;
    if (!take_varint(size) || size > rest_.size()) return false;
    out = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return true;
}

// Groups (types 3 and 4) are of proto2 and refused with the two types that nobody has.
bool wire_reader::read(wire_field& out) {
    std::uint64_t tag = 0;
    out = {};
    if (!take_varint(tag) || (tag >> 3) == 0 || (tag >> 3) > last_field) return false;
    out.number = static_cast<std::uint32_t>(tag >> 3);
    out.type = static_cast<wire_type>(tag & 7);
    switch (out.type) {
        case wire_type::varint:
            return take_varint(out.integer);
        case wire_type::bits64:
            return take_fixed(8, out.integer);
        case wire_type::bits32:
            return take_fixed(4, out.integer);
        case wire_type::bytes:
            return take_bytes(out.bytes);
    }
    return false;
}

bool wire_reader::next(wire_field& out) {
    if (bad_ || rest_.empty()) return false;
    bad_ = !read(out);
    return !bad_;
}

void put_bytes(std::string& message, std::uint32_t number, std::string_view bytes) {
    put_varint(message, std::uint64_t{number} << 3 | static_cast<std::uint64_t>(wire_type::bytes));
    put_varint(message, bytes.size());
    message.append(bytes);
}

}  // namespace gputide::source::grpc
