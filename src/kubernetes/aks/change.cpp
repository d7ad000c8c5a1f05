#include "kubernetes/aks/change.hpp"

#include "auth/azure/scopes.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "config/document.hpp"
#include "http/message.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace gputide::aks {
namespace {

constexpr std::int64_t most_nodes = 1'000;  // of a pool: Azure/azure-rest-api-specs, AgentPools count

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

result<void> take_number(const config::node& node, std::optional<std::int64_t>& into) {
    if (node.kind == config::node_kind::scalar && !node.quoted) into = parse_int64(node.text);
    if (into && *into >= 0 && *into <= most_nodes) return {};
    return wrong(node.key, format_text("a whole number from 0 to {}", most_nodes));
}

result<void> take_text(const config::node& node, std::string& into) {
    if (node.kind != config::node_kind::scalar || !node.quoted) return wrong(node.key, "text");
    into = node.text;
    return {};
}

result<void> take_flag(const config::node& node, bool& into) {
    if (config::type_of(node) != config::scalar_type::boolean) return wrong(node.key, "true or false");
    into = node.text == "true";
    return {};
}

struct written {
    change wanted;
    std::string cloud;
    std::string endpoint;
};

result<void> take(const config::node& member, written& into) {
    if (member.key == "cluster") return take_text(member, into.wanted.cluster);
    if (member.key == "pool") return take_text(member, into.wanted.pool);
    if (member.key == "cloud") return take_text(member, into.cloud);
    if (member.key == "endpoint") return take_text(member, into.endpoint);
    if (member.key == "count") return take_number(member, into.wanted.count);
    if (member.key == "min") return take_number(member, into.wanted.min);
    if (member.key == "max") return take_number(member, into.wanted.max);
    if (member.key == "dry") return take_flag(member, into.wanted.dry);
    return fail_at(status::invalid, "change", format_text("{} is not known", in_quotes(member.key)));
}

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

result<void> check(const change& one) {
    if (!is_cluster(one.cluster))
        return wrong("cluster",
                     "/subscriptions/ID/resourceGroups/NAME/providers/Microsoft.ContainerService/managedClusters/NAME");
    if (!is_pool(one.pool)) return wrong("pool", "up to 12 lower-case letters and digits, a letter first");
    if (one.count && (one.min || one.max))
        return fail_at(status::invalid, "change",
                       "count is for a pool that nobody scales, min and max for one that AKS' autoscaler scales: give "
                       "one or the other");
    if (one.min && one.max && *one.min > *one.max)
        return fail_at(status::invalid, "change", format_text("min {} is above max {}", *one.min, *one.max));
    return {};
}

}  // namespace

result<change> read_change(std::string_view text) {
    const config::read_text read = config::read_json(text);
    if (read.failure) return fail_at(status::invalid, "change", read.failure->message);
    if (read.roots.size() != 1 || read.roots.front().kind != config::node_kind::mapping)
        return fail_at(status::invalid, "change", "expected a JSON object");
    written from;
    for (const config::node& member : read.roots.front().children) {
        if (result<void> ok = take(member, from); !ok) return std::move(ok).failure();
    }
    if (result<void> ok = check(from.wanted); !ok) return std::move(ok).failure();
    if (result<void> ok = find_endpoint(from); !ok) return std::move(ok).failure();
    return std::move(from.wanted);
}

}  // namespace gputide::aks
