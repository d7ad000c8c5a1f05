// Reads and checks the settings of a cron trigger, and tells whether its window is open.
#include "source/cron/cron.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/reduce.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace gputide::source::cron {
namespace {

schedule read_schedule(trigger_reader& read, std::string_view key, const std::string& text) {
    if (text.empty()) return {};
    auto parsed = parse_schedule(text);
    if (parsed) return *std::move(parsed);
    read.add_error(format_text("error parsing {} schedule: {}", key, parsed.failure().message), key);
    return {};
}

// Reads desiredReplicas.  KEDA accepts negative numbers and is then active below 0 replicas, which a target cannot express.
std::int64_t read_replicas(trigger_reader& read) {
    const auto text = read.text(keys["desiredReplicas"]);
    if (!text) return 0;
    const auto number = parse_int64(*text);
    if (!number || !parse_json_number(*text)) {
        read.add_error(
            format_text("unable to set param \"desiredReplicas\" value {}: expected a whole number", in_quotes(*text)),
            "desiredReplicas");
        return 0;
    }
    if (*number == 0) read.add_error("no desiredReplicas specified", "desiredReplicas");
    if (*number < 0) read.add_error("desiredReplicas: expected a number above 0, got " + *text, "desiredReplicas");
    return *number;
}

// Warns if a schedule restricts both fields: a day matches if either field does (robfig/cron spec.go dayMatches).
void warn_of_both_days(const trigger_reader& read, std::string_view key, const schedule& of) {
    if (of.days == 0 || of.any_day || of.any_weekday) return;
    read.warn(
        key, "both-days",
        format_text("{} has days of the month and weekdays: a day matches if either matches, not only if both do", key),
        "write * for one of them");
}

// Returns "00xxThu" for "0 0 * * Thu".
std::string in_metric_name(std::string_view schedule) {
    std::string out;
    for (const char c : schedule) {
        switch (c) {
            case ' ':
                break;
            case '*':
                out += 'x';
                break;
            case '/':
                out += "Sl";
                break;
            case '?':
                out += "Qm";
                break;
            case ',':
                out += "Cm";
                break;
            default:
                out += c;
        }
    }
    return out;
}

result<std::optional<std::int64_t>> next_of(const schedule& schedule, const std::string& timezone, std::int64_t now_s) {
    const auto zone = zone::load(schedule.zone.empty() ? timezone : schedule.zone);
    if (!zone) return zone.failure();
    return next_after(schedule, now_s, *zone);
}

}  // namespace

result<settings> read_settings(trigger_reader& read) {
    auto out = read.begin<settings>();
    out.timezone = read.text_of(keys["timezone"]);
    out.start_text = read.text_of(keys["start"]);
    out.end_text = read.text_of(keys["end"]);
    out.start = read_schedule(read, "start", out.start_text);
    out.end = read_schedule(read, "end", out.end_text);
    if (!out.start_text.empty() && out.start_text == out.end_text) {
        read.add_error("start and end can not have exactly same time input", "end");
    }
    out.desired_replicas = read_replicas(read);
    warn_of_both_days(read, "start", out.start);
    warn_of_both_days(read, "end", out.end);
    const std::string name =
        format_text("cron-{}-{}-{}", out.timezone, in_metric_name(out.start_text), in_metric_name(out.end_text));
    read.set_threshold(1.0, 0.0);
    return read.end("error parsing cron metadata", name, std::move(out));
}

result<double> value_at(const settings& settings, std::int64_t now_ms) {
    const std::int64_t now_s = now_ms / 1'000;
    const auto start_s = next_of(settings.start, settings.timezone, now_s);
    if (!start_s) return start_s.failure();
    const auto end_s = next_of(settings.end, settings.timezone, now_s);
    if (!end_s) return end_s.failure();
    const bool is_open = end_s->has_value() && (!start_s->has_value() || **end_s <= **start_s);
    return is_open ? static_cast<double>(settings.desired_replicas) : 0.0;
}

namespace {

std::string request_key(const settings& settings) {
    return format_text("cron\n{}\n{}\n{}\n{}", settings.timezone, settings.start_text, settings.end_text,
                       settings.desired_replicas);
}

fetched judge(const reading& whole, const settings&) {
    judge_texts say;
    say.empty = "the schedule gave no value";
    say.several = "the schedule gave several values";
    say.not_finite = "the schedule gave";
    return judge_numbers(formats::numbers_of(whole), {.ignore_null = false}, say);
}

class cron_source final : public local_source {
  public:
    cron_source(const description& described, std::shared_ptr<const settings> settings,
                std::shared_ptr<http::loop> loop)
        : local_source(described, std::move(loop), "a schedule is not an endpoint; fetch the value instead"),
          settings_(std::move(settings)) {}

    step begin(poll& poll) override { return metric_source::judge(reading_at(poll.now_ms)); }

  private:
    result<source::reading> reading_at(std::int64_t now_ms) const {
        const auto value = value_at(*settings_, now_ms);
        if (!value) return value.failure();
        source::reading out;
        out.result_type = "scalar";
        out.series.push_back({{}, {{now_ms, *value}}, {}});
        return out;
    }

    const std::shared_ptr<const settings> settings_;
};

}  // namespace

result<description> describe(trigger_reader& read) {
    auto out = description_of<settings>(read, read_settings(read), {&judge, &request_key});
    if (!out) return out;
    const auto settings = out->settings_as<cron::settings>();
    out->asks = format_text("{} to {} {}", settings->start_text, settings->end_text, settings->timezone);
    return out;
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    return std::shared_ptr<metric_source>(
        std::make_shared<cron_source>(described, described.settings_as<settings>(), services.loop));
}

}  // namespace gputide::source::cron
