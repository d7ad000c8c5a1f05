#include "reads.hpp"

#include <nlohmann/json.hpp>

namespace gputided {
namespace {

metric_read read_of(const nlohmann::json& from) {
    metric_read out;
    out.name = from.at("metric");
    out.latency_ms = from.at("latency_ms");
    if (from.at("value").is_number()) out.value = from.at("value");
    if (from.contains("age_ms")) out.age_ms = from.at("age_ms");
    if (from.contains("error")) {
        const nlohmann::json& error = from.at("error");
        const std::string where = error.at("where");
        out.error_status = error.at("status");
        out.error = (where.empty() ? "" : where + ": ") + error.at("message").get<std::string>();
    }
    return out;
}

}  // namespace

std::vector<metric_read> last_reads(const std::string& json) {
    const auto from = nlohmann::json::parse(json);
    std::vector<metric_read> out;
    if (from.is_object() && !from.contains("metrics")) return out;  // not asked yet
    for (const nlohmann::json& one : from.is_object() ? from.at("metrics") : from) out.push_back(read_of(one));
    return out;
}

}  // namespace gputided
