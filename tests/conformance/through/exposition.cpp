// exposition: a /metrics body → its samples, or the line that is wrong; and what the dcgm trigger makes of GPU pages.
#include "protocol/structs.hpp"
#include "through/answers.hpp"
#include "through/manifests.hpp"

#include <set>

namespace conformance::exposition {
namespace {

written_trigger dcgm_trigger(json metadata) {
    metadata["url"] = "http://exporter:9400/metrics";
    metadata["threshold"] = "1";
    return trigger_of("dcgm", metadata);
}

http_answer page_of(const json& object) {
    const bool openmetrics = object.at("format") == "openmetrics";
    const json headers = {
        {"Content-Type", openmetrics ? "application/openmetrics-text; version=1.0.0" : "text/plain; version=0.0.4"}};
    return {200, openmetrics ? headers : json::object(), input_text(object, "body")};
}

json sample_json(const json& series) {
    json labels = series.at("labels");
    const json& point = series.at("points").at(0);
    json out = {{"name", labels.value("__name__", "")}, {"value", value_of(point)}};
    labels.erase("__name__");
    out["labels"] = labels;
    if (point.at("time_ms") != 0) out["ts_ms"] = point.at("time_ms");
    return out;
}

// The names among a case's samples, in any of its outcomes; one for a page without any.
std::set<std::string> names_in(const json& outcomes) {
    std::set<std::string> out;
    for (const json& outcome : outcomes) {
        for (const json& sample : outcome.value("samples", json::array()))
            out.insert(sample.at("name").get<std::string>());
    }
    if (out.empty()) out.insert("any");
    return out;
}

// A dcgm trigger reads the whole page and hands out its own metric's series: those of each name in turn, or the error.
json page_json(c_api& library, const json& object, const json& outcomes) {
    json samples = json::object();
    for (const std::string& name : names_in(outcomes)) {
        const json answer = parse_all(library, open_source_call(dcgm_trigger({{"metric", name}}), 0), page_of(object));
        if (answer.at("ok") == false) {
            json out = {{"ok", false}};
            if (const auto line = detail_number(answer.at("detail"), "line")) out["error_line"] = *line;
            return out;
        }
        samples[name] = json::array();
        for (const json& series : answer.at("series")) samples[name].push_back(sample_json(series));
    }
    return {{"ok", true}, {"samples", samples}};
}

// A case's samples in the same form.
json by_name(const json& samples) {
    json out = json::object();
    for (const json& sample : samples) out[sample.at("name").get<std::string>()].push_back(sample);
    return out;
}

// Parts that a series of a reading does not carry: exemplars, labels that repeat.
json without_extras(json samples) {
    for (json& sample : samples) {
        sample["value"] = number_or_word(sample.at("value"));
        sample.erase("exemplar");
        if (sample.value("ts_ms", json()) == 0) sample.erase("ts_ms");
    }
    return samples;
}

bool has_extras(const json& outcome) {
    for (const json& sample : outcome.value("samples", json::array())) {
        if (sample.contains("exemplar") || sample.contains("label_pairs") || sample.value("ts_ms", json()) == 0)
            return true;
    }
    return false;
}

bool repeats_labels(const json& outcome) {
    for (const json& sample : outcome.value("samples", json::array())) {
        if (sample.contains("label_pairs")) return true;
    }
    return false;
}

// ---- derived values -------------------------------------------------------------------------------------------------
// The trigger's one number, or its message.
json value_by(c_api& library, const json& object, const json& metadata) {
    const http_answer page = page_of(object);
    const json results = library.results({open_source_call(dcgm_trigger(metadata), 0),
                                          {{"call", "source.parse"},
                                           {"source", "source"},
                                           {"http_status", page.status},
                                           {"body", json_text(page.body)}}});
    worked(results[0]);
    return results[1].contains("error") ? json(message_of(results[1])) : results[1].at("sample").at("value");
}

class derived_check {
  public:
    derived_check(const json& object, c_api& library) : one_(object), library_(library) {}

    differences run() {
        for (const auto& [name, expect] : one_.at("derived").items()) {
            if (name == "memory_pressure") {
                pressure(expect);
            } else if (name == "by_pod") {
                pods(expect);
            } else {
                aggregates(name, expect);
            }
        }
        return std::move(out_);
    }

  private:
    void compare(const std::string& place, const json& expected, const json& metadata) {
        const json wanted = expected.is_string() ? number_or_word(expected) : expected;
        expect_equal(out_, place, wanted, value_by(library_, one_, metadata));
    }

    void aggregates(const std::string& metric, const json& expect) {
        for (const auto& [reducer, value] : expect.items())
            compare(metric + " " + reducer, value, {{"metric", metric}, {"reduce", reducer}});
    }

    void pressure(const json& expect) {
        for (const auto& [member, metric] :
             {std::pair("used", "DCGM_FI_DEV_FB_USED"), std::pair("free", "DCGM_FI_DEV_FB_FREE")}) {
            if (expect.contains(member)) compare(member, expect.at(member), {{"metric", metric}, {"reduce", "sum"}});
        }
        if (expect.contains("ratio")) compare("ratio", expect.at("ratio"), {{"metric", "memory_pressure"}});
    }

    // A pod is chosen by a selector; "" are the GPUs that no pod holds.
    void pods(const json& expect) {
        for (const auto& [reducer, values] : expect.items()) {
            if (reducer == "metric") continue;
            for (const auto& [pod, value] : values.items()) {
                json metadata = {
                    {"metric", expect.at("metric")}, {"selector", "pod=\"" + pod + "\""}, {"reduce", reducer}};
                compare("pod " + pod + " " + reducer, value, metadata);
                if (pod.empty()) continue;
                metadata["by"] = "pod";
                metadata["reduce"] = "avg";
                metadata["groupReduce"] = reducer;
                compare("by pod " + pod + " " + reducer, value, metadata);
            }
        }
    }

    const json& one_;
    c_api& library_;
    differences out_;
};

json outcomes_of(const json& test_case) {
    return test_case.contains("expect") ? json::array({test_case.at("expect")}) : test_case.at("expect_any");
}

differences check(const json& test_case, const json&, c_api& library) {
    const json actual = page_json(library, test_case, outcomes_of(test_case));
    differences out = check_outcomes(test_case, [&actual](const json& expect) {
        json wanted = expect;
        if (wanted.contains("samples")) wanted["samples"] = by_name(without_extras(wanted.at("samples")));
        differences found;
        expect_members(found, wanted, actual);
        return found;
    });
    if (!test_case.contains("derived")) return out;
    for (std::string& text : derived_check(test_case, library).run()) out.push_back(std::move(text));
    return out;
}

// A trigger refuses an empty page, and wants a series.
reach reach_of_page(const json& test_case) {
    if (input_text(test_case, "body").empty()) return reach::none;
    const json outcomes = outcomes_of(test_case);
    reach out = reach::whole;
    for (const json& outcome : outcomes) {
        if (repeats_labels(outcome)) return reach::none;
        if (outcome.at("ok") == true && outcome.at("samples").empty()) return reach::none;
        if (has_extras(outcome)) out = reach::part;
    }
    return out;
}

const registration whole_format{"exposition", {}, &check, &reach_of_page};

}  // namespace
}  // namespace conformance::exposition
