// Measures how fast a page of GPU metrics is read: one metric reduced to a number, and all samples with their labels.
// The baseline reads the same page with std::getline and strtod, checks nothing, and knows no escapes.
//   gputide_bench_exposition [FILE]      FILE: gets the page, for readers in other languages
#include "base/text.hpp"
#include "formats/exposition/page.hpp"
#include "measure.hpp"
#include "source/dcgm/dcgm.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace bench = gputide::bench;
namespace formats = gputide::formats;
namespace source = gputide::source;

constexpr int series_of_a_metric = 2'000;

// 5 metrics of 2,000 GPUs, as dcgm-exporter 4 with --kubernetes writes them.
std::string page() {
    std::string out;
    for (const char* metric : {"DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_GPU_UTIL",
                               "DCGM_FI_DEV_FB_USED", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"}) {
        const std::string name = metric;
        out.append("# HELP ").append(name).append(" Some words about it.\n# TYPE ").append(name).append(" gauge\n");
        for (int i = 0; i < series_of_a_metric; ++i) {
            const std::string id = std::to_string(i);
            out += name + "{gpu=\"" + std::to_string(i % 8) + "\",UUID=\"GPU-3f6c2d1e-0000-4000-8000-" +
                   std::to_string(i + 100'000'000'000);
            out += "\",pci_bus_id=\"00000000:07:00.0\",device=\"nvidia" + std::to_string(i % 8);
            out += "\",modelName=\"NVIDIA A100-SXM4-80GB\",Hostname=\"aks-gpunp-" + std::to_string(i / 8);
            out += "\",DCGM_FI_DRIVER_VERSION=\"550.54.15\",container=\"server\",namespace=\"ml\",pod=\"llm-6d8f-" + id;
            out += "\"} " + (name.find("PROF") == std::string::npos ? std::to_string(i % 101) : "0.812000") + "\n";
        }
    }
    return out;
}

gputide::http::answer answer_with(std::string body) {
    gputide::http::answer out;
    out.response.status = 200;
    out.response.body = std::move(body);
    return out;
}

source::dcgm::settings trigger() {
    gputide::manifest::trigger from;
    from.type = "dcgm";
    from.metadata = {{"url", "http://node:9400"},
                     {"metric", "DCGM_FI_DEV_GPU_UTIL"},
                     {"threshold", "80"},
                     {"selector", "namespace=\"ml\""}};
    const gputide::manifest::trigger_rules rules;
    source::trigger_reader read(from, rules, gputide::manifest::profile::standard, source::dcgm::keys.all(), nullptr);
    auto out = source::dcgm::read_settings(read);
    if (!out) std::abort();
    return *std::move(out);
}

double selected(const gputide::http::answer& from, const source::dcgm::settings& by) {
    const auto got = source::dcgm::read_page(from, by, 0);
    return got ? source::dcgm::judge_picks(*got, by).sample.value : -1.0;
}

struct plain_sample {
    std::string name;
    std::vector<std::pair<std::string, std::string>> labels;
    double value = 0.0;
};

plain_sample plain_sample_of(const std::string& line) {
    plain_sample out;
    std::size_t at = line.find('{');
    out.name = line.substr(0, at);
    while (line[at] != '}') {
        const std::size_t equals = line.find('=', ++at);
        const std::size_t quote = line.find('"', equals + 2);
        out.labels.emplace_back(line.substr(at, equals - at), line.substr(equals + 2, quote - equals - 2));
        at = quote + 1;
    }
    out.value = std::strtod(line.c_str() + at + 1, nullptr);
    return out;
}

template <class Use>
void each_by_getline(const std::string& body, Use use) {
    std::istringstream in(body);
    std::string line;
    while (std::getline(in, line)) {
        if (line[0] != '#') use(plain_sample_of(line));
    }
}

std::vector<plain_sample> all_by_getline(const std::string& body) {
    std::vector<plain_sample> out;
    each_by_getline(body, [&out](plain_sample sample) { out.push_back(std::move(sample)); });
    return out;
}

double selected_by_getline(const std::string& body) {
    double sum = 0.0;
    int count = 0;
    each_by_getline(body, [&](const plain_sample& sample) {
        const std::pair<std::string, std::string> wanted("namespace", "ml");
        if (sample.name != "DCGM_FI_DEV_GPU_UTIL") return;
        if (std::find(sample.labels.begin(), sample.labels.end(), wanted) == sample.labels.end()) return;
        sum += sample.value;
        ++count;
    });
    return count > 0 ? sum / count : -1.0;
}

template <class Work>
double bytes_per_second(std::size_t bytes, Work work) {
    return static_cast<double>(bytes) * 1e9 / bench::nanoseconds_per_call(1, [&](std::int64_t) { work(); });
}

bench::line line_of(const char* name, double ours, double theirs, const std::string& note) {
    return {name, ours, "bytes/s", "a line-by-line std::getline + strtod reader", theirs, note, true};
}

}  // namespace

int main(int argc, char** argv) {
    const std::string body = page();
    if (argc > 1) std::ofstream(argv[1]) << body;
    const auto answer = answer_with(body);
    const source::dcgm::settings by = trigger();
    if (selected(answer, by) != selected_by_getline(body)) return 1;
    if (formats::exposition::read_all(body, formats::exposition::format::text)->series.size() !=
        all_by_getline(body).size())
        return 1;
    const std::string note = "a page of 5 metrics x 2000 series, " + std::to_string(body.size()) +
                             " bytes, every byte checked; the baseline reads every line and checks none";
    std::vector<bench::line> lines;
    lines.push_back(line_of("exposition_select",
                            bytes_per_second(body.size(), [&] { bench::keep(selected(answer, by)); }),
                            bytes_per_second(body.size(), [&] { bench::keep(selected_by_getline(body)); }), note));
    lines.push_back(line_of(
        "exposition_all",
        bytes_per_second(body.size(),
                         [&] { bench::keep(formats::exposition::read_all(body, formats::exposition::format::text)); }),
        bytes_per_second(body.size(), [&] { bench::keep(all_by_getline(body)); }), note));
    std::fputs(bench::as_json(lines).c_str(), stdout);
    return 0;
}
