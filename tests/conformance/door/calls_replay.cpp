// Section 10 of gputide.h: recorded series and replays.
#include "door/call.hpp"

#include <algorithm>
#include <stdexcept>

namespace conformance {
namespace {

constexpr const gputide_cancel* no_cancel = nullptr;

std::vector<std::int64_t> integers_in(const json& list) {
    std::vector<std::int64_t> out;
    for (const json& one : list) out.push_back(integer_in(one));
    return out;
}

// Two lists that belong together, point by point.
std::uint64_t points(std::size_t times, std::size_t values) {
    if (times != values) throw std::invalid_argument("times_ms and what belongs to them differ in length");
    return times;
}

void new_series(call& one) { one.opens(gputide_series_free, gputide_series_new); }

void add_values(call& one) {
    const std::vector<std::int64_t> times_ms = integers_in(one.object("times_ms"));
    std::vector<double> values;
    for (const json& value : one.object("values")) values.push_back(real_in(value));
    one.works(gputide_series_add, one.handle<gputide_series>("series"), one.int32("metric"), times_ms.data(),
              values.data(), points(times_ms.size(), values.size()));
}

void add_replicas(call& one) {
    const std::vector<std::int64_t> times_ms = integers_in(one.object("times_ms"));
    std::vector<std::int32_t> replicas;
    for (const json& count : one.object("replicas")) replicas.push_back(static_cast<std::int32_t>(integer_in(count)));
    one.works(gputide_series_add_replicas, one.handle<gputide_series>("series"), times_ms.data(), replicas.data(),
              points(times_ms.size(), replicas.size()));
}

void read_series(call& one) {
    const std::string text = one.text("text");
    const std::string scaler = one.text("scaler");
    one.works(gputide_series_read, one.handle<gputide_series>("series"), one.int32("metric"), text.data(),
              static_cast<std::int64_t>(text.size()), scaler.empty() ? nullptr : scaler.c_str());
}

#ifndef GPUTIDE_PURE_ONLY
void fetch_series(call& one) {
    one.works(gputide_series_fetch, one.handle<gputide_series>("series"), one.handle<gputide_scaler>("scaler"),
              one.int32("metric"), one.integer("from_ms"), one.integer("to_ms"), one.integer("step_ms"),
              one.int32("timeout_ms"), no_cancel);
}
#endif

void write_series(call& one) { one.gives_text("csv", gputide_series_write, one.handle<gputide_series>("series")); }
void describe_series(call& one) {
    one.gives_text("json", gputide_series_describe, one.handle<gputide_series>("series"));
}

void open_replay(call& one) {
    const std::string manifest = one.text("manifest");
    const std::string settings = one.text("settings");
    one.opens(gputide_replay_free, gputide_replay_open, manifest.data(), static_cast<std::int64_t>(manifest.size()),
              one.options(), settings.empty() ? nullptr : settings.data(), static_cast<std::int64_t>(settings.size()));
}

void run_replay(call& one) {
    one.works(gputide_replay_run, one.handle<gputide_replay>("replay"), one.handle<const gputide_series>("series"),
              no_cancel);
}

void record_moment(call& one) {
    const owned_samples samples(one.object("samples"));
    auto last = sized<gputide_decision>();
    if (one.works(gputide_replay_record, one.handle<gputide_replay>("replay"), one.integer("time_ms"),
                  samples.list.data(), static_cast<std::uint32_t>(sizeof(gputide_sample)),
                  static_cast<std::uint32_t>(samples.list.size()), one.has("replicas") ? one.int32("replicas") : -1,
                  &last))
        one.result["decision"] = decision_json(last);
}

void report_replay(call& one) { one.gives_text("json", gputide_replay_report, one.handle<gputide_replay>("replay")); }

}  // namespace

std::vector<call_entry> replay_calls() {
    return {{"series.new", {}, &new_series},
            {"series.add", {"series"}, &add_values},
            {"series.add_replicas", {"series"}, &add_replicas},
            {"series.read", {"series"}, &read_series},
#ifndef GPUTIDE_PURE_ONLY
            {"series.fetch", {"series", "scaler"}, &fetch_series},
#endif
            {"series.write", {"series"}, &write_series},
            {"series.describe", {"series"}, &describe_series},
            {"replay.open", {}, &open_replay},
            {"replay.run", {"replay", "series"}, &run_replay},
            {"replay.record", {"replay"}, &record_moment},
            {"replay.report", {"replay"}, &report_replay}};
}

}  // namespace conformance
