#include "common/reads.hpp"

#include "common/json_part.hpp"

#include <nlohmann/json.hpp>

namespace gputided {
namespace {

metric_read read_of(const nlohmann::json& metric) {
    metric_read out;
    out.name = metric.at("metric");
    out.latency_ms = metric.at("latency_ms");
    if (metric.at("value").is_number()) out.value = metric.at("value");
    out.is_empty_as_zero = metric.value("null_as_zero", false);
    out.asks = metric.value("asks", "");
    if (metric.contains("age_ms")) out.age_ms = metric.at("age_ms");
    if (metric.contains("error")) {
        const nlohmann::json& error = metric.at("error");
        const std::string where = error.at("where");
        out.error_status = error.at("status");
        out.error = (where.empty() ? "" : where + ": ") + error.at("message").get<std::string>();
        out.body = error.value("body", "");
    }
    return out;
}

}  // namespace

std::string whole_error(const metric_read& read) {
    return read.body.empty() ? read.error : read.error + "; the response begins \"" + read.body + "\"";
}

std::vector<metric_read> last_reads(std::string_view text) {
    std::vector<metric_read> out;
    const std::string_view metrics = text.starts_with('{') ? json_member(text, "metrics") : text;
    if (metrics.empty()) return out;  // not asked yet
    for (const nlohmann::json& metric : nlohmann::json::parse(metrics)) out.push_back(read_of(metric));
    return out;
}

}  // namespace gputided
