#include "replay/series/first_metric.hpp"

#include "common/shared_options.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cctype>
#include <string_view>

namespace gputided {
namespace {

using json = nlohmann::json;

// A replay needs no credential; where one is missing the query stays unknown.
std::string asked(const replay_options& options, const std::string& scaler, const std::vector<manifest_file>& files) {
    try {
        const json metrics = json::parse(open_scaler(scaler, options.shared, files).metrics());
        return metrics.empty() ? "" : metrics.front().value("asks", "");
    } catch (const gputide::failure&) {
        return "";
    }
}

}  // namespace

first_metric first_metric_of(const replay_options& options, const std::string& scaler,
                             const std::vector<manifest_file>& files) {
    gputide::options consent = library_options(options.shared, files);
    consent.scaler(scaler);
    const json policy = json::parse(gputide::policy::open(files.front().text, consent).describe());
    const json metrics = policy.value("metrics", json::array());
    const json one = metrics.empty() ? json::object() : metrics.front();
    return {one.value("kind", ""), one.value("type", ""), asked(options, scaler, files)};
}

std::string aggregation_of(const std::string& query) {
    std::size_t at = query.find_first_not_of(" \t\n(");
    std::string word;
    for (; at < query.size() && std::isalpha(static_cast<unsigned char>(query[at])) != 0; ++at) {
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(query[at])));
    }
    constexpr std::array<std::string_view, 5> known{"avg", "sum", "max", "min", "quantile"};
    for (const std::string_view one : known) {
        if (word == one) return word;
    }
    return "";
}

bool is_mean_over_replicas(const first_metric& metric) {
    const bool is_per_pod = metric.kind != "External" && metric.kind != "Object";
    return is_per_pod || metric.type == "Value" || metric.type == "Utilization" ||
           aggregation_of(metric.asks) == "avg" || aggregation_of(metric.asks) == "quantile";
}

}  // namespace gputided
