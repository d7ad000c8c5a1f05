#include "common/files.hpp"
#include "common/json.hpp"
#include "common/text.hpp"
#include "rightsize/rightsize.hpp"

#include <algorithm>
#include <set>

namespace gputided {

namespace {

constexpr std::uint32_t max_units = 4'096;  // per container, as in the library
constexpr double mib = 1'048'576.0;
constexpr std::int32_t reading_timeout_ms = 10'000;  // the first read of a GPU without persistence mode takes seconds

// Adds a value of a unit.  Values that are negative, not finite or above 64 bits are ignored later.  Throws usage_error if the
// container has more than 4,096 units.
void add_usage(samples_by_container& samples, const std::string& container, const std::string& unit,
               std::int64_t time_ms, const usage_meaning& meaning, double value) {
    container_samples& all = samples[container];
    const auto number = all.units.emplace(unit, static_cast<std::uint32_t>(all.units.size())).first->second;
    if (number >= max_units)
        throw usage_error("container " + printable(container) + " has more than " + std::to_string(max_units) +
                          " GPUs; give one container's replicas at a time");
    gputide_usage_sample& sample = all.samples.emplace_back();
    sample.time_ms = time_ms;
    sample.unit = number;
    if (meaning.value == usage::busy) {
        sample.flags = GPUTIDE_USAGE_BUSY;
        sample.busy = value * meaning.factor;
    } else {
        sample.flags = GPUTIDE_USAGE_MEMORY;
        const double bytes = value * meaning.factor;
        sample.memory_bytes = bytes >= 0.0 && bytes < 9e18 ? static_cast<std::int64_t>(bytes) : -1;
    }
}

// The workload of a series of dcgm-exporter or cAdvisor, from its labels.
struct usage_owner {
    std::string container;  // "namespace/container", as far as known; "": unknown
    std::string unit;       // GPU and pod
};

// Returns the workload.  If the scrape uses its own labels (honor_labels false), namespace, pod and container are the exporter's,
// and exported_namespace and so on are the workload's.
usage_owner owner_of(const json& labels) {
    const auto label = [&](const std::string& name) {
        return labels.value("exported_" + name, labels.value(name, std::string()));
    };
    usage_owner out;
    for (const char* name : {"namespace", "container"}) {
        const std::string value = label(name);
        if (!value.empty()) out.container += (out.container.empty() ? "" : "/") + value;
    }
    out.unit = label("Hostname") + "/" + label("gpu") + "/" + label("GPU_I_ID") + "/" + label("pod");
    return out;
}

// Opens a source for a metric, with the library's reader of this type.
gputide::source metric_source(const char* type, const std::string& metric) {
    json trigger = {{"type", type}, {"metadata", {{"metric", metric}, {"threshold", "1"}}}};
    if (std::string(type) == "dcgm") trigger["metadata"]["url"] = "http://127.0.0.1/metrics";
    return gputide::source::open(trigger.dump());
}

// Returns the newest value of a series from gputide_source_parse_all; nothing without points or if it is not a number.
std::optional<double> newest_value(const json& series) {
    const json& points = series.at("points");
    if (points.empty() || !points.back().at("value").is_number()) return std::nullopt;
    return points.back().at("value").get<double>();
}

// Adds the samples that have a value and, if `is_named`, a container.  Returns whether the reading has any series.
bool add_all(const json& reading, bool is_named, std::int64_t time_ms, const usage_meaning& meaning,
             samples_by_container& samples) {
    const json& all = reading.at("series");
    for (const json& series : all) {
        const json& labels = series.at("labels");
        const std::optional<double> value = newest_value(series);
        usage_owner owner = owner_of(labels);
        if (!is_named) owner = {"", labels.value("UUID", "") + "/" + labels.value("GPU_I_ID", "")};
        if (value && (!is_named || !owner.container.empty()))
            add_usage(samples, owner.container, owner.unit, time_ms, meaning, *value);
    }
    return !all.empty();
}

void take_row(const std::vector<std::string>& cells, const usage_meaning& meaning, samples_by_container& samples) {
    if (cells.size() != 3 && cells.size() != 4)
        throw usage_error("expected time,container,value or time,container,unit,value, got " +
                          std::to_string(cells.size()) + " columns");
    std::int64_t time_ms = 0;
    try {
        time_ms = parse_cell_time_ms(cells[0]);
    } catch (const usage_error&) {
        throw usage_error("the time \"" + printable(cells[0]) +
                          "\" cannot be read; expected RFC 3339, Unix seconds or Unix milliseconds");
    }
    if (cells.back().empty()) return;  // unknown at this time
    const std::optional<double> value = number_in(cells.back());
    if (!value) throw usage_error("expected a number, got \"" + printable(cells.back()) + "\"");
    add_usage(samples, cells[1], cells.size() == 4 ? cells[2] : "", time_ms, meaning, *value);
}

void take_nvml(gputide::source& source, const usage_meaning& meaning, samples_by_container& samples) {
    const std::int64_t now_ms = unix_now_ms();
    add_all(json::parse(source.fetch_all(now_ms, reading_timeout_ms)), false, now_ms, meaning, samples);
}

// Takes the utilization, which MIG instances of GPUs without GPM do not have; for them only the memory is known.
void take_busy(gputide::source& source, samples_by_container& samples) {
    try {
        take_nvml(source, {usage::busy, 1.0}, samples);
    } catch (const gputide::failure& failed) {
        if (failed.status() != GPUTIDE_E_NO_DATA) throw;
    }
}

}  // namespace

void read_long_csv(const std::string& path, const usage_meaning& meaning, samples_by_container& samples) {
    bool is_first = true;
    each_row(read_text(path, max_series_bytes), ',', path + ":", path, [&](const auto& cells, std::int64_t) {
        const bool is_heading = std::exchange(is_first, false) && cells.front().starts_with("time");
        if (!is_heading) take_row(cells, meaning, samples);
    });
}

void read_dcgm_page(const std::string& path, std::int64_t time_ms, samples_by_container& samples) {
    const std::string page = read_text(path);
    const auto take = [&](const char* metric, const usage_meaning& meaning) {
        return add_all(json::parse(metric_source("dcgm", metric).parse_all(200, "", page)), true, time_ms, meaning,
                       samples);
    };
    if (!take("DCGM_FI_PROF_GR_ENGINE_ACTIVE", {usage::busy, 100.0})) take("DCGM_FI_DEV_GPU_UTIL", {usage::busy, 1.0});
    take("DCGM_FI_DEV_FB_USED", {usage::memory, mib});
}

void sample_nvml(std::int64_t for_ms, std::int64_t step_ms, samples_by_container& samples) {
    gputide::source busy = metric_source("nvml", "gpu_utilization");
    gputide::source memory = metric_source("nvml", "memory_used_bytes");
    const std::int64_t end_ms = steady_now_ms() + for_ms;
    for (std::int64_t next_ms = steady_now_ms();; next_ms += step_ms) {
        std::this_thread::sleep_for(std::chrono::milliseconds(next_ms - steady_now_ms()));
        take_busy(busy, samples);
        take_nvml(memory, {usage::memory, 1.0}, samples);
        if (next_ms + step_ms > end_ms) return;
    }
}

namespace {

constexpr std::int64_t points_per_window = 500;  // per series; a response can hold 1,500 such series

// An instant query with a subquery, which returns a range for many series.
struct usage_query {
    std::string text;  // PromQL
    usage_meaning meaning;
    std::set<std::string> exporters;  // containers of exporters that use exported_* labels for the workload
    std::size_t points = 0;
};

// Returns queries for dcgm-exporter (MiB, percent; the engines' share of time if available) or for the kubelet's cAdvisor.
std::vector<usage_query> queries_of(const rightsize_options& options, const std::string& profile) {
    const bool is_gpu = profile == "gpu";
    const std::string busy = is_gpu ? R"(100 * DCGM_FI_PROF_GR_ENGINE_ACTIVE{container!=""} or )"
                                      R"(DCGM_FI_DEV_GPU_UTIL{container!=""})"
                                    : R"(rate(container_cpu_usage_seconds_total{container!="",container!="POD"}[5m]))";
    const std::string memory = is_gpu ? R"(1048576 * DCGM_FI_DEV_FB_USED{container!=""})"
                                      : R"(container_memory_working_set_bytes{container!="",container!="POD"})";
    std::vector<usage_query> out{
        {options.busy_query.value_or(busy), {usage::busy, 1.0}},
        {options.memory_query.value_or(memory), {usage::memory, options.memory_query ? options.memory_factor() : 1.0}}};
    std::erase_if(out, [](const usage_query& query) { return query.text.empty(); });
    if (out.empty()) throw usage_error("--prometheus: both queries are empty; give at least one");
    return out;
}

// Returns "namespace/container" of the scraped container.
std::string scraped_container(const json& labels) {
    return labels.value("namespace", "") + "/" + labels.value("container", "");
}

class prometheus_past {
  public:
    prometheus_past(const rightsize_options& options, std::int64_t step_ms)
        : options_(options), step_ms_(step_ms), files_(1) {
        read_server();
    }

    // Reads points at first_ms, first_ms + step ... last_ms.  Splits the range if the response is too large.
    void read(usage_query& query, std::int64_t first_ms, std::int64_t last_ms, samples_by_container& samples) {
        try {
            take(query, json::parse(fetched(query.text, first_ms, last_ms)), samples);
        } catch (const gputide::failure& failed) {
            if (failed.status() != GPUTIDE_E_LIMIT || first_ms >= last_ms) throw;
            const std::int64_t middle_ms = first_ms + (last_ms - first_ms) / step_ms_ / 2 * step_ms_;
            read(query, first_ms, middle_ms, samples);
            read(query, middle_ms + step_ms_, last_ms, samples);
        }
    }

  private:
    // Reads the trigger from --prometheus: a URL, or a file with a trigger and its credentials.
    void read_server() {
        trigger_ = {{"type", "prometheus"}, {"metadata", {{"serverAddress", options_.server}}}};
        if (options_.server.rfind('@', 0) != 0) return;
        bool found = false;
        const manifest_file file = text_or_file("--prometheus", options_.server);
        for (const json document : documents_of(file.text)) {
            const json& entry = document.is_array() && !document.empty() ? document.front() : document;
            if (entry.is_object() && !entry.contains("kind") && entry.value("metadata", json()).is_object()) {
                trigger_ = entry;
                found = true;
            } else {
                files_.push_back({file.name, document.dump()});
            }
        }
        if (!found)
            throw usage_error("--prometheus @" + file.name +
                                  ": expected an entry of a ScaledObject's triggers, as {type: prometheus, metadata: "
                                  "{serverAddress: https://...}}, followed by the TriggerAuthentication that it names",
                              file.name);
    }

    std::string fetched(const std::string& query, std::int64_t first_ms, std::int64_t last_ms) {
        // Prometheus 2 includes the start of a subquery, Prometheus 3 does not.  The millisecond before the first point contains no
        // other point.
        const std::string range = std::to_string(last_ms - first_ms + 1) + "ms:" + std::to_string(step_ms_) + "ms";
        json trigger = trigger_;
        json& metadata = trigger["metadata"];
        metadata["query"] = "(" + query + ")[" + range + "]";
        metadata["threshold"] = "1";
        if (!metadata.contains("timeout")) metadata["timeout"] = std::to_string(options_.timeout_ms) + "ms";
        files_.front() = {"--prometheus", trigger.dump()};
        auto source = gputide::source::open(files_.front().text, library_options(options_.shared, files_));
        return source.fetch_all(last_ms, options_.timeout_ms);
    }

    static void take(usage_query& query, const json& answer, samples_by_container& samples) {
        if (answer.at("partial").get<bool>())
            log_line("rightsize: the server reports a partial result", log_level::warning);
        const json& series = answer.at("series");
        for (const json& entry : series) {
            const json& labels = entry.at("labels");
            if (labels.contains("exported_container")) query.exporters.insert(scraped_container(labels));
        }
        for (const json& entry : series) {
            const json& labels = entry.at("labels");
            const usage_owner owner = owner_of(labels);
            const bool is_exporters_own =
                !labels.contains("exported_container") && query.exporters.count(scraped_container(labels)) > 0;
            if (owner.container.empty() || is_exporters_own) continue;
            for (const json& point : entry.at("points")) {
                const json& value = point.at("value");
                if (!value.is_number()) continue;
                add_usage(samples, owner.container, owner.unit, point.at("time_ms"), query.meaning, value);
                ++query.points;
            }
        }
    }

    const rightsize_options& options_;
    const std::int64_t step_ms_;
    json trigger_;
    std::vector<manifest_file> files_;  // the trigger, and the objects that it references
};

}  // namespace

void read_usage_past(const rightsize_options& options, const std::string& profile, std::int64_t step_ms,
                     samples_by_container& samples, const std::function<void()>& taken) {
    if (step_ms % 1000 != 0)
        throw usage_error("--step " + options.step + ": expected whole seconds for --prometheus, such as 15s");
    const auto [from_ms, to_ms] = parse_span_ms(options.from, options.to, step_ms);
    std::vector<usage_query> queries = queries_of(options, profile);
    prometheus_past past(options, step_ms);
    for (std::int64_t first_ms = from_ms; first_ms <= to_ms; first_ms += points_per_window * step_ms) {
        const std::int64_t last_ms = std::min(first_ms + (points_per_window - 1) * step_ms, to_ms);
        for (usage_query& query : queries) past.read(query, first_ms, last_ms, samples);
        taken();
    }
    for (const usage_query& query : queries)
        log_line("rightsize: " + counted(query.points, "point") + " of " + query.text + " from " + time_text(from_ms) +
                 " to " + time_text(to_ms) +
                 (query.points > 0 ? "" : "; its series need the label container, or exported_container"));
}

}  // namespace gputided
