// Reads the input of a replay, runs its variants, and compares a forecast with its alternatives.
#include "common/files.hpp"
#include "common/log.hpp"
#include "common/text.hpp"
#include "replay/replay.hpp"

#include <algorithm>
#include <cmath>

namespace gputided {

namespace {

constexpr int max_listed_events = 100'000;  // in a report

void add_duration(json& settings, const char* name, const std::string& text, const char* flag) {
    if (!text.empty()) settings[name] = text == "0" ? 0 : parse_duration_ms(text, flag);
}

// Tells whether the past is fetched: --from without --series fetches it from the manifest's source, --from with --series selects
// a part of the file.
bool asks_source(const replay_options& options) { return !options.from.empty() && options.series.empty(); }

void add_set(json& settings, const replay_options& options) {
    json changes = json::object();
    if (!options.poll.empty()) changes["polling_interval_s"] = parse_duration_ms(options.poll, "--poll") / 1000;
    if (!options.sync.empty()) changes["sync_period_ms"] = parse_duration_ms(options.sync, "--sync");
    if (options.gpus_per_replica) changes["gpus_per_replica"] = *options.gpus_per_replica;
    if (options.cost_per_gpu_hour) changes["cost_per_gpu_hour"] = *options.cost_per_gpu_hour;
    for (const std::string& change : options.set) add_change(change, "--set", changes);
    if (!changes.empty()) settings["set"] = std::move(changes);
}

// Replaces --set forecast_lead_ms=startup with the median start-up time of a replica.
void settle_lead(json& settings) {
    const auto changes = settings.find("set");
    if (changes == settings.end() || changes->value("forecast_lead_ms", json()) != "startup") return;
    const std::vector<std::int64_t> delays_ms = settings.value("startup_ms", std::vector<std::int64_t>());
    if (delays_ms.empty()) throw usage_error("forecast_lead_ms=startup uses the median of --startup; give --startup");
    (*changes)["forecast_lead_ms"] = median_ms(delays_ms);
}

// Returns null without --pools.
json pools_of(const replay_options& options) {
    return options.pools.empty() ? json() : json::parse(read_text(options.pools), nullptr, false);
}

json settings_of(const replay_options& options, const json& pools) {
    json out = {{"saturation", options.saturation}, {"seed", options.seed}};
    if (!options.model.empty()) out["model"] = options.model;
    if (!options.signals.empty()) out["signal"] = options.signals;
    const auto node_ms = pools.is_null() ? std::nullopt : std::optional(longest_delay_ms(pools));
    if (!options.startup.empty()) out["startup_ms"] = startup_delays_ms(options.startup, node_ms);
    if (node_ms && all_wait_for_node(options.startup)) out["node_ms"] = *node_ms;
    add_duration(out, "exporter_ms", options.exporter, "--exporter-lag");
    add_duration(out, "scrape_ms", options.scrape, "--scrape-lag");
    add_duration(out, "hold_ms", options.hold, "--hold");
    add_duration(out, "flap_window_ms", options.flap_window, "--flap-window");
    if (options.recorded_replicas >= 0) out["recorded_replicas"] = options.recorded_replicas;
    if (options.initial_replicas >= 0) out["initial_replicas"] = options.initial_replicas;
    if (!options.above.empty()) out["above"] = options.above;
    add_set(out, options);
    const std::int64_t now_ms = unix_now_ms();
    const bool is_part = !asks_source(options);
    if (is_part && !options.from.empty()) out["from_ms"] = parse_moment_ms(options.from, now_ms, "--from");
    if (is_part && !options.to.empty()) out["to_ms"] = parse_moment_ms(options.to, now_ms, "--to");
    if (!options.verify.empty()) out["verify"] = true;
    if (!pools.is_null()) out["events"] = max_listed_events;  // the report needs the replicas over time
    settle_lead(out);
    return out;
}

void read_file(const std::string& path, std::int32_t number, const std::string& scaler, const first_metric& metric,
               gputide::series& series) {
    std::string text = read_text(path, max_series_bytes);
    try {
        series.read(number, series_text(std::move(text), metric), scaler);
    } catch (const gputide::failure& wrong) {
        const json known = json::parse(wrong.error().detail, nullptr, false);
        const bool has_line = known.is_object() && known.contains("line");
        throw usage_error(path + ": " + wrong.what(), path, has_line ? std::stoll(text_at(known, "line")) : 0);
    } catch (const usage_error& wrong) {
        throw usage_error(path + ": " + wrong.what(), path, wrong.line);
    }
}

// Returns gputide.io/forecast-history: the time before --from that a forecast needs.
std::int64_t history_ms(const json& settings, const std::string& manifest, const gputide::options& consent) {
    const json changes = settings.value("set", json::object());
    if (changes.contains("forecast_history_ms")) return changes.at("forecast_history_ms");
    const json policy = json::parse(gputide::policy::open(manifest, consent).describe());
    return policy.contains("forecast") ? integer_at(policy.at("forecast"), "history_ms") : 0;
}

// before_ms: also fetches this time before --from.
std::shared_ptr<gputide::series> series_of(const replay_options& options, std::int64_t before_ms,
                                           const std::string& scaler, const std::vector<manifest_file>& files,
                                           const first_metric& first) {
    auto out = std::make_shared<gputide::series>();
    const bool log_is_all = options.series.empty() && options.from.empty() && !options.verify.empty();
    if (options.series.empty() && options.from.empty() && !log_is_all) {
        throw usage_error("replay: give --series FILE, or --from and --to for the past of the manifest's own trigger");
    }
    if (asks_source(options)) fetch_past(options, before_ms, scaler, files, *out);
    std::int32_t metric = 0;
    for (const std::string& path : options.series) read_file(path, metric++, scaler, first, *out);
    if (!options.sizes.empty()) read_file(options.sizes, GPUTIDE_NO_METRIC, scaler, first, *out);
    if (!options.verify.empty()) read_file(options.verify, log_is_all ? 0 : GPUTIDE_NO_METRIC, scaler, first, *out);
    out->describe();  // sorts the series once, before the replays
    return out;
}

// Tells whether to use the closed loop by default: whenever scaling's effect on the metric can be derived, because an open loop
// would show savings that are not real.
bool closes_loop(const replay_options& options, const first_metric& first, gputide::series& series) {
    if (!options.model.empty() || !options.verify.empty() || !is_mean_over_replicas(first)) return false;
    return options.recorded_replicas >= 0 || json::parse(series.describe()).value("sizes", 0) > 0;
}

// Returns the selected scaler.  Throws usage_error if the manifests have several and --scaler selects none.
std::string only_scaler(const shared_options& options, const std::vector<manifest_file>& files) {
    const std::vector<std::string> names = scaler_names(options, files);
    if (names.size() == 1) return names.front();
    throw usage_error("replay: the manifests contain " + std::to_string(names.size()) +
                      " scalers; choose a scaler, as in --scaler " + names.front());
}

json settings_with(const replay_input& input, const json& changes) {
    json out = input.settings;
    for (const auto& [name, value] : changes.items()) out["set"][name] = value;
    settle_lead(out);
    return out;
}

// Replays a variant; the report has no `nodes` and no `compared`.
json replayed(const replay_input& input, const json& changes) {
    gputide::replay replay = gputide::replay::open(input.manifest, settings_with(input, changes).dump(), input.options);
    replay.run(*input.series);
    return json::parse(replay.report());
}

constexpr int halvings = 10;          // to 1/1024 of max_headroom
constexpr double max_headroom = 0.5;  // of the target

double summed(const json& rival, const char* name) { return number_at(rival.at("summary"), name); }

// Returns an entry of "compared".
json rival_of(const replay_input& input, const std::string& name, const json& changes) {
    json report = replayed(input, changes);
    json out = {{"name", name}, {"set", changes}, {"summary", std::move(report.at("summary"))}};
    if (report.contains("chart")) out["chart"] = std::move(report.at("chart"));
    return out;
}

// Tells whether the forecast is of the first metric, the only one that `threshold` changes; a formula rejects `threshold`.
bool targets_first_metric(const json& report) {
    const json& policy = report.at("policy");
    return report.at("forecast").at("metric") == policy.at("metrics").at(0).at("metric");
}

json lowered(double target, double headroom) {
    return {{"forecast", "off"}, {"threshold", std::round(target * (1 - headroom) * 1000) / 1000}};
}

// Returns the largest headroom with at most max_hours replica-hours.
json headroom_for(const replay_input& input, double target, double max_hours) {
    replay_input brief = input;
    brief.settings.update({{"events", 0}, {"chart_points", 0}});
    double low = 0;
    double high = max_headroom;
    for (int i = 0; i < halvings; ++i) {
        const double tried = (low + high) / 2;
        const bool is_too_expensive = summed(replayed(brief, lowered(target, tried)), "replica_hours") > max_hours;
        (is_too_expensive ? high : low) = tried;
    }
    return rival_of(input, "headroom " + figure(low * 100) + " %", lowered(target, low));
}

// Adds the alternatives to a forecast as "compared": [{"name":...,"set":{...},"summary":{...},"chart":{...}}, ...]: forecast off,
// forecast on, and headroom.  Headroom means: forecast off, and the first metric's target lowered until the replica-hours equal
// those of the forecast.  Headroom is omitted if the forecast added no replica-hours, or if it predicts a formula or another
// metric. A warning is added if headroom is as good as the forecast. All are measured against the same target levels.
void add_rivals(json& report, replay_input input) {
    fix_levels(input, report);
    json& out = report["compared"] = json::array({rival_of(input, "forecast off", {{"forecast", "off"}}),
                                                  rival_of(input, "forecast on", {{"forecast", "act"}})});
    const double hours = summed(out[1], "replica_hours");
    if (!(hours > summed(out[0], "replica_hours")) || !targets_first_metric(report)) return;
    out.push_back(headroom_for(input, report.at("policy").at("metrics").at(0).at("target"), hours));
    if (summed(out[2], "minutes_above_target") > summed(out[1], "minutes_above_target")) return;
    report["warnings"].push_back(
        format_members("this series has no pattern worth forecasting: {name} (threshold "
                       "{/set/threshold:3}) gives the same result for the same replica-hours",
                       out[2]));
}

// Tells whether the text is a name such as act, observe or none; true and false are JSON.
bool is_name(const std::string& text) {
    const auto is_small = [](char letter) { return letter >= 'a' && letter <= 'z'; };
    return !text.empty() && text != "true" && text != "false" && std::ranges::all_of(text, is_small);
}

}  // namespace

void add_change(const std::string& text, const char* flag, json& changes) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw usage_error(std::string(flag) + " " + text + ": expected name=value, as in threshold=60");
    }
    const std::string value = text.substr(equals + 1);
    json read = json::parse(value, nullptr, false);
    if (is_name(value) || read.is_discarded()) read = value == "none" ? json() : json(printable(value));
    changes[text.substr(0, equals)] = read;
}

replay_input read_replay_input(const replay_options& options) {
    if (!options.html.empty()) check_writable("--html", options.html);  // before a search, which may take hours
    const std::vector<manifest_file> files = read_manifests(options.shared);
    const std::string scaler = only_scaler(options.shared, files);
    json pools = pools_of(options);
    json settings = settings_of(options, pools);
    gputide::options consent = library_options(options.shared, files);
    consent.scaler(scaler);
    // Reports settings that do not fit the manifest, before a long query.
    static_cast<void>(gputide::replay::open(files.front().text, settings.dump(), consent));
    std::int64_t before_ms = 0;
    if (asks_source(options)) before_ms = history_ms(settings, files.front().text, consent);
    if (before_ms > 0) settings["from_ms"] = parse_moment_ms(options.from, unix_now_ms(), "--from");
    const first_metric first = first_metric_of(options, scaler, files);
    const std::shared_ptr<gputide::series> series = series_of(options, before_ms, scaler, files, first);
    if (closes_loop(options, first, *series)) settings["model"] = "closed";
    return {scaler, files.front().name, files.front().text, consent, series, settings, std::move(pools)};
}

std::optional<gputide::failure> refusal_of(const replay_input& input, const json& changes) {
    try {
        static_cast<void>(gputide::replay::open(input.manifest, settings_with(input, changes).dump(), input.options));
        return std::nullopt;
    } catch (const gputide::failure& refused) {
        return refused;
    }
}

json report_of(const replay_input& input, const json& changes) {
    json report = replayed(input, changes);
    const bool has_chart = input.settings.value("chart_points", 1) > 0;
    if (changes.empty() && has_chart && forecasts(report)) add_rivals(report, input);
    if (!input.pools.is_null() && report.contains("summary")) report["nodes"] = nodes_of_replay(report, input.pools);
    return report;
}

void fix_levels(replay_input& input, const json& report) {
    if (input.settings.contains("above")) return;
    for (const json& metric : report.at("policy").at("metrics")) {
        input.settings["above"].push_back(metric.at("above"));
    }
}

bool forecasts(const json& report) { return report.contains("forecast"); }

}  // namespace gputided
