#include "base/format_text.hpp"
#include "base/function_ref.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "source/description.hpp"
#include "source/external/external.hpp"
#include "source/grpc/grpc.hpp"

#include <bit>
#include <cmath>

namespace gputide::source::external {
namespace {

// An external scaler normally has one or two metrics.
constexpr std::size_t max_items = 256;
constexpr std::size_t max_name_bytes = 4'096;

error malformed(std::string_view message) {
    return fail(error_class::shape, "the response is not a {} of KEDA's externalscaler.proto", message);
}

error too_many(std::string_view message) {
    return fail(error_class::limit, "the response is a {} of more than {} entries", message, max_items);
}

// MetricSpec and MetricValue: a name, an integer, and a float, which was added later.
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
    return reader.is_whole() && out.name.size() <= max_name_bytes && valid_utf8(out.name);
}

// Reads a message with a repeated field 1.
result<void> each_entry(std::string_view message, std::string_view name, function_ref<void(const entry&)> take) {
    grpc::wire_reader reader(message);
    std::size_t count = 0;
    for (grpc::wire_field field; reader.next(field);) {
        if (!field.is(1, grpc::wire_type::bytes)) continue;
        entry entry;
        if (!read_entry(field.bytes, entry)) return malformed(name);
        if (++count > max_items) return too_many(name);
        take(entry);
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
    auto read = each_entry(message, "GetMetricSpecResponse", [&](const entry& entry) {
        out.push_back({std::string(entry.name), keda_milli(entry.value())});
    });
    if (!read) return read.take_failure();
    return out;
}

result<std::vector<double>> read_values(std::string_view message) {
    std::vector<double> out;
    auto read = each_entry(message, "GetMetricsResponse", [&](const entry& entry) { out.push_back(entry.value()); });
    if (!read) return read.take_failure();
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

namespace {

// Adds values in thousandths; a single value stays exact.
double sum_of(const std::vector<double>& values) {
    if (values.size() == 1) return values.front();
    double milli = 0.0;
    for (const double value : values) milli += static_cast<double>(keda_milli(value));
    return milli / 1000.0;
}

double share_of(const read_metric& metric, double value) {
    return static_cast<double>(keda_milli(value)) / static_cast<double>(metric.spec.target_milli);
}

fetched without_value(const metric_spec& spec) {
    return judge_failure(
        fail(error_class::no_data, "the external scaler returned no value for its metric {}", in_quotes(spec.name)));
}

}  // namespace

fetched outcome_of(const std::vector<read_metric>& metrics, bool is_active, std::int32_t index) {
    fetched out;
    out.why.status = status::ok;
    out.sample.state = sample_state::ok;
    out.reading.result_type = "external";
    double max_share = -1.0;
    const read_metric* empty = nullptr;
    for (const read_metric& entry : metrics) {
        if (entry.values.empty()) empty = &entry;
        const double value = sum_of(entry.values);
        const std::string name = format_text("s{}-{}", index, entry.spec.name);
        const std::string target = shortest(static_cast<double>(entry.spec.target_milli) / 1000.0);
        out.reading.series.push_back({{{"metric", name}, {"target", target}}, {{0, value}}, {}});
        if (share_of(entry, value) <= max_share) continue;
        max_share = share_of(entry, value);
        out.sample.null_as_zero = !std::isfinite(value);
        out.sample.value = std::isfinite(value) ? value : 0.0;
        out.sample.target_milli = entry.spec.target_milli;
    }
    if (empty != nullptr) {
        fetched none = without_value(empty->spec);
        none.sample.target_milli = out.sample.target_milli;
        out = std::move(none);
    }
    out.sample.activity = is_active ? activity_word::active : activity_word::inactive;
    return out;
}

}  // namespace gputide::source::external
