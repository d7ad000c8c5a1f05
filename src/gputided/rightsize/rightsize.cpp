// gputided rightsize: recommends resources for each container, from samples of GPU memory and utilization.  Reads files, a
// Prometheus or this machine's GPUs; writes only --state and --html.
#include "rightsize/rightsize.hpp"

#include "common/files.hpp"
#include "common/log.hpp"
#include "common/options.hpp"
#include "common/page.hpp"
#include "common/text.hpp"
#include "rightsize_html.hpp"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace gputided {

namespace {

std::string amount_text(const json& value, const std::string& unit) {
    if (unit == "bytes") return decimal(value.get<double>() / 1073741824.0, 1) + " GiB";
    if (unit == "percent") return decimal(value.get<double>(), 0) + " %";
    return decimal(value.get<double>() / 1000.0, 3) + " cores";
}

// Reports whether an upper bound only shows that the samples cover too short a time: it grows with 1/confidence (as in VPA), even
// beyond the size of a GPU.
bool is_upper_unknown(const json& report, const json& estimate) {
    constexpr double min_confidence = 0.1;  // at this confidence the bound is 11 times the percentile
    const auto unit = text_at(estimate, "unit");
    if (!report.contains("options") || (unit != "percent" && unit != "bytes")) return false;
    const auto upper = number_at(estimate, "upper");
    const bool is_beyond_gpu = unit == "percent" && upper > 100.0;
    const bool is_trusted = number_at(report, "confidence") >= min_confidence;
    return upper > number_at(estimate, "target") && (is_beyond_gpu || !is_trusted);
}

std::string bounds_text(const json& bounds, const std::string& unit, bool is_upper_unknown) {
    return amount_text(bounds.at("lower"), unit) + " / " + amount_text(bounds.at("target"), unit) + " / " +
           (is_upper_unknown ? "unknown" : amount_text(bounds.at("upper"), unit));
}

std::string estimate_lines(const char* member, const json& report) {
    const json& estimate = report.at(member);
    const std::string unit = text_at(estimate, "unit");
    std::string out = padded(std::string("  ") + member, 18) + "lower / target / upper\n";
    const auto line = [&](const char* name, const json& bounds, bool is_upper_unknown) {
        out += padded(std::string("    ") + name, 18) + bounds_text(bounds, unit, is_upper_unknown) + "\n";
    };
    line("percentiles", estimate.at("percentiles"), false);
    line("with margin", estimate.at("with_margin"), false);
    line("final", estimate, is_upper_unknown(report, estimate));
    return out;
}

std::string option_line(const char* name, const json& option) {
    if (option.is_null()) return "";
    const auto kind = text_at(option, "kind");
    const std::string count = option.at("gpus").dump();
    std::string text;
    if (kind == "mig") {
        text = count + " x MIG " + text_at(option, "mig_profile") + " (" + option.at("per_gpu").dump() + " on a GPU)";
    } else if (kind == "share") {
        text = "share: " + option.at("per_gpu").dump() + " replicas per GPU";
    } else {
        text = count + (count == "1" ? " GPU" : " GPUs");
    }
    if (option.contains("sku")) text += " of " + text_at(option, "sku");
    if (const std::int64_t machines = option.value("nodes", std::int64_t{0});
        machines > 1 && kind != "mig" && kind != "share")
        text += ", " + counted(machines, "machine") + ", " + counted(machines, "replica");
    const json& price = option.at("price_per_hour");
    std::string out = padded(padded(std::string("  ") + name, 18) + text + "  ", 66);
    out += price.is_null() ? "price unknown" : decimal(price.get<double>(), 3) + " an hour";
    return out + ", limited by " + text_at(option, "bound_by") + "\n";
}

std::string container_of(const json& report) {
    const auto name = text_at(report, "container");
    return name.substr(name.rfind('/') + 1);
}

std::string patch_around(const json& report, const std::string& resources) {
    return "# " + text_at(report, "reason") +
           "\nspec:\n  template:\n    spec:\n      containers:\n      - name: " + json(container_of(report)).dump() +
           "\n        resources:\n" + resources;
}

// Summarizes all reports in a sentence.
std::string rightsize_conclusion(const json& reports) {
    int changes = 0;
    double saved = 0.0;
    bool priced = true;
    for (const json& report : reports) {
        if (report.at("verdict") != "change") continue;
        ++changes;
        const json& saves = report.at("saves_per_hour");
        priced = priced && !saves.is_null();
        if (!saves.is_null()) saved += saves.get<double>();
    }
    std::string out = std::to_string(changes) + " of " + counted(reports.size(), "container") +
                      (changes == 1 ? " needs other resources than it has" : " need other resources than they have");
    if (changes == 0) return out + ".";
    out += saved >= 0.0 ? "; that saves " + decimal(saved, 3) + " an hour"
                        : "; that costs " + decimal(-saved, 3) + " an hour more";
    return out + (priced ? "." : ", as far as prices are known.");
}

std::string rightsize_text(const json& report) {
    std::string name = text_at(report, "container");
    if (name.empty()) name = text_at(report, "name");
    std::string out = (name.empty() ? "workload" : name) + ": " + text_at(report, "verdict") + "\n  " +
                      text_at(report, "reason") + "\n";
    const json& samples = report.at("samples");
    out += "  samples         " + samples.at("busy").dump() + " of utilization, " + samples.at("memory").dump() +
           " of memory, " + counted(integer_at(samples, "units"), "unit") + "; confidence " +
           decimal(number_at(report, "confidence"), 2) + "\n";
    out += estimate_lines("busy", report);
    out += estimate_lines("memory", report);
    if (report.at("memory_signal") == "preallocated")
        out += "  memory          preallocated: it is a fixed share of the card and does not show the need\n";
    if (!report.contains("options")) return out;
    out += option_line("now", report.at("now"));
    out += option_line("recommended", report.at("recommendation"));
    out += option_line("runner-up", report.at("runner_up"));
    const json& saves = report.at("saves_per_hour");
    if (saves.is_null()) return out;
    const auto saved = saves.get<double>();
    out += saved >= 0.0 ? "  saves           " + decimal(saved, 3) + " an hour\n"
                        : "  costs           " + decimal(-saved, 3) + " an hour more\n";
    return out;
}

// Returns a patch for `kubectl patch` of a Deployment's container, with the reason above it; "" if nothing changes.
std::string rightsize_patch(const json& report) {
    const auto verdict = text_at(report, "verdict");
    if (verdict == "report") {
        const json& target = report.at("container_recommendation").at("target");
        return patch_around(report, "          requests:\n            cpu: " + text_at(target, "cpu") +
                                        "\n            memory: \"" + text_at(target, "memory") + "\"\n");
    }
    if (verdict != "change") return "";
    const json& option = report.at("recommendation");
    // The node sets how many replicas share a GPU, and each pod requests one share.
    if (option.at("kind") == "share") return "# " + text_at(report, "reason") + "\n";
    const std::string resource = option.at("kind") == "mig" ? "mig-" + text_at(option, "mig_profile") : "gpu";
    return patch_around(
        report, "          limits:\n            nvidia.com/" + resource + ": " + option.at("gpus").dump() + "\n");
}

// Returns all reports (an array, one per container) as an HTML file.  settings: from the library's describe().
std::string rightsize_page(const json& settings, json reports) {
    const std::string conclusion = rightsize_conclusion(reports);
    for (json& report : reports) {
        for (const char* member : {"busy", "memory"}) {
            if (is_upper_unknown(report, report.at(member))) report[member]["upper_unknown"] = true;
        }
    }
    return report_file(rightsize_html,
                       {{"TITLE", "Right-sizing"},
                        {"CONCLUSION", escaped(conclusion)},
                        {"REPORTS", for_script({{"settings", settings}, {"reports", std::move(reports)}})}});
}

constexpr std::size_t max_page_containers = 10'000;  // more are too slow in a browser

struct checkpoint {
    std::string text;                            // saved by the library
    std::map<std::string, std::uint32_t> units;  // index of each of its GPUs
};
using checkpoints = std::map<std::string, checkpoint>;  // by container name

gputide::rightsize open_rightsize(const rightsize_options& options) {
    if (options.shared.files.empty()) return gputide::rightsize();
    const std::vector<manifest_file> files = read_manifests(options.shared);
    return gputide::rightsize(files.front().text, library_options(options.shared, files));
}

std::uint32_t number_of(gputide::rightsize& all, const std::string& name) {
    return name.empty() ? 0 : all.container(name);
}

// {"gputided_rightsize":1,"containers":{"chat":{"text":"<of the library>","units":{"node-1/0":0}}}}
checkpoints read_checkpoints(const std::string& path) {
    if (path.empty() || !exists(path)) return {};
    try {
        const json read = json::parse(read_text(path, max_state_bytes));
        if (read.at("gputided_rightsize") != 1)
            throw usage_error(path + ": written by a newer gputided; update gputided", path);
        checkpoints out;
        for (const auto& [name, saved] : read.at("containers").items())
            out[name] = {text_at(saved, "text"), saved.at("units").get<std::map<std::string, std::uint32_t>>()};
        return out;
    } catch (const json::exception&) {
        throw usage_error(path + ": not a state file of gputided rightsize; name another file with --state", path);
    }
}

// Writes entry by entry, because a tree of all entries would need several times the memory of the text.
void write_checkpoints(const std::string& path, const checkpoints& all) {
    std::string out = R"({"gputided_rightsize":1,"containers":{)";
    const char* before = "";
    for (const auto& [name, saved] : all) {
        out += std::exchange(before, ",") + json(name).dump() + ":";
        out += json{{"text", saved.text}, {"units", saved.units}}.dump();
    }
    replace_text(path, out + "}}\n");
}

void print(const json& report, const rightsize_options& options) {
    if (options.patch) {
        std::cout << rightsize_patch(report);
    } else if (options.shared.json()) {
        std::cout << report.dump() << "\n";
    } else {
        std::cout << rightsize_text(report);
    }
}

void log_findings(const gputide::rightsize& all) {
    for (const json& found : json::parse(all.describe()).at("findings").at("findings")) {
        const std::string severity = text_at(found, "severity");
        log_line(severity + ": " + located_text(found), severity == "warning" ? log_level::warning
                                                        : severity == "error" ? log_level::error
                                                                              : log_level::info);
    }
}

void read_files(const rightsize_options& options, samples_by_container& samples) {
    const std::int64_t now_ms = time_or_now_ms(options.at);
    for (const std::string& path : options.busy) read_long_csv(path, {usage::busy, 1.0}, samples);
    for (const std::string& path : options.memory)
        read_long_csv(path, {usage::memory, options.memory_factor()}, samples);
    const std::int64_t step_ms = parse_duration_ms(options.page_step, "--page-step");
    auto before = static_cast<std::int64_t>(options.pages.size());
    for (const std::string& path : options.pages) read_dcgm_page(path, now_ms - --before * step_ms, samples);
}

// Moves the samples to the library, so that not all of them are in memory together.  Returns the newest sample's time.
std::int64_t add_samples(gputide::rightsize& all, samples_by_container& samples) {
    std::int64_t newest_ms = 0;
    for (auto& [name, of] : samples) {
        if (of.samples.empty()) continue;
        std::stable_sort(of.samples.begin(), of.samples.end(),
                         [](const auto& a, const auto& b) { return a.time_ms < b.time_ms; });
        newest_ms = std::max(newest_ms, of.samples.back().time_ms);
        const std::uint32_t number = number_of(all, name);
        for (gputide_usage_sample& sample : of.samples) sample.container = number;
        all.add(of.samples);
        of.samples = {};  // clear() would keep the memory of possibly a million containers
    }
    return newest_ms;
}

// Adds the samples of all flags.  Returns the newest sample's time; 0 without samples.
std::int64_t read_samples(const rightsize_options& options, gputide::rightsize& all, samples_by_container& known) {
    std::int64_t newest_ms = 0;
    const auto taken = [&] { newest_ms = std::max(newest_ms, add_samples(all, known)); };
    read_files(options, known);
    taken();
    const std::int64_t step_ms = parse_duration_ms(options.step, "--step");
    if (!options.server.empty())
        read_usage_past(options, json::parse(all.describe()).at("profile"), step_ms, known, taken);
    if (options.nvml) sample_nvml(parse_duration_ms(options.nvml_for, "--for"), step_ms, known);
    taken();
    return newest_ms;
}

// Loads the checkpoints.  Their containers and GPUs keep their indexes, and are reported even without new samples.
samples_by_container load_checkpoints(const checkpoints& saved, gputide::rightsize& rightsize) {
    samples_by_container out;
    for (const auto& [name, before] : saved) {
        out[name].units = before.units;
        rightsize.load(before.text, number_of(rightsize, name));
    }
    return out;
}

int rightsize(const rightsize_options& options) {
    gputide::rightsize all = open_rightsize(options);
    log_findings(all);
    checkpoints saved = read_checkpoints(options.state);
    samples_by_container known = load_checkpoints(saved, all);
    const std::int64_t newest_ms = read_samples(options, all, known);
    if (known.empty()) throw usage_error("there are no samples: give --util, --memory, --dcgm, --prometheus or --nvml");
    // Uses the newest sample's time, so that reading the same file later gives the same result.
    const std::int64_t now_ms = options.at.empty() && newest_ms > 0 ? newest_ms : time_or_now_ms(options.at);
    const bool is_page_too_large = options.container.empty() && known.size() > max_page_containers;
    if (!options.html.empty() && is_page_too_large) {
        throw usage_error("--html: a page shows at most " + std::to_string(max_page_containers) + " containers, not " +
                          std::to_string(known.size()) + "; choose one with --container, or omit --html");
    }
    json reports = json::array();  // only for the page, because a report has several kB
    for (const auto& [name, of] : known) {
        const std::uint32_t number = number_of(all, name);
        if (!options.state.empty()) saved[name] = {all.save(now_ms, number), of.units};
        if (!options.container.empty() && options.container != name) continue;
        json report = json::parse(all.recommend(now_ms, number));
        print(report, options);
        if (!options.html.empty()) reports.push_back(std::move(report));
    }
    if (!options.html.empty())
        replace_text(options.html, rightsize_page(json::parse(all.describe()), std::move(reports)), readers::everybody);
    if (!options.state.empty()) write_checkpoints(options.state, saved);
    return done;
}

}  // namespace

void add_rightsize(subcommands& commands) {
    rightsize_options& options = commands.add(
        "rightsize", "How many GPUs, which machine or how big a slice a workload needs, from samples of its GPUs",
        "gputided rightsize -f settings.yaml --util util.csv --memory memory.csv", &rightsize);
    CLI::App& app = commands.app();
    option_list add(app);
    add("-f,--file FILE", options.shared.files,
        "settings, a GpuCatalogue, a VerticalPodAutoscaler: a file or a folder; repeatable");
    add("--util CSV", options.busy, "CSV time,container[,unit],value: percent of each GPU (profile vpa: cores)");
    add("--memory CSV", options.memory, "like --util: used memory of each GPU");
    add("--memory-unit", options.memory_unit, "of --memory").one_of({"bytes", "MiB", "GiB"});
    add("--dcgm FILE", options.pages, "pages of dcgm-exporter, one scrape each, the newest last");
    add("--page-step", options.page_step, "time between two pages");
    add("--container", options.container, "report only this container");
    add("--at", options.at, "RFC 3339 or Unix milliseconds; default: the newest sample's time");
    add("--state", options.state, "samples so far: read if the file exists, and replaced");
    add("--patch", options.patch, "print a patch of the workload instead of the report");
    add("--html FILE", options.html, "also write all reports as an HTML file, which loads nothing");
    add.start_group("Samples from a Prometheus or from GPUs");
    add("--prometheus URL", options.server,
        "read the samples from a Prometheus: its URL, or @FILE with a trigger and its credentials");
    add("--from", options.from, "a time, or -8d");
    add("--to", options.to, "default: now");
    add("--util-query", options.busy_query, "PromQL by container, instead of the default; '': no query");
    add("--memory-query", options.memory_query, "likewise, in --memory-unit");
    add_timeout(add, options.timeout_ms, "for each query of the past");
    add("--nvml", options.nvml, "sample this machine's own GPUs, all as one container");
    add("--for", options.nvml_for, "how long --nvml samples");
    add("--step", options.step, "of --prometheus and --nvml");
    add_trust_options(app, options.shared);
    add_output_option(app, options.shared);
}

}  // namespace gputided
