// The wire format of protocol buffers (protobuf.dev, "Encoding") as far as external scalers and the kubelet need it: varints,
// 64-bit numbers and length-delimited fields.  Pure; reads nothing beyond the bytes that it is given and keeps no copy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::source::grpc {

enum class wire_type : std::uint8_t { varint = 0, bits64 = 1, bytes = 2, bits32 = 5 };

struct wire_field {
    std::uint32_t number = 0;
    wire_type type = wire_type::varint;
    std::uint64_t integer = 0;  // varint, bits64, bits32
    std::string_view bytes;     // of the message that is read

    bool is(std::uint32_t wanted, wire_type as) const { return number == wanted && type == as; }
};

// One message, field by field: while (reader.next(field)) ...; then is_whole() says whether it was one.
class wire_reader {
  public:
    explicit wire_reader(std::string_view message) : rest_(message) {}

    bool next(wire_field& out);  // false: the end, or what is no field
    bool is_whole() const { return !bad_; }

  private:
    bool take_varint(std::uint64_t& out);
    bool take_fixed(std::size_t size, std::uint64_t& out);
    bool take_bytes(std::string_view& out);
    bool read(wire_field& out);

    std::string_view rest_;
    bool bad_ = false;
};

// A length-delimited field: a text, or a message that was made before.
void put_bytes(std::string& message, std::uint32_t number, std::string_view bytes);

}  // namespace gputide::source::grpc
