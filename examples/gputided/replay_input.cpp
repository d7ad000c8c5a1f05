#include "replay_input.hpp"

#include "files.hpp"
#include "replay_range.hpp"
#include "times.hpp"

#include <cstdlib>

namespace gputided {
namespace {

using json = nlohmann::json;

void add_duration(json& to, const char* name, const std::string& text, const char* flag) {
    if (!text.empty()) to[name] = text == "0" ? 0 : parse_duration_ms(text, flag);
}

bool is_range(const replay_options& from) { return !from.from.empty() && from.series.empty(); }

void read_file(const std::string& name, std::uint32_t metric, const std::string& scaler, gputide::series& into) {
    try {
        into.read(metric, read_text(name, most_series_bytes), scaler);
    } catch (const gputide::failure& wrong) {
        throw usage_error(name + ": " + wrong.what());
    }
}

}  // namespace

void add_change(const std::string& text, const char* flag, json& into) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw usage_error(std::string(flag) + " " + text + ": expected name=value, as in threshold=60");
    }
    const json value = json::parse(text.substr(equals + 1), nullptr, false);
    if (value.is_discarded() || !(value.is_number() || value.is_boolean())) {
        throw usage_error(std::string(flag) + " " + text + ": the value is no number, true or false");
    }
    into["set"][text.substr(0, equals)] = value;
}

json replay_settings(const replay_options& from) {
    json out = {{"model", from.model}, {"saturation", from.saturation}, {"seed", from.seed}};
    if (!from.signals.empty()) out["signal"] = from.signals;
    for (const std::string& one : from.startup) {
        out["startup_ms"].push_back(one == "0" ? 0 : parse_duration_ms(one, "--startup"));
    }
    add_duration(out, "exporter_ms", from.exporter, "--exporter-lag");
    add_duration(out, "scrape_ms", from.scrape, "--scrape-lag");
    add_duration(out, "hold_ms", from.hold, "--hold");
    add_duration(out, "flap_window_ms", from.flap_window, "--flap-window");
    if (!from.poll.empty()) out["set"]["polling_interval_s"] = parse_duration_ms(from.poll, "--poll") / 1000;
    if (!from.sync.empty()) out["set"]["sync_period_ms"] = parse_duration_ms(from.sync, "--sync");
    if (from.recorded_replicas >= 0) out["recorded_replicas"] = from.recorded_replicas;
    if (from.initial_replicas >= 0) out["initial_replicas"] = from.initial_replicas;
    if (!from.above.empty()) out["above"] = from.above;
    if (from.gpus_per_replica > 0) out["set"]["gpus_per_replica"] = from.gpus_per_replica;
    if (from.cost_per_gpu_hour >= 0) out["set"]["cost_per_gpu_hour"] = from.cost_per_gpu_hour;
    for (const std::string& one : from.set) add_change(one, "--set", out);
    const std::int64_t now_ms = unix_now_ms();
    if (!is_range(from) && !from.from.empty()) out["from_ms"] = parse_moment_ms(from.from, now_ms, "--from");
    if (!is_range(from) && !from.to.empty()) out["to_ms"] = parse_moment_ms(from.to, now_ms, "--to");
    if (!from.verify.empty()) out["verify"] = true;
    return out;
}

gputide::series read_series(const replay_options& from, const std::string& scaler,
                            const std::vector<manifest_file>& files) {
    gputide::series out;
    const bool log_is_all = from.series.empty() && from.from.empty() && !from.verify.empty();
    if (from.series.empty() && from.from.empty() && !log_is_all) {
        throw usage_error("replay: give --series FILE, or --from and --to for the past of the manifest's own trigger");
    }
    if (is_range(from)) fetch_past(from, scaler, files, out);
    std::uint32_t metric = 0;
    for (const std::string& name : from.series) read_file(name, metric++, scaler, out);
    if (!from.sizes.empty()) read_file(from.sizes, GPUTIDE_NO_METRIC, scaler, out);
    if (!from.verify.empty()) read_file(from.verify, log_is_all ? 0 : GPUTIDE_NO_METRIC, scaler, out);
    out.describe();  // sorts it, once for all replays
    return out;
}

std::string one_scaler(const options& from, const std::vector<manifest_file>& files) {
    const std::vector<std::string> names = scaler_names(from, files);
    if (names.size() == 1) return names.front();
    throw usage_error("replay: the manifests hold " + std::to_string(names.size()) +
                      " scalers; name one by --scaler, as in --scaler " + names.front());
}

}  // namespace gputided
