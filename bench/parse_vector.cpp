// Measures how fast an instant query's answer becomes what a trigger needs of it: parse_vector_1, 8, 1000, 10000 series.
// The baseline is the fastest of three bare simdjson loops over the same bytes that read the same fields (the time and the
// value of each series) and check nothing else: on-demand that looks for "value", on-demand that reads each member, the DOM.
// Built for the portable target like the library: simdjson picks its kernel for this processor at run time.
#include "formats/query_api/parse.hpp"
#include "measure.hpp"
#include "vector_answer.hpp"

#include <simdjson.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace bench = gputide::bench;
namespace ondemand = simdjson::ondemand;

// ---- the bare loops: abort on any error, as a benchmark's loop may -----------------------------------------------------
struct pair_of_numbers {
    double time;
    double value;
};
using collected = std::vector<pair_of_numbers>;

pair_of_numbers bare_pair(ondemand::array from) {
    pair_of_numbers out{};
    int at = 0;
    for (auto entry : from) {
        if (at++ == 0) {
            out.time = entry.get_double();
        } else {
            out.value = entry.get_double_in_string();
        }
    }
    return out;
}

void bare_find(ondemand::parser& parser, const std::string& body, collected& into) {
    ondemand::document document = parser.iterate(simdjson::padded_string_view(body));
    for (auto series : document["data"]["result"].get_array()) {
        into.push_back(bare_pair(series.find_field("value").get_array()));
    }
}

void bare_members(ondemand::parser& parser, const std::string& body, collected& into) {
    ondemand::document document = parser.iterate(simdjson::padded_string_view(body));
    for (auto series : document["data"]["result"].get_array()) {
        for (auto member : series.get_object()) {
            const ondemand::raw_json_string key = member.key();
            if (key == "value") {
                into.push_back(bare_pair(member.value().get_array()));
                continue;
            }
            for (auto label : member.value().get_object()) {
                const ondemand::raw_json_string text = label.value().get_raw_json_string();
                bench::keep(text);
            }
        }
    }
}

void bare_dom(simdjson::dom::parser& parser, const std::string& body, collected& into) {
    const simdjson::dom::element document = parser.parse(body);
    for (const auto series : document["data"]["result"].get_array()) {
        const simdjson::dom::array pair = series["value"];
        const std::string_view text = pair.at(1);
        pair_of_numbers out{pair.at(0).get_double(), 0.0};
        std::from_chars(text.data(), text.data() + text.size(), out.value);
        into.push_back(out);
    }
}

template <class Parser>
double bare_ns(void (*loop)(Parser&, const std::string&, collected&), const std::string& body, std::int64_t calls) {
    Parser parser;
    collected into;
    return bench::nanoseconds_per_call(calls, [&](std::int64_t) {
        into.clear();
        loop(parser, body, into);
        bench::keep(into);
    });
}

// ---- ours --------------------------------------------------------------------------------------------------------------
gputide::http::answer answered(std::string body) {
    gputide::http::answer out;
    out.response.status = 200;
    out.response.headers = {{"Content-Type", "application/json"}};
    out.response.body = std::move(body);
    return out;
}

template <class Read>
double read_ns(Read read, const gputide::http::answer& from, std::int64_t calls) {
    return bench::nanoseconds_per_call(calls, [&](std::int64_t) {
        const auto got = read(from);
        if (!got) std::abort();
        bench::keep(got);
    });
}

bench::line measured(int series, std::int64_t calls) {
    const gputide::http::answer from = answered(bench::vector_answer(series));
    const std::string& body = from.response.body;
    const double find = bare_ns(&bare_find, body, calls);
    const double members = bare_ns(&bare_members, body, calls);
    const double dom = bare_ns(&bare_dom, body, calls);
    bench::line out;
    out.name = "parse_vector_" + std::to_string(series);
    out.value = read_ns(&gputide::formats::query_api::parse_numbers, from, calls);
    out.unit = "ns";
    out.baseline = members <= find && members <= dom ? "on-demand, every member"
                   : find <= dom                     ? "on-demand, find"
                                                     : "DOM";
    out.baseline_value = std::min({find, members, dom});
    const double whole = read_ns(&gputide::formats::query_api::parse, from, calls);
    out.note = std::to_string(body.size()) + " bytes; bare loops find " + std::to_string(find) + ", members " +
               std::to_string(members) + ", DOM " + std::to_string(dom) + "; with all labels copied " +
               std::to_string(whole) + " ns";
    return out;
}

}  // namespace

int main() {
    const char* quick = std::getenv("GPUTIDE_BENCH_QUICK");
    const std::int64_t effort = quick != nullptr && *quick == '1' ? 1 : 5;
    std::vector<bench::line> lines;
    lines.push_back(measured(1, effort * 100'000));
    lines.push_back(measured(8, effort * 20'000));
    lines.push_back(measured(1'000, effort * 200));
    lines.push_back(measured(10'000, effort * 200));
    std::fputs(bench::as_json(lines).c_str(), stdout);
    return 0;
}
