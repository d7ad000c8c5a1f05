#include "common/text.hpp"

#include "common/page.hpp"
#include "rightsize/rightsize.hpp"
#include "rightsize_html.hpp"

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
    std::string out = std::to_string(changes) + " of " +
                      counted(static_cast<std::int64_t>(reports.size()), "container") +
                      (changes == 1 ? " needs other resources than it has" : " need other resources than they have");
    if (changes == 0) return out + ".";
    out += saved >= 0.0 ? "; that saves " + decimal(saved, 3) + " an hour"
                        : "; that costs " + decimal(-saved, 3) + " an hour more";
    return out + (priced ? "." : ", as far as prices are known.");
}

}  // namespace

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

}  // namespace gputided
