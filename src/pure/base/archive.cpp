#include "base/archive.hpp"

#include "base/checksum.hpp"
#include "base/format_text.hpp"

#include <charconv>
#include <optional>
#include <system_error>

namespace gputide {

text_output::text_output(const text_format& format) { out_.begin_object().member(format.member, format.version); }

std::string text_output::seal() && { return sealed(out_.take()); }

void text_output::time_or_null(member_name name, std::int64_t value, std::int64_t absent) {
    if (value == absent) {
        named(name).null();
    } else {
        named(name).integer(value);
    }
}

// The version is checked first: a newer format may differ in everything after it.
result<text_input> text_input::open(std::string_view text, const text_format& format) {
    if (text.size() > format.max_bytes) {
        return fail(status::state, "{} bytes; a saved {} has at most {} bytes", text.size(), format.noun,
                    format.max_bytes);
    }
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    text_input out(text);
    std::int32_t version = 0;
    out.expect("{");
    out.integer(format.member, version);
    if (!out.ok() || version < 1) return fail(status::state, "not a saved {}", format.noun);
    if (version > format.version) {
        return fail(status::state, "version {} is newer than {}, the newest this library reads", version,
                    format.version);
    }
    if (version < format.version) {
        return fail(status::state, "version {} is of an earlier build; this library reads version {}", version,
                    format.version);
    }
    const std::optional<std::string_view> body = unsealed(text);
    if (!body) return fail(status::state, "the checksum does not match, the text is damaged");
    const std::size_t seal_size = text.size() - body->size();
    if (out.rest_.size() < seal_size) return fail(status::state, "the text is damaged");
    out.rest_.remove_suffix(seal_size);
    return out;
}

bool text_input::take(std::string_view expected) {
    if (!ok_ || !rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
}

void text_input::begin(member_name name) {
    if (!std::exchange(scope_.is_first, false)) expect(",");
    if (!scope_.has_names) return;
    expect("\"");
    expect(name.text);
    expect("\":");
}

std::string_view text_input::json_string(member_name name) {
    begin(name);
    const std::string_view before = rest_;
    expect("\"");
    std::size_t at = 0;
    while (at < rest_.size() && rest_[at] != '"') at += rest_[at] == '\\' ? std::size_t{2} : std::size_t{1};
    check(at < rest_.size());
    if (!ok_) return {};
    rest_.remove_prefix(at + 1);
    return before.substr(0, at + 2);
}

void text_input::boolean(member_name name, bool& value) {
    begin(name);
    const bool is_true = take("true");
    if (!is_true) expect("false");
    if (ok_) value = is_true;
}

std::int64_t text_input::whole(member_name name, std::int64_t otherwise, std::int64_t min, std::int64_t max) {
    begin(name);
    std::int64_t read = 0;
    const auto [end, bad] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), read);
    check(bad == std::errc{} && read >= min && read <= max);
    if (!ok_) return otherwise;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return read;
}

void text_input::number(member_name name, double& value, double min, double max) {
    begin(name);
    double read = 0.0;
    const auto [end, bad] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), read);
    check(bad == std::errc{} && read >= min && read <= max);  // NaN is in no range
    if (!ok_) return;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    value = read;
}

void text_input::number_or_null(member_name name, double& value, double min, double max) {
    bool present = false;
    optional(name, present, [&] { number(unnamed, value, min, max); });
    if (ok_ && !present) value = std::numeric_limits<double>::quiet_NaN();
}

void text_input::time(member_name name, std::int64_t& value) {
    value = whole(name, value, -farthest_time_ms, farthest_time_ms);
}

void text_input::time_or_null(member_name name, std::int64_t& value, std::int64_t absent) {
    bool present = false;
    optional(name, present, [&] { time(unnamed, value); });
    if (ok_ && !present) value = absent;
}

}  // namespace gputide
