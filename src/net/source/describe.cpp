// Writes a description as JSON.
#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "source/description.hpp"

#include <string_view>

namespace gputide::source {
namespace {

using manifest::parameter_value;
using text::value_type;

std::string_view name_of(manifest::target_type type) {
    switch (type) {
        case manifest::target_type::average_value:
            return "AverageValue";
        case manifest::target_type::value:
            return "Value";
        case manifest::target_type::utilization:
            break;
    }
    return "Utilization";
}

// Returns the text without secrets: a URL may contain a password, a header a token.
std::string shown(std::string_view text) {
    return text.find("://") == std::string_view::npos ? redact(text) : redact_url(text);
}

void write_pairs(json_writer& out, std::string_view text) {
    out.begin_object();
    for (const std::string_view piece : split(text, ',')) {
        const std::size_t equals = piece.find('=');
        if (equals == std::string_view::npos) continue;  // reported when it was read
        out.member(trim(piece.substr(0, equals)), redact(trim(piece.substr(equals + 1))));
    }
    out.end_object();
}

void write_list(json_writer& out, std::string_view text) {
    out.begin_array();
    for (const std::string_view piece : split(text, ',')) out.string(shown(trim(piece)));
    out.end_array();
}

// Writes a hidden value, or one of another type than its field, as text.
void write_value(json_writer& out, const parameter_value& value) {
    const std::string_view text = value.text;
    switch (value.field->type) {
        case value_type::number:
            if (const auto number = parse_json_number(text)) return void(out.number(*number));
            break;
        case value_type::flag:
            if (const auto flag = parse_go_bool(text)) return void(out.boolean(*flag));
            break;
        case value_type::duration:
            if (const auto ms = parse_go_duration_ms(text)) return void(out.integer(*ms));
            if (const auto ms = parse_int64(text)) return void(out.integer(*ms));
            break;
        case value_type::pairs:
            return write_pairs(out, text);
        case value_type::list:
            return write_list(out, text);
        case value_type::text:
        case value_type::secret:
            break;
    }
    out.string(shown(text));
}

void write_target(json_writer& out, const target& target) {
    out.begin_object().member("type", name_of(target.type)).member("value_milli", target.target_milli);
    out.member("threshold", target.threshold).member("activation_threshold", target.activation_threshold);
    if (!target.resource.empty()) out.member("resource", target.resource);
    if (!target.container.empty()) out.member("container", target.container);
    if (target.type == manifest::target_type::utilization) out.member("utilization_pct", target.utilization_pct);
    out.end_object();
}

}  // namespace

std::string describe_json(const description& described, const text::report& findings) {
    json_writer out;
    out.begin_object().member("type", described.type).member("metric_name", described.target.metric_name);
    write_target(out.key("target"), described.target);
    if (!described.asks.empty()) out.member("asks", described.asks);
    out.member("pushed", described.traits->is_pushed).member("keeps_past", described.traits->keeps_past);
    out.key("settings").begin_object();
    for (const parameter_value& value : described.settings) write_value(out.key(*value.field->names.begin()), value);
    out.end_object();
    text::write_json(out.key("report"), findings);
    return out.end_object().take();
}

}  // namespace gputide::source
