#include "kubernetes/aks/pool.hpp"

#include "auth/azure/scopes.hpp"
#include "base/json_writer.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "http/message.hpp"
#include "text/document.hpp"
#include "text/setting.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace gputide::aks {
namespace {

error wrong(std::string_view member, std::string_view expected) {
    return fail(status::invalid, "{}: expected {}", member, expected).at("change");
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
    const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
    return !text.empty() && text.size() <= 12 && is_small(text.front()) &&
           std::ranges::all_of(text, [&](char c) { return is_small(c) || (c >= '0' && c <= '9'); });
}

struct written {
    change wanted;
    std::string cloud;
    std::string endpoint;
};

using row = text::setting<written>;
template <auto... Path>
constexpr auto to = text::fill_member<written, Path...>;
constexpr text::value_rule a_node_count = text::a_whole(0, 1'000);  // Azure/azure-rest-api-specs, AgentPools count

constexpr std::array rows{
    row{"cluster", text::a_text(), to<&written::wanted, &change::cluster>},
    row{"pool", text::a_text(), to<&written::wanted, &change::pool>},
    row{"cloud", text::a_text(), to<&written::cloud>},
    row{"endpoint", text::a_text(), to<&written::endpoint>},
    row{"count", a_node_count, to<&written::wanted, &change::count>},
    row{"min", a_node_count, to<&written::wanted, &change::min>},
    row{"max", a_node_count, to<&written::wanted, &change::max>},
    row{"dry", text::a_flag, to<&written::wanted, &change::dry>},
};

result<void> find_endpoint(written& from) {
    if (!from.endpoint.empty()) {
        auto audience = auth::private_audience(from.endpoint, "endpoint", false);
        if (!audience) return audience.take_failure();
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
        return fail(status::invalid, "min {} is above max {}", *change.min, *change.max).at("change");
    return {};
}

}  // namespace

result<change> read_change(std::string_view text) {
    if (trim(text).empty()) return fail_at(status::invalid, "change", "expected a JSON object");
    written from;
    error why = text::read_json_settings("change: ", text, limits::manifest_bytes, std::span<const row>(rows), from);
    if (why.status != status::ok) return why;
    if (result<void> ok = check(from.wanted); !ok) return ok.take_failure();
    if (result<void> ok = find_endpoint(from); !ok) return ok.take_failure();
    return std::move(from.wanted);
}

namespace {

using text::node;
using text::node_kind;

// Members that the service sets and rejects or ignores in requests, and members that body_with() writes itself.
bool is_left_out(std::string_view name) {
    static constexpr std::array<std::string_view, 8> names{
        "count", "currentOrchestratorVersion", "eTag", "maxCount", "minCount", "nodeImageVersion", "provisioningState",
        "status"};
    return std::ranges::find(names, name) != names.end();
}

std::int64_t number_of(const node& from, std::string_view name) {
    const node* const found = from.find(name);
    return found != nullptr ? parse_int64(found->text).value_or(0) : 0;
}

// Writes a tree that was read from JSON as JSON again.
void write(json_writer& out, const node& item) {
    if (item.kind == node_kind::mapping) {
        out.begin_object();
        for (const node& child : item.children) write(out.key(child.key), child);
        out.end_object();
    } else if (item.kind == node_kind::sequence) {
        out.begin_array();
        for (const node& child : item.children) write(out, child);
        out.end_array();
    } else if (item.quoted) {
        out.string(item.text);
    } else {
        out.raw(item.text.empty() ? std::string_view("null") : std::string_view(item.text));
    }
}

}  // namespace

std::string text_of(const node& from, std::string_view name) {
    const node* const found = from.find(name);
    return found != nullptr && found->quoted ? found->text : std::string();
}

result<agent_pool> read_pool(std::string_view body) {
    text::read_text read = text::read_json(body);
    if (read.failure || read.roots.size() != 1)
        return fail(error_class::protocol,
                    "the response is not JSON; check that the endpoint is Azure Resource Manager");
    node& root = read.roots.front();
    const auto found = std::ranges::find_if(root.children, [](const node& node) { return node.key == "properties"; });
    if (found == root.children.end() || found->kind != node_kind::mapping || found->find("vmSize") == nullptr)
        return fail(error_class::protocol, "the response is not an agent pool: properties.vmSize is missing");
    agent_pool out;
    const node* const autoscaling = found->find("enableAutoScaling");
    out.size.autoscaling = autoscaling != nullptr && autoscaling->text == "true";
    out.size.count = number_of(*found, "count");
    if (out.size.autoscaling) {
        out.size.min = number_of(*found, "minCount");
        out.size.max = number_of(*found, "maxCount");
    }
    out.etag = text_of(*found, "eTag");
    out.provisioning_state = text_of(*found, "provisioningState");
    out.properties = std::move(*found);
    return out;
}

result<pool_size> changed(const pool_size& now, const change& wanted) {
    pool_size out = now;
    if (wanted.count && now.autoscaling)
        return fail_at(status::invalid, "change",
                       "count: AKS' autoscaler scales this pool and would undo the change; set min or max, or turn the "
                       "autoscaler off");
    if ((wanted.min || wanted.max) && !now.autoscaling)
        return fail_at(status::invalid, "change",
                       "min and max: AKS' autoscaler is off for this pool; set count, or turn the autoscaler on");
    out.count = wanted.count.value_or(now.count);
    out.min = wanted.min.value_or(now.min);
    out.max = wanted.max.value_or(now.max);
    if (out.autoscaling && out.min > out.max)
        return fail(status::invalid, "min {} is above max {}; lower min, or also set max", out.min, out.max)
            .at("change");
    // The service rejects a count outside the range.
    if (out.autoscaling) out.count = std::clamp(out.count, out.min, out.max);
    return out;
}

std::string body_with(const agent_pool& agent_pool, const pool_size& size) {
    json_writer out;
    out.begin_object().key("properties").begin_object();
    for (const node& member : agent_pool.properties.children) {
        if (!is_left_out(member.key)) write(out.key(member.key), member);
    }
    out.member("count", size.count);
    if (size.autoscaling) out.member("minCount", size.min).member("maxCount", size.max);
    out.end_object().end_object();
    return out.take();
}

}  // namespace gputide::aks
