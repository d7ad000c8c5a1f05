// k8s-quantity: a quantity's text → accepted or not, and its thousandths.

#include "frame/check.hpp"
#include "gputide/gputide.h"
#include "protocol/structs.hpp"
#include "through/answers.hpp"
#include "through/hpa.hpp"
#include "through/manifests.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace conformance::k8s_quantity {
namespace {

// Thousandths are rounded away from zero, so that whole units follow from them: 1 → 1, 1000 → 1, 1001 → 2.
std::int64_t units_up(std::int64_t milli) {
    const std::int64_t whole = milli / 1000;
    if (milli % 1000 == 0) return whole;
    return milli > 0 ? whole + 1 : whole - 1;
}

differences check(const json& test_case, const json&, c_api& library) {
    const json result = library.result({{"call", "quantity"}, {"text", json_text(input_text(test_case, "in"))}});
    const bool overflows = result.contains("error") && result.at("error").at("status") == GPUTIDE_E_LIMIT;
    const bool ok = overflows || message_of(result).empty();
    return check_outcomes(test_case, [&](const json& expect) {
        differences out;
        expect_equal(out, "ok", expect.at("ok"), ok);
        if (!out.empty() || !ok) return out;
        expect_equal(out, "beyond thousandths", expect.value("milli_overflow", "none") != "none", overflows);
        if (overflows) return out;
        const std::int64_t milli = integer_in(result.at("milli"));
        if (expect.contains("milli")) expect_equal(out, "milli", expect.at("milli"), std::to_string(milli));
        if (expect.contains("value_up"))
            expect_equal(out, "value_up", expect.at("value_up"), std::to_string(units_up(milli)));
        return out;
    });
}

// The bound of a quantity beyond int64 thousandths is looked at inside.
reach reach_of_quantity(const json& test_case) {
    return test_case.contains("expect") && test_case.at("expect").contains("milli_overflow") ? reach::part
                                                                                             : reach::whole;
}

const registration whole_format{"k8s-quantity", {}, &check, &reach_of_quantity};

}  // namespace
}  // namespace conformance::k8s_quantity

// k8s-metrics-api: answers of the custom and external metrics APIs → items, or an error with its class.

namespace conformance::k8s_metrics_api {
namespace {

bool is_external(const json& object) { return object.at("api").get_ref<const std::string&>().starts_with("external/"); }

// The request of the case, as a trigger would: "/apis/<group>/<version>/namespaces/<namespace>/pods/%2A/<metric>?…"
written_trigger trigger_for(const json& object) {
    const std::string api = object.at("api");
    json metadata = {{"api", is_external(object) ? "external" : "custom"},
                     {"metric", "DCGM_FI_DEV_GPU_UTIL"},
                     {"namespace", "ml"},
                     {"threshold", "1"}};
    if (!is_external(object)) {
        metadata["apiVersion"] = api.substr(api.find('/') + 1);
        metadata["selector"] = "app=llm";
    }
    return trigger_of("kubernetes", metadata);
}

// A cluster that is never asked, named by a file as a host program would.
class kubeconfig_file {
  public:
    kubeconfig_file()
        : path_(std::filesystem::temp_directory_path() / ("gputide-kubeconfig-" + std::to_string(::getpid()))) {
        const json config = {{"apiVersion", "v1"},
                             {"kind", "Config"},
                             {"current-context", "case"},
                             {"clusters", {{{"name", "case"}, {"cluster", {{"server", "https://127.0.0.1:6443"}}}}}},
                             {"users", {{{"name", "case"}, {"user", {{"token", "case"}}}}}},
                             {"contexts", {{{"name", "case"}, {"context", {{"cluster", "case"}, {"user", "case"}}}}}}};
        std::ofstream(path_) << config.dump();
    }
    kubeconfig_file(const kubeconfig_file&) = delete;
    kubeconfig_file& operator=(const kubeconfig_file&) = delete;
    ~kubeconfig_file() { std::filesystem::remove(path_); }
    std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

json open_call(const json& object, const kubeconfig_file& cluster) {
    json out = open_source_call(trigger_for(object), 0);
    out["options"]["kubeconfig"] = cluster.path();
    return out;
}

std::int64_t milli_of(const json& point) { return std::llround(point.at("value").get<double>() * 1000.0); }

// An external item carries its labels, a custom one the object that it describes as its last label.
json item_json(const json& series, bool external) {
    const json& point = series.at("points").at(0);
    json out = {{"milli", std::to_string(milli_of(point))}};
    if (point.at("time_ms") != 0) out["ts_ms"] = point.at("time_ms");
    if (external) {
        out["labels"] = series.at("labels");
    } else {
        for (const auto& [kind, name] : series.at("labels").items()) out["object"] = name;
    }
    return out;
}

json read_json(const json& answer, bool external) {
    json out = {{"ok", true}, {"items", json::array()}};
    std::int64_t sum = 0;
    for (const json& series : answer.at("series")) {
        out["items"].push_back(item_json(series, external));
        sum += milli_of(series.at("points").at(0));
    }
    if (external) out["sum_milli"] = std::to_string(sum);
    return out;
}

json failure_json(const json& answer) {
    const json& error = answer.at("error");
    const json& detail = answer.at("detail");
    json out = {{"ok", false},
                {"error_class", detail.value("class", json())},
                {"retryable", error.at("retryable") == 1},
                {"code", error.at("http_status")},
                {"reason", error.at("service_code")},
                {"reload_token", error.at("status") == GPUTIDE_E_AUTH},
                {"refetch", error.at("http_status") == 409},
                {"message", detail.value("error", json())}};
    if (const auto wait_ms = detail_number(detail, "retry_after_ms")) out["retry_after_s"] = *wait_ms / 1000;
    return out;
}

// A reading has no window.
json without_window(json expect) {
    if (!expect.contains("items")) return expect;
    for (json& item : expect["items"]) item.erase("window_s");
    return expect;
}

differences check(const json& test_case, const json&, c_api& library) {
    const json answer = parse_all(library, open_call(test_case, kubeconfig_file()),
                                  {test_case.at("http_status").get<std::int32_t>(),
                                   test_case.value("headers", json::object()), input_text(test_case, "body")});
    const json actual = answer.at("ok") == true ? read_json(answer, is_external(test_case)) : failure_json(answer);
    return check_outcomes(test_case, [&actual](const json& expect) {
        differences out;
        expect_members(out, without_window(expect), actual);
        return out;
    });
}

// Scale and lease have no trigger; NaN in disguise, windows and what no double holds are looked at inside.
reach reach_of_answer(const json& test_case) {
    const std::string api = test_case.at("api");
    if (!is_external(test_case) && !api.starts_with("custom/")) return reach::none;
    if (!test_case.contains("expect")) return reach::whole;
    reach out = reach::whole;
    for (const json& item : test_case.at("expect").value("items", json::array())) {
        if (!fits_double(std::stoll(item.at("milli").get<std::string>()))) return reach::none;
        if (item.contains("window_s")) out = reach::part;
    }
    return out;
}

const registration whole_format{"k8s-metrics-api", {}, &check, &reach_of_answer};

}  // namespace
}  // namespace conformance::k8s_metrics_api
