#include "kubernetes/aks/pool.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace gputide::aks {
namespace {

using config::node;
using config::node_kind;

// Members that the service writes and refuses or ignores from others, and those that are written anew.
bool is_left_out(std::string_view name) {
    static constexpr std::array<std::string_view, 8> names{
        "count", "currentOrchestratorVersion", "eTag", "maxCount", "minCount", "nodeImageVersion", "provisioningState",
        "status"};
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::int64_t number_of(const node& from, std::string_view name) {
    const node* const found = from.find(name);
    return found != nullptr ? parse_int64(found->text).value_or(0) : 0;
}

// A tree that was read from JSON, as JSON.
void write(json_writer& out, const node& one) {
    if (one.kind == node_kind::mapping) {
        out.begin_object();
        for (const node& child : one.children) write(out.key(child.key), child);
        out.end_object();
    } else if (one.kind == node_kind::sequence) {
        out.begin_array();
        for (const node& child : one.children) write(out, child);
        out.end_array();
    } else if (one.quoted) {
        out.string(one.text);
    } else {
        out.raw(one.text.empty() ? std::string_view("null") : std::string_view(one.text));
    }
}

}  // namespace

std::string text_of(const node& from, std::string_view name) {
    const node* const found = from.find(name);
    return found != nullptr && found->quoted ? found->text : std::string();
}

result<agent_pool> read_pool(std::string_view body) {
    config::read_text read = config::read_json(body);
    if (read.failure || read.roots.size() != 1)
        return fail(error_class::protocol, "the answer is not JSON; check that the address is Azure's");
    node& root = read.roots.front();
    const auto found = std::find_if(root.children.begin(), root.children.end(),
                                    [](const node& one) { return one.key == "properties"; });
    if (found == root.children.end() || found->kind != node_kind::mapping || found->find("vmSize") == nullptr)
        return fail(error_class::protocol, "the answer is no agent pool: it has no properties.vmSize");
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
                       "count: AKS' autoscaler scales this pool and would undo it; write min or max, or turn it off");
    if ((wanted.min || wanted.max) && !now.autoscaling)
        return fail_at(status::invalid, "change",
                       "min and max: AKS' autoscaler is off for this pool; write count, or turn it on");
    out.count = wanted.count.value_or(now.count);
    out.min = wanted.min.value_or(now.min);
    out.max = wanted.max.value_or(now.max);
    if (out.autoscaling && out.min > out.max)
        return fail_at(status::invalid, "change",
                       format_text("min {} is above max {}; raise max with it", out.min, out.max));
    if (out.autoscaling) out.count = std::clamp(out.count, out.min, out.max);  // another one is refused
    return out;
}

std::string body_with(const agent_pool& one, const pool_size& size) {
    json_writer out;
    out.begin_object().key("properties").begin_object();
    for (const node& member : one.properties.children) {
        if (!is_left_out(member.key)) write(out.key(member.key), member);
    }
    out.member("count", size.count);
    if (size.autoscaling) out.member("minCount", size.min).member("maxCount", size.max);
    out.end_object().end_object();
    return out.take();
}

}  // namespace gputide::aks
