#include "rightsize/rightsize.hpp"

#include "common/clock.hpp"
#include "common/exit_status.hpp"
#include "common/files.hpp"
#include "common/log.hpp"
#include "common/times.hpp"
#include "rightsize/page/page.hpp"
#include "rightsize/samples.hpp"
#include "rightsize/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

namespace gputided {
namespace {

using json = nlohmann::json;

constexpr std::size_t max_page_containers = 10'000;  // a browser draws no more

struct checkpoint {
    std::string text;                            // as the library saved it
    std::map<std::string, std::uint32_t> units;  // which of its GPUs is which
};
using checkpoints = std::map<std::string, checkpoint>;  // by the container's name

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
        const json read = json::parse(read_text(path, most_state_bytes));
        if (read.at("gputided_rightsize") != 1) throw usage_error(path + ": of a newer gputided; update this one");
        checkpoints out;
        for (const auto& [name, one] : read.at("containers").items())
            out[name] = {one.at("text").get<std::string>(),
                         one.at("units").get<std::map<std::string, std::uint32_t>>()};
        return out;
    } catch (const json::exception&) {
        throw usage_error(path + ": not a state of gputided rightsize; name another file with --state");
    }
}

// Entry by entry: a tree of all would be several times as large as the text.
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
    const json described = json::parse(all.describe());
    for (const json& one : described.at("findings").at("findings"))
        log_line(one.at("severity").get<std::string>() + ": " + one.at("path").get<std::string>() + ": " +
                 one.at("message").get<std::string>() + ": " + one.at("remedy").get<std::string>());
}

double memory_factor(const rightsize_options& options) {
    return options.memory_unit == "MiB" ? 1'048'576.0 : options.memory_unit == "GiB" ? 1'073'741'824.0 : 1.0;
}

void read_files(const rightsize_options& options, samples_by_container& samples) {
    const std::int64_t now_ms = options.at.empty() ? unix_now_ms() : parse_time_ms(options.at);
    for (const std::string& path : options.busy) read_long_csv(path, {usage::busy, 1.0}, samples);
    for (const std::string& path : options.memory)
        read_long_csv(path, {usage::memory, memory_factor(options)}, samples);
    const std::int64_t step_ms = parse_duration_ms(options.page_step, "--page-step");
    auto before = static_cast<std::int64_t>(options.pages.size());
    for (const std::string& path : options.pages) read_dcgm_page(path, now_ms - --before * step_ms, samples);
}

// Hands over what was read since the last time, so that a long past is never held as a whole.  The newest sample's time.
std::int64_t add_samples(gputide::rightsize& all, samples_by_container& samples) {
    std::int64_t newest_ms = 0;
    for (auto& [name, of] : samples) {
        if (of.samples.empty()) continue;
        std::stable_sort(of.samples.begin(), of.samples.end(),
                         [](const auto& a, const auto& b) { return a.time_ms < b.time_ms; });
        newest_ms = std::max(newest_ms, of.samples.back().time_ms);
        const std::uint32_t number = number_of(all, name);
        for (gputide_usage_sample& one : of.samples) one.container = number;
        all.add(of.samples);
        of.samples = {};  // clear() would keep its memory, for each of perhaps a million containers
    }
    return newest_ms;
}

// Everything that the flags name goes into `all`.  The newest sample's time; 0: there was none.
std::int64_t read_samples(const rightsize_options& options, gputide::rightsize& all, samples_by_container& known) {
    std::int64_t newest_ms = 0;
    const auto taken = [&] { newest_ms = std::max(newest_ms, add_samples(all, known)); };
    read_files(options, known);
    taken();
    const std::int64_t step_ms = parse_duration_ms(options.step, "--step");
    if (!options.past.server.empty()) {
        usage_past past = options.past;
        past.memory_factor = memory_factor(options);
        const auto profile = json::parse(all.describe()).at("profile").get<std::string>();
        read_usage_past(past, options.shared, profile, step_ms, known, taken);
    }
    if (options.nvml) sample_nvml(parse_duration_ms(options.nvml_for, "--for"), step_ms, known);
    taken();
    return newest_ms;
}

// Containers and GPUs that were known before keep their numbers, and are reported without a new sample, too.
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
    // The newest sample's, so that a file that is read again later gives the same.
    const std::int64_t now_ms = !options.at.empty() ? parse_time_ms(options.at)
                                : newest_ms > 0     ? newest_ms
                                                    : unix_now_ms();
    const bool is_page_too_large = options.container.empty() && known.size() > max_page_containers;
    if (!options.html.empty() && is_page_too_large) {
        throw usage_error("--html: a page shows at most " + std::to_string(max_page_containers) + " containers, not " +
                          std::to_string(known.size()) + "; choose one by --container, or leave --html out");
    }
    json reports = json::array();  // for the page alone: a report takes kilobytes
    for (const auto& [name, of] : known) {
        const std::uint32_t number = number_of(all, name);
        if (!options.state.empty()) saved[name] = {all.save(now_ms, number), of.units};
        if (!options.container.empty() && options.container != name) continue;
        json report = json::parse(all.recommend(now_ms, number));
        print(report, options);
        if (!options.html.empty()) reports.push_back(std::move(report));
    }
    if (!options.html.empty())
        replace_text(options.html, rightsize_page(json::parse(all.describe()), reports), readers::everybody);
    if (!options.state.empty()) write_checkpoints(options.state, saved);
    return done;
}

void add_past_flags(CLI::App& app, rightsize_options& options) {
    const char* const group = "Samples that are asked for";
    usage_past& past = options.past;
    app.add_option("--prometheus", past.server,
                   "the past that a Prometheus keeps: its URL, or @FILE with a trigger and how it signs in")
        ->type_name("URL")
        ->group(group);
    app.add_option("--from", past.from, "a time, or -8d")->group(group)->capture_default_str();
    app.add_option("--to", past.to, "default: now")->group(group);
    app.add_option("--util-query", past.busy_query, "PromQL by container instead of the usual one; '': none")
        ->group(group);
    app.add_option("--memory-query", past.memory_query, "the same, in --memory-unit")->group(group);
    app.add_option("--timeout-ms", past.timeout_ms, "for one query of the past")
        ->check(CLI::Range(1, most_int32))
        ->group(group)
        ->capture_default_str();
    app.add_flag("--nvml", options.nvml, "sample this machine's own GPUs, all as of one container")->group(group);
    app.add_option("--for", options.nvml_for, "how long --nvml samples")->group(group)->capture_default_str();
    app.add_option("--step", options.step, "of --prometheus and --nvml")->group(group)->capture_default_str();
    add_trust_flags(app, options.shared);
}

void add_flags(CLI::App& app, rightsize_options& options) {
    app.add_option("-f,--file", options.shared.files,
                   "settings, a GpuCatalogue, a VerticalPodAutoscaler: a file or a folder, again for more")
        ->type_name("FILE");
    app.add_option("--util", options.busy, "CSV time,container[,unit],value: percent of each GPU (profile vpa: cores)")
        ->type_name("CSV");
    app.add_option("--memory", options.memory, "the same: memory in use of each GPU")->type_name("CSV");
    app.add_option("--memory-unit", options.memory_unit, "of --memory: bytes, MiB or GiB")
        ->check(CLI::IsMember({"bytes", "MiB", "GiB"}))
        ->capture_default_str();
    app.add_option("--dcgm", options.pages, "pages of dcgm-exporter, one scrape each, the newest last")
        ->type_name("FILE");
    app.add_option("--page-step", options.page_step, "how far the pages lie apart")->capture_default_str();
    app.add_option("--container", options.container, "report this one alone");
    app.add_option("--at", options.at, "RFC 3339 or Unix milliseconds; default: the newest sample's time");
    app.add_option("--state", options.state, "what is known so far: read where it is there, and replaced");
    add_past_flags(app, options);
    app.add_flag("--patch", options.patch, "print a patch of the workload instead of the report");
    app.add_option("--html", options.html, "write all reports here, too: one file, nothing loaded from elsewhere")
        ->type_name("FILE");
    add_output_flag(app, options.shared);
}

}  // namespace

void add_rightsize(subcommands& commands) {
    commands.add("rightsize",
                 "How many GPUs, which machine or how big a slice a workload needs, from samples of its GPUs",
                 "gputided rightsize -f settings.yaml --util util.csv --memory memory.csv", &rightsize, &add_flags);
}

}  // namespace gputided
