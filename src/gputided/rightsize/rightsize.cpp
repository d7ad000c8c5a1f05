// gputided rightsize: recommends resources for each container, from samples of GPU memory and utilization.  Reads files, a
// Prometheus or this machine's GPUs; writes only --state and --html.
#include "rightsize/rightsize.hpp"

#include "common/log.hpp"
#include "common/page.hpp"
#include "common/text.hpp"
#include "rightsize_html.hpp"

#include <algorithm>
#include <iostream>

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
    const std::string kind = text_at(option, "kind");
    const bool is_part = kind == "mig" || kind == "share";  // of a GPU
    std::string text = format_members(kind == "mig"     ? "{gpus} x MIG {mig_profile} ({per_gpu} on a GPU)"
                                      : kind == "share" ? "share: {per_gpu} replicas per GPU"
                                                        : "{gpus:GPU}",
                                      option);
    text += format_members_if_known(" of {sku}", option);
    if (!is_part && option.value("nodes", 0) > 1) text += format_members(", {nodes:machine}, {nodes:replica}", option);
    const std::string price = format_members_if_known("{price_per_hour:.3} an hour", option);
    return padded(padded(std::string("  ") + name, 18) + text + "  ", 66) + (price.empty() ? "price unknown" : price) +
           format_members(", limited by {bound_by}\n", option);
}

// Returns `saves` or `costs` with the amount.  saved: an hour; below 0: the change costs more.
std::string change_of_cost(double saved, const char* saves, const char* costs) {
    return saved >= 0.0 ? saves + decimal(saved, 3) + " an hour" : costs + decimal(-saved, 3) + " an hour more";
}

std::string container_of(const json& report) {
    const auto name = text_at(report, "container");
    return name.substr(name.rfind('/') + 1);
}

std::string patch_around(const json& report, const std::string& resources) {
    return format_members("# {reason}\nspec:\n  template:\n    spec:\n      containers:\n      - name: ", report) +
           json(container_of(report)).dump() + "\n        resources:\n" + resources;
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
    return out + change_of_cost(saved, "; that saves ", "; that costs ") +
           (priced ? "." : ", as far as prices are known.");
}

std::string rightsize_text(const json& report) {
    std::string name = text_at(report, "container");
    if (name.empty()) name = text_at(report, "name");
    std::string out = (name.empty() ? "workload" : name) + format_members(": {verdict}\n  {reason}\n", report);
    out += format_members(
        "  samples         {/samples/busy} of utilization, {/samples/memory} of memory, {/samples/units:unit}; "
        "confidence {confidence:.2}\n",
        report);
    out += estimate_lines("busy", report) + estimate_lines("memory", report);
    if (report.at("memory_signal") == "preallocated")
        out += "  memory          preallocated: it is a fixed share of the card and does not show the need\n";
    if (!report.contains("options")) return out;
    out += option_line("now", report.at("now"));
    out += option_line("recommended", report.at("recommendation"));
    out += option_line("runner-up", report.at("runner_up"));
    const json& saves = report.at("saves_per_hour");
    if (saves.is_null()) return out;
    return out + change_of_cost(saves, "  saves           ", "  costs           ") + "\n";
}

// Returns a patch for `kubectl patch` of a Deployment's container, with the reason above it; "" if nothing changes.
std::string rightsize_patch(const json& report) {
    const auto verdict = text_at(report, "verdict");
    if (verdict == "report") {
        return patch_around(
            report, format_members("          requests:\n            cpu: {cpu}\n            memory: \"{memory}\"\n",
                                   report.at("container_recommendation").at("target")));
    }
    if (verdict != "change") return "";
    const json& option = report.at("recommendation");
    // The node sets how many replicas share a GPU, and each pod requests one share.
    if (option.at("kind") == "share") return format_members("# {reason}\n", report);
    const std::string resource = option.at("kind") == "mig" ? format_members("mig-{mig_profile}", option) : "gpu";
    return patch_around(report,
                        "          limits:\n            nvidia.com/" + resource + format_members(": {gpus}\n", option));
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

gputide::rightsize open_rightsize(const rightsize_options& options) {
    if (options.shared.files.empty()) return gputide::rightsize();
    const std::vector<manifest_file> files = read_manifests(options.shared);
    return gputide::rightsize(files.front().text, library_options(options.shared, files));
}

std::uint32_t number_of(gputide::rightsize& all, const std::string& name) {
    return name.empty() ? 0 : all.container(name);
}

// Returns the containers of the last run; their `samples` are empty.  They are reported even without new samples.
// {"gputided_rightsize":1,"containers":{"chat":{"text":"<of the library>","units":{"node-1/0":0}}}}
samples_by_container read_state(const std::string& path) {
    if (path.empty() || !exists(path)) return {};
    try {
        const json read = json::parse(read_text(path, max_state_bytes));
        if (read.at("gputided_rightsize") != 1)
            throw usage_error(path + ": written by a newer gputided; update gputided", path);
        samples_by_container out;
        for (const auto& [name, saved] : read.at("containers").items())
            out[name] = {saved.at("units").get<std::map<std::string, std::uint32_t>>(), {}, text_at(saved, "text")};
        return out;
    } catch (const json::exception&) {
        throw usage_error(path + ": not a state file of gputided rightsize; name another file with --state", path);
    }
}

// Writes entry by entry, because a tree of all entries would need several times the memory of the text.
void write_state(const std::string& path, const samples_by_container& all) {
    std::string out = R"({"gputided_rightsize":1,"containers":{)";
    const char* before = "";
    for (const auto& [name, container] : all) {
        out += std::exchange(before, ",") + json(name).dump() + ":";
        out += json{{"text", container.saved}, {"units", container.units}}.dump();
    }
    replace_text(path, out + "}}\n");
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
    if (step_ms <= 0) throw usage_error("--step " + options.step + ": expected more than 0");
    if (!options.server.empty())
        read_usage_past(options, json::parse(all.describe()).at("profile"), step_ms, known, taken);
    if (options.nvml) sample_nvml(parse_duration_ms(options.nvml_for, "--for"), step_ms, known);
    taken();
    return newest_ms;
}

int rightsize(const rightsize_options& options) {
    gputide::rightsize all = open_rightsize(options);
    log_findings(all);
    samples_by_container known = read_state(options.state);
    for (const auto& [name, container] : known) all.load(container.saved, number_of(all, name));
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
    for (auto& [name, container] : known) {
        const std::uint32_t number = number_of(all, name);
        if (!options.state.empty()) container.saved = all.save(now_ms, number);
        if (!options.container.empty() && options.container != name) continue;
        json report = json::parse(all.recommend(now_ms, number));
        std::cout << (options.patch           ? rightsize_patch(report)
                      : options.shared.json() ? report.dump() + "\n"
                                              : rightsize_text(report));
        if (!options.html.empty()) reports.push_back(std::move(report));
    }
    if (!options.html.empty())
        replace_text(options.html, rightsize_page(json::parse(all.describe()), std::move(reports)), readers::everybody);
    if (!options.state.empty()) write_state(options.state, known);
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
