#include "rightsize/text.hpp"

#include "common/text.hpp"

#include <cmath>
#include <cstdio>
#include <string_view>

namespace gputided {
namespace {

using json = nlohmann::json;

std::string fixed(double value, int digits) {
    char out[64];
    std::snprintf(out, sizeof out, "%.*f", digits, value);
    return out;
}

std::string amount_text(const json& value, const std::string& unit) {
    if (unit == "bytes") return fixed(value.get<double>() / 1e9, 1) + " GB";
    if (unit == "percent") return fixed(value.get<double>(), 0) + " %";
    return fixed(value.get<double>(), 0) + "m";
}

std::string bounds_text(const json& bounds, const std::string& unit, bool is_upper_unknown) {
    return amount_text(bounds.at("lower"), unit) + " / " + amount_text(bounds.at("target"), unit) + " / " +
           (is_upper_unknown ? "unknown" : amount_text(bounds.at("upper"), unit));
}

// busy    p50/p90/p95 21 / 21 / 21 %, with margin …, in the end …
std::string estimate_lines(const char* name, const json& report, const char* member) {
    const json& estimate = report.at(member);
    const auto unit = estimate.at("unit").get<std::string>();
    std::string out = std::string("  ") + name;
    out.resize(18, ' ');
    out += "lower / target / upper\n";
    const auto line = [&](const char* what, const json& bounds, bool is_upper_unknown) {
        std::string text = std::string("    ") + what;
        text.resize(18, ' ');
        out += text + bounds_text(bounds, unit, is_upper_unknown) + "\n";
    };
    line("percentiles", estimate.at("percentiles"), false);
    line("with margin", estimate.at("with_margin"), false);
    line("in the end", estimate, is_upper_unknown(report, estimate));
    return out;
}

std::string option_line(const char* what, const json& option) {
    if (option.is_null()) return "";
    const auto kind = option.at("kind").get<std::string>();
    const std::string count = std::to_string(option.at("gpus").get<int>());
    std::string text;
    if (kind == "mig") {
        text = count + " x MIG " + option.at("mig_profile").get<std::string>() + " (" +
               std::to_string(option.at("per_gpu").get<int>()) + " on a GPU)";
    } else if (kind == "share") {
        text = "share: " + std::to_string(option.at("per_gpu").get<int>()) + " replicas per GPU";
    } else {
        text = count + (count == "1" ? " GPU" : " GPUs");
    }
    if (option.contains("sku")) text += " of " + option.at("sku").get<std::string>();
    std::string out = std::string("  ") + what;
    out.resize(18, ' ');
    out += text;
    out.resize(std::max<std::size_t>(out.size() + 2, 66), ' ');
    const json& price = option.at("price_per_hour");
    out += price.is_null() ? "price not known" : fixed(price.get<double>(), 3) + " an hour";
    return out + ", bound by " + option.at("bound_by").get<std::string>() + "\n";
}

// The resource that a pod asks for, and how much of it.
struct asked {
    std::string resource;
    int count = 0;
};

asked asked_by(const json& option) {
    const auto kind = option.at("kind").get<std::string>();
    const int gpus = option.at("gpus").get<int>();
    if (kind == "mig") return {"nvidia.com/mig-" + option.at("mig_profile").get<std::string>(), gpus};
    return {"nvidia.com/gpu", gpus};
}

std::string container_of(const json& report) {
    const auto name = report.at("container").get<std::string>();
    return name.substr(name.rfind('/') + 1);
}

std::string patch_around(const json& report, const std::string& resources) {
    return "# " + report.at("reason").get<std::string>() +
           "\nspec:\n  template:\n    spec:\n      containers:\n      - name: " + json(container_of(report)).dump() +
           "\n        resources:\n" + resources;
}

}  // namespace

bool is_upper_unknown(const json& report, const json& estimate) {
    constexpr double min_confidence = 0.1;  // the bound is 11 times the percentile there
    const auto unit = estimate.at("unit").get<std::string>();
    if (!report.contains("options") || (unit != "percent" && unit != "bytes")) return false;
    const auto upper = estimate.at("upper").get<double>();
    const bool is_beyond_gpu = unit == "percent" && upper > 100.0;
    const bool is_trusted = report.at("confidence").get<double>() >= min_confidence;
    return upper > estimate.at("target").get<double>() && (is_beyond_gpu || !is_trusted);
}

std::string rightsize_text(const json& report) {
    std::string name = report.at("container").get<std::string>();
    if (name.empty()) name = report.at("name").get<std::string>();
    std::string out = (name.empty() ? "workload" : name) + ": " + report.at("verdict").get<std::string>() + "\n  " +
                      report.at("reason").get<std::string>() + "\n";
    const json& samples = report.at("samples");
    out += "  samples         " + samples.at("busy").dump() + " of utilisation, " + samples.at("memory").dump() +
           " of memory, " + samples.at("units").dump() + " units; confidence " +
           fixed(report.at("confidence").get<double>(), 2) + "\n";
    out += estimate_lines("busy", report, "busy");
    out += estimate_lines("memory", report, "memory");
    if (report.at("memory_signal") == "preallocated")
        out += "  memory          preallocated: it is a fixed share of the card and says nothing of the need\n";
    if (!report.contains("options")) return out;
    out += option_line("now", report.at("now"));
    out += option_line("recommended", report.at("recommendation"));
    out += option_line("runner-up", report.at("runner_up"));
    const json& saves = report.at("saves_per_hour");
    if (!saves.is_null()) out += "  saves           " + fixed(saves.get<double>(), 3) + " an hour\n";
    return out;
}

std::string rightsize_conclusion(const json& reports) {
    int changes = 0;
    double saved = 0.0;
    bool priced = true;
    for (const json& one : reports) {
        if (one.at("verdict") != "change") continue;
        ++changes;
        const json& saves = one.at("saves_per_hour");
        priced = priced && !saves.is_null();
        if (!saves.is_null()) saved += saves.get<double>();
    }
    std::string out = std::to_string(changes) + " of " + counted(static_cast<int>(reports.size()), "container") +
                      (changes == 1 ? " needs" : " need") + " something else than it has";
    if (changes == 0) return out + ".";
    out += saved >= 0.0 ? "; that saves " + fixed(saved, 2) + " an hour"
                        : "; that costs " + fixed(-saved, 2) + " an hour more";
    return out + (priced ? "." : ", as far as prices are known.");
}

std::string rightsize_patch(const json& report) {
    const auto verdict = report.at("verdict").get<std::string>();
    if (verdict == "report") {
        const json& target = report.at("container_recommendation").at("target");
        return patch_around(report, "          requests:\n            cpu: " + target.at("cpu").get<std::string>() +
                                        "\n            memory: \"" + target.at("memory").get<std::string>() + "\"\n");
    }
    if (verdict != "change") return "";
    const json& option = report.at("recommendation");
    // How many replicas a GPU takes is the node's setting; the pod asks for one of what is shared.
    if (option.at("kind") == "share") return "# " + report.at("reason").get<std::string>() + "\n";
    const asked what = asked_by(option);
    return patch_around(report,
                        "          limits:\n            " + what.resource + ": " + std::to_string(what.count) + "\n");
}

}  // namespace gputided
