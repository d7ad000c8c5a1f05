#include "kubernetes/aks/change.hpp"

#include "auth/azure/scopes.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "config/setting.hpp"
#include "http/message.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace gputide::aks {
namespace {

error wrong(std::string_view member, std::string_view expected) {
    return fail_at(status::invalid, "change", format_text("{}: expected {}", member, expected));
}

// "/subscriptions/ID/resourceGroups/NAME/providers/Microsoft.ContainerService/managedClusters/NAME"
bool is_cluster(std::string_view text) {
    static constexpr std::array<std::string_view, 9> shape{
        "", "subscriptions", {}, "resourceGroups", {}, "providers", "Microsoft.ContainerService", "managedClusters",
        {}};
    const std::vector<std::string_view> parts = split(text, '/');
    if (parts.size() != shape.size() || !parts.front().empty()) return false;
    for (std::size_t i = 1; i < shape.size(); ++i) {
        if (shape[i].empty() ? !http::is_path_part(parts[i]) : !equal_ignoring_case(shape[i], parts[i])) return false;
    }
    return true;
}

// ^[a-z][a-z0-9]{0,11}$
bool is_pool(std::string_view text) {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    return !text.empty() && text.size() <= 12 && is_letter(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

struct written {
    change wanted;
    std::string cloud;
    std::string endpoint;
};

using row = config::setting<written>;
template <auto... Path>
constexpr auto to = config::fill_member<written, Path...>;
constexpr config::value_rule a_node_count = config::a_whole(0, 1'000);  // Azure/azure-rest-api-specs, AgentPools count

constexpr std::array rows{
    row{"cluster", config::a_text(), to<&written::wanted, &change::cluster>},
    row{"pool", config::a_text(), to<&written::wanted, &change::pool>},
    row{"cloud", config::a_text(), to<&written::cloud>},
    row{"endpoint", config::a_text(), to<&written::endpoint>},
    row{"count", a_node_count, to<&written::wanted, &change::count>},
    row{"min", a_node_count, to<&written::wanted, &change::min>},
    row{"max", a_node_count, to<&written::wanted, &change::max>},
    row{"dry", config::a_flag, to<&written::wanted, &change::dry>},
};

result<void> find_endpoint(written& from) {
    if (!from.endpoint.empty()) {
        auto audience = auth::private_audience(from.endpoint, "endpoint", false);
        if (!audience) return std::move(audience).failure();
        while (!from.endpoint.empty() && from.endpoint.back() == '/') from.endpoint.pop_back();
        from.wanted.base = from.endpoint;
        from.wanted.audience = *std::move(audience);
        return {};
    }
    const std::optional<auth::azure_cloud> cloud = auth::azure_cloud_named(from.cloud);
    if (!cloud) return wrong("cloud", "AzurePublicCloud, AzureUSGovernmentCloud or AzureChinaCloud");
    from.wanted.audience = auth::azure_audience(auth::azure_api::resource_manager, *cloud);
    from.wanted.base = "https://" + from.wanted.audience.hosts.front();
    return {};
}

result<void> check(const change& change) {
    if (!is_cluster(change.cluster))
        return wrong("cluster",
                     "/subscriptions/ID/resourceGroups/NAME/providers/Microsoft.ContainerService/managedClusters/NAME");
    if (!is_pool(change.pool)) return wrong("pool", "up to 12 lower-case letters and digits, a letter first");
    if (change.count && (change.min || change.max))
        return fail_at(status::invalid, "change",
                       "count is for a pool without an autoscaler, min and max for a pool that AKS' autoscaler scales: "
                       "give only count, or min and max");
    if (change.min && change.max && *change.min > *change.max)
        return fail_at(status::invalid, "change", format_text("min {} is above max {}", *change.min, *change.max));
    return {};
}

}  // namespace

result<change> read_change(std::string_view text) {
    if (trim(text).empty()) return fail_at(status::invalid, "change", "expected a JSON object");
    written from;
    error why = config::read_json_settings("change: ", text, limits::manifest_bytes, std::span<const row>(rows), from);
    if (why.status != status::ok) return why;
    if (result<void> ok = check(from.wanted); !ok) return std::move(ok).failure();
    if (result<void> ok = find_endpoint(from); !ok) return std::move(ok).failure();
    return std::move(from.wanted);
}

}  // namespace gputide::aks
