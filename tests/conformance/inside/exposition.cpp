// exposition: a /metrics body → its samples, or the line that is wrong; and what the dcgm trigger makes of GPU pages.
#include "base/text.hpp"
#include "formats/exposition/page.hpp"
#include "frame/check.hpp"
#include "source/dcgm/dcgm.hpp"
#include "support/open_source.hpp"

#include <map>
#include <stdexcept>
#include <string>

namespace conformance::exposition {
namespace {

namespace exposition = gputide::formats::exposition;
namespace dcgm = gputide::source::dcgm;

exposition::format format_of(const json& object) {
    return object.at("format") == "openmetrics" ? exposition::format::openmetrics : exposition::format::text;
}

// Pairs where a name repeats, which an object could not show.
void put_labels(json& into, const std::vector<exposition::raw_label>& labels) {
    json named = json::object();
    json pairs = json::array();
    for (const exposition::raw_label& label : labels) {
        const std::string name = exposition::unescaped(label.name);
        named[name] = exposition::unescaped(label.value);
        pairs.push_back({name, exposition::unescaped(label.value)});
    }
    into["labels"] = std::move(named);
    if (into["labels"].size() != pairs.size()) into["label_pairs"] = std::move(pairs);
}

json sample_json(const exposition::line& line) {
    json out = {{"name", exposition::unescaped(line.name)}, {"value", gputide::shortest(line.value)}};
    put_labels(out, line.labels);
    if (line.time_ms) out["ts_ms"] = *line.time_ms;
    if (line.exemplar) {
        json shown = {{"value", gputide::shortest(line.exemplar->value)}};
        put_labels(shown, line.exemplar->labels);
        if (line.exemplar->time_ms) shown["ts_ms"] = *line.exemplar->time_ms;
        out["exemplar"] = std::move(shown);
    }
    return out;
}

json page_json(const std::string& body, exposition::format as) {
    exposition::page from(body, as);
    exposition::line line;
    json samples = json::array();
    while (from.next(line)) samples.push_back(sample_json(line));
    if (!from.failed()) return {{"ok", true}, {"samples", std::move(samples)}};
    for (const auto& [name, value] : from.failure().fields) {
        if (name == "line") return {{"ok", false}, {"error_line", std::stoll(value)}};
    }
    return {{"ok", false}};
}

// Numbers are compared as numbers, and as they are shown here: 9.223372036854776e+18 and 9223372036854776000 are one.
std::string same_number(const std::string& text) {
    const auto value = gputide::parse_go_float(text);
    return value ? gputide::shortest(*value) : text;
}

json with_same_numbers(json samples) {
    for (json& sample : samples) {
        sample["value"] = same_number(sample.at("value"));
        if (sample.contains("exemplar")) sample["exemplar"]["value"] = same_number(sample["exemplar"].at("value"));
    }
    return samples;
}

differences compare(const json& expect, const json& got) {
    differences out;
    for (const auto& [name, value] : expect.items()) {
        if (name == "samples") continue;
        expect_equal(out, name, value, got.contains(name) ? got.at(name) : json());
    }
    if (expect.contains("samples")) {
        expect_equal(out, "samples", with_same_numbers(expect.at("samples")), got.value("samples", json()));
    }
    return out;
}

// The parts that both ways of reading a body must agree on.
differences agree(const std::string& body, exposition::format as, const json& got) {
    differences out;
    const auto all = exposition::read_all(body, as);
    expect_equal(out, "read_all ok", got.at("ok"), all.ok());
    if (all) expect_equal(out, "read_all samples", got.at("samples").size(), all->series.size());
    return out;
}

using metadata = std::map<std::string, std::string>;

// The settings of a dcgm trigger, as a manifest would give them.
dcgm::settings settings_of(const metadata& more) {
    gputide::manifest::trigger from;
    from.type = "dcgm";
    from.metadata = {{"url", "http://exporter:9400/metrics"}, {"threshold", "1"}};
    for (const auto& [key, value] : more) from.metadata[key] = value;
    auto out = gputide::testing::settings_of(&dcgm::read_settings, dcgm::keys.all(), from);
    if (!out) throw std::runtime_error(out.failure().message);
    return *std::move(out);
}

gputide::result<dcgm::picks> picked(const json& object, const dcgm::settings& by) {
    gputide::http::answer got;
    got.response.status = 200;
    got.response.body = input_text(object, "body");
    if (format_of(object) == exposition::format::openmetrics) {
        got.response.headers.push_back({"Content-Type", "application/openmetrics-text; version=1.0.0"});
    }
    return dcgm::read_page(got, by, 0);
}

// The trigger's one number, as text.
std::string value_of(const json& object, const metadata& more) {
    const dcgm::settings by = settings_of(more);
    const auto got = picked(object, by);
    if (!got) return got.failure().message;
    const gputide::source::fetched judged = dcgm::judge_picks(*got, by);
    const bool has_value = judged.sample.state == gputide::sample_state::ok;
    return has_value ? gputide::shortest(judged.sample.value) : judged.why.message;
}

void check_aggregates(differences& out, const json& test_case, const std::string& metric, const json& expect) {
    for (const auto& [reducer, value] : expect.items()) {
        const std::string wanted = same_number(value.is_string() ? value.get<std::string>() : value.dump());
        expect_equal(out, metric + " " + reducer, wanted,
                     value_of(test_case, {{"metric", metric}, {"reduce", reducer}}));
    }
}

void check_pressure(differences& out, const json& test_case, const json& expect) {
    const metadata used = {{"metric", "DCGM_FI_DEV_FB_USED"}, {"reduce", "sum"}};
    const metadata free = {{"metric", "DCGM_FI_DEV_FB_FREE"}, {"reduce", "sum"}};
    if (expect.contains("used")) expect_equal(out, "used", same_number(expect.at("used")), value_of(test_case, used));
    if (expect.contains("free")) expect_equal(out, "free", same_number(expect.at("free")), value_of(test_case, free));
    if (expect.contains("ratio")) {
        expect_equal(out, "ratio", same_number(expect.at("ratio")),
                     value_of(test_case, {{"metric", "memory_pressure"}}));
    }
}

// A pod is chosen by a selector; "" are the GPUs that no pod holds.
void check_pods(differences& out, const json& test_case, const json& expect) {
    for (const auto& [reducer, pods] : expect.items()) {
        if (reducer == "metric") continue;
        for (const auto& [pod, text] : pods.items()) {
            const std::string value = same_number(text);
            metadata asked = {
                {"metric", expect.at("metric")}, {"selector", "pod=\"" + pod + "\""}, {"reduce", reducer}};
            expect_equal(out, "pod " + pod + " " + reducer, value, value_of(test_case, asked));
            if (pod.empty()) continue;
            asked["by"] = "pod";
            asked["reduce"] = "avg";
            asked["groupReduce"] = reducer;
            expect_equal(out, "by pod " + pod + " " + reducer, value, value_of(test_case, asked));
        }
    }
}

void check_derived(differences& out, const json& test_case) {
    for (const auto& [name, expect] : test_case.at("derived").items()) {
        if (name == "memory_pressure") {
            check_pressure(out, test_case, expect);
        } else if (name == "by_pod") {
            check_pods(out, test_case, expect);
        } else {
            check_aggregates(out, test_case, name, expect);
        }
    }
}

differences check(const json& test_case, const json&) {
    const std::string body = input_text(test_case, "body");
    const json got = page_json(body, format_of(test_case));
    differences out = check_outcomes(test_case, [&got](const json& expect) { return compare(expect, got); });
    for (std::string& each : agree(body, format_of(test_case), got)) out.push_back(std::move(each));
    if (test_case.contains("derived")) check_derived(out, test_case);
    return out;
}

const registration whole_format{"exposition", {}, &check};

}  // namespace
}  // namespace conformance::exposition
