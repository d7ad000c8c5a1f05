// Section 10 of gputide.h: recorded series and replays.
#include "door/call.hpp"

#include <algorithm>
#include <stdexcept>

namespace conformance {
namespace {

constexpr const gputide_cancel* no_cancel = nullptr;

std::vector<std::int64_t> integers_in(const json& list) {
    std::vector<std::int64_t> out;
    for (const json& entry : list) out.push_back(integer_in(entry));
    return out;
}

// Two lists that belong together, point by point.
std::uint64_t points(std::size_t times, std::size_t values) {
    if (times != values) throw std::invalid_argument("times_ms and what belongs to them differ in length");
    return times;
}

void new_series(call& call) { call.opens(gputide_series_free, gputide_series_new); }

void add_values(call& call) {
    const std::vector<std::int64_t> times_ms = integers_in(call.object("times_ms"));
    std::vector<double> values;
    for (const json& value : call.object("values")) values.push_back(real_in(value));
    call.works(gputide_series_add, call.handle<gputide_series>("series"), call.int32("metric"), times_ms.data(),
               values.data(), points(times_ms.size(), values.size()));
}

void add_replicas(call& call) {
    const std::vector<std::int64_t> times_ms = integers_in(call.object("times_ms"));
    std::vector<std::int32_t> replicas;
    for (const json& count : call.object("replicas")) replicas.push_back(static_cast<std::int32_t>(integer_in(count)));
    call.works(gputide_series_add_replicas, call.handle<gputide_series>("series"), times_ms.data(), replicas.data(),
               points(times_ms.size(), replicas.size()));
}

void read_series(call& call) {
    const std::string text = call.text("text");
    const std::string scaler = call.text("scaler");
    call.works(gputide_series_read, call.handle<gputide_series>("series"), call.int32("metric"), text.data(),
               static_cast<std::int64_t>(text.size()), scaler.empty() ? nullptr : scaler.c_str());
}

void fetch_series(call& call) {
    call.works(gputide_series_fetch, call.handle<gputide_series>("series"), call.handle<gputide_scaler>("scaler"),
               call.int32("metric"), call.integer("from_ms"), call.integer("to_ms"), call.integer("step_ms"),
               call.int32("timeout_ms"), no_cancel);
}

void write_series(call& call) { call.gives_text("csv", gputide_series_write, call.handle<gputide_series>("series")); }
void describe_series(call& call) {
    call.gives_text("json", gputide_series_describe, call.handle<gputide_series>("series"));
}

void open_replay(call& call) {
    const std::string manifest = call.text("manifest");
    const std::string settings = call.text("settings");
    call.opens(gputide_replay_free, gputide_replay_open, manifest.data(), static_cast<std::int64_t>(manifest.size()),
               call.options(), settings.empty() ? nullptr : settings.data(),
               static_cast<std::int64_t>(settings.size()));
}

void run_replay(call& call) {
    call.works(gputide_replay_run, call.handle<gputide_replay>("replay"), call.handle<const gputide_series>("series"),
               no_cancel);
}

void record_moment(call& call) {
    const owned_samples samples(call.object("samples"));
    auto last = sized<gputide_decision>();
    if (call.works(gputide_replay_record, call.handle<gputide_replay>("replay"), call.integer("time_ms"),
                   samples.list.data(), static_cast<std::uint32_t>(sizeof(gputide_sample)),
                   static_cast<std::uint32_t>(samples.list.size()), call.has("replicas") ? call.int32("replicas") : -1,
                   &last))
        call.result["decision"] = decision_json(last);
}

void report_replay(call& call) {
    call.gives_text("json", gputide_replay_report, call.handle<gputide_replay>("replay"));
}

}  // namespace

std::vector<call_entry> replay_calls() {
    return {{"series.new", {}, &new_series},
            {"series.add", {"series"}, &add_values},
            {"series.add_replicas", {"series"}, &add_replicas},
            {"series.read", {"series"}, &read_series},
            {"series.fetch", {"series", "scaler"}, &fetch_series},
            {"series.write", {"series"}, &write_series},
            {"series.describe", {"series"}, &describe_series},
            {"replay.open", {}, &open_replay},
            {"replay.run", {"replay", "series"}, &run_replay},
            {"replay.record", {"replay"}, &record_moment},
            {"replay.report", {"replay"}, &report_replay}};
}

}  // namespace conformance
