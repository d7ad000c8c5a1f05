#include "source/external/messages.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "source/grpc/protobuf.hpp"

#include <bit>

namespace gputide::source::external {
namespace {

// An external scaler announces a metric or two.
constexpr std::size_t most_items = 256;
constexpr std::size_t most_name_bytes = 4'096;

error malformed(std::string_view message) {
    return fail(error_class::shape, format_text("the answer is no {} of KEDA's externalscaler.proto", message));
}

error too_many(std::string_view message) {
    return fail(error_class::limit, format_text("the answer is a {} of more than {} entries", message, most_items));
}

// MetricSpec and MetricValue: a name, an integer, a number that is newer than it.
struct entry {
    std::string_view name;
    std::int64_t integer = 0;
    double number = 0.0;

    // NaN is not above 0 either (kedacore/keda pkg/scalers/external_scaler.go).
    double value() const { return number > 0.0 ? number : static_cast<double>(integer); }
};

bool read_entry(std::string_view message, entry& out) {
    grpc::wire_reader reader(message);
    for (grpc::wire_field field; reader.next(field);) {
        if (field.is(1, grpc::wire_type::bytes)) out.name = field.bytes;
        if (field.is(2, grpc::wire_type::varint)) out.integer = static_cast<std::int64_t>(field.integer);
        if (field.is(3, grpc::wire_type::bits64)) out.number = std::bit_cast<double>(field.integer);
    }
    return reader.is_whole() && out.name.size() <= most_name_bytes && valid_utf8(out.name);
}

// A message whose field 1 is repeated.
template <class Take>
result<void> each_entry(std::string_view message, std::string_view name, Take take) {
    grpc::wire_reader reader(message);
    std::size_t count = 0;
    for (grpc::wire_field field; reader.next(field);) {
        if (!field.is(1, grpc::wire_type::bytes)) continue;
        entry one;
        if (!read_entry(field.bytes, one)) return malformed(name);
        if (++count > most_items) return too_many(name);
        take(one);
    }
    if (!reader.is_whole()) return malformed(name);
    return {};
}

}  // namespace

std::string scaled_object_message(const scaled_object& owner) {
    std::string out;
    if (!owner.name.empty()) grpc::put_bytes(out, 1, owner.name);
    if (!owner.name_space.empty()) grpc::put_bytes(out, 2, owner.name_space);
    for (const auto& [key, value] : owner.metadata) {
        std::string pair;
        grpc::put_bytes(pair, 1, key);
        grpc::put_bytes(pair, 2, value);
        grpc::put_bytes(out, 3, pair);
    }
    return out;
}

std::string metrics_message(std::string_view owner, std::string_view metric) {
    std::string out;
    grpc::put_bytes(out, 1, owner);
    grpc::put_bytes(out, 2, metric);
    return out;
}

result<std::vector<metric_spec>> read_specs(std::string_view message) {
    std::vector<metric_spec> out;
    auto read = each_entry(message, "GetMetricSpecResponse", [&](const entry& one) {
        out.push_back({std::string(one.name), keda_milli(one.value())});
    });
    if (!read) return std::move(read).failure();
    return out;
}

result<std::vector<double>> read_values(std::string_view message) {
    std::vector<double> out;
    auto read = each_entry(message, "GetMetricsResponse", [&](const entry& one) { out.push_back(one.value()); });
    if (!read) return std::move(read).failure();
    return out;
}

result<bool> read_activity(std::string_view message) {
    grpc::wire_reader reader(message);
    bool out = false;
    for (grpc::wire_field field; reader.next(field);) {
        if (field.is(1, grpc::wire_type::varint)) out = field.integer != 0;
    }
    if (!reader.is_whole()) return malformed("IsActiveResponse");
    return out;
}

}  // namespace gputide::source::external
