#include "kubernetes/api/capacity.hpp"

#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/saturate.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"
#include "text/document.hpp"
#include "text/report.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

namespace dom = simdjson::dom;
using formats::for_each_object;
using formats::text_in;
using formats::text_of;

constexpr std::size_t max_message_bytes = 300;
constexpr std::size_t max_pools_named = 3;

// Labels by which a pod names its pool of nodes: AKS, GKE, EKS, Karpenter.
constexpr std::array<std::string_view, 5> pool_label_names{"kubernetes.azure.com/agentpool", "agentpool",
                                                           "cloud.google.com/gke-nodepool",
                                                           "eks.amazonaws.com/nodegroup", "karpenter.sh/nodepool"};

// A Deployment's ReplicaSet has the Deployment's name and the hash of its template (kubernetes/kubernetes
// pkg/controller/deployment/sync.go).
pod_owner owner_of(const object_facts& facts, dom::object pod) {
    pod_owner out{facts.key.name_space, {}, {}};
    for_each_object(pod, "metadata/ownerReferences", [&](dom::object owner) {
        bool is_controller = false;
        if (owner["controller"].get(is_controller) != simdjson::SUCCESS || !is_controller) return;
        out.kind = text_in(owner, "kind");
        out.name = text_in(owner, "name");
    });
    const std::string suffix = "-" + text_in(pod, "metadata/labels", "pod-template-hash");
    const bool is_deployments =
        out.kind == "ReplicaSet" && suffix.size() > 1 && std::string_view(out.name).ends_with(suffix);
    if (!is_deployments) return out;
    out.kind = "Deployment";
    out.name.resize(out.name.size() - suffix.size());
    return out;
}

std::string pool_of(dom::object pod) {
    for (const std::string_view name : pool_label_names) {
        if (std::string pool = text_in(pod, "spec/nodeSelector", name); !pool.empty()) return pool;
    }
    return {};
}

// A series' last event, or the only one.
std::int64_t time_of_event(dom::object event) {
    for (const std::string& text : {text_in(event, "series", "lastObservedTime"), text_in(event, "lastTimestamp"),
                                    text_in(event, "eventTime"), text_in(event, "firstTimestamp")}) {
        if (const auto time = parse_rfc3339(text)) return *time;
    }
    return 0;
}

const text::node* find_path(const text::node& from, std::string_view part, std::string_view name) {
    const text::node* const inner = from.find(part);
    return inner != nullptr ? inner->find(name) : nullptr;
}

std::string text_at(const text::node& from, std::string_view part, std::string_view name) {
    const text::node* const found = find_path(from, part, name);
    return found != nullptr ? found->text : std::string();
}

std::optional<full_pool> read_node_group(const text::node& group) {
    full_pool out;
    if (const text::node* const name = group.find("name")) out.name = name->text;
    out.max = parse_int64(text_at(group, "health", "maxSize")).value_or(0);
    out.is_backed_off = text_at(group, "scaleUp", "status") == "Backoff";
    if (out.is_backed_off) {
        out.since_ms = parse_rfc3339(text_at(group, "scaleUp", "lastTransitionTime")).value_or(0);
        const text::node* const info = find_path(group, "scaleUp", "backoffInfo");
        const text::node* const code = info != nullptr ? info->find("errorCode") : nullptr;
        if (code != nullptr) out.why = code->text;
    }
    const std::int64_t size = parse_int64(text_at(group, "health", "cloudProviderTarget")).value_or(0);
    if (out.name.empty() || !(out.is_backed_off || size >= out.max)) return std::nullopt;
    return out;
}

// The name of a node group has that of its pool: gpunp, aks-gpunp-12345678-vmss, gke-CLUSTER-gpunp-1a2b3c4d-grp.
bool is_group_of(const std::string& group, const std::string& pool) {
    return pool.empty() || group == pool || group.find("-" + pool + "-") != std::string::npos;
}

std::string pools_text(const std::vector<full_pool>& pools, const std::string& wanted) {
    std::string out;
    std::size_t named = 0;
    for (const full_pool& pool : pools) {
        if (!is_group_of(pool.name, wanted) || ++named > max_pools_named) continue;
        out += out.empty() ? "" : ", ";
        if (!pool.is_backed_off) {
            out += format_text("{} is at its maximum of {}", pool.name, pool.max);
            continue;
        }
        out += format_text("{} is in backoff after a failed scale-up", pool.name);
        if (!pool.why.empty()) out += " (" + pool.why + ")";
        if (pool.since_ms != 0) out += " since " + format_rfc3339_s(pool.since_ms);
    }
    if (named > max_pools_named) out += format_text(" and {} more", named - max_pools_named);
    return out;
}

}  // namespace

std::string pod_events_query(std::string_view autoscaler) {
    return format_text("?fieldSelector=involvedObject.kind%3DPod%2Csource%3D{}", autoscaler);
}

std::optional<unplaced_pod> read_unplaced_pod(dom::object object) {
    const object_facts facts = read_facts(object);
    if (facts.deleting) return std::nullopt;
    std::optional<unplaced_pod> out;
    for_each_object(object, "status/conditions", [&](dom::object condition) {
        const bool has_no_node = text_of(condition, "type") == "PodScheduled" &&
                                 text_of(condition, "status") == "False" &&
                                 text_of(condition, "reason") == "Unschedulable";
        if (!has_no_node) return;
        out.emplace();
        out->since_ms = parse_rfc3339(text_in(condition, "lastTransitionTime")).value_or(0);
    });
    if (!out || out->since_ms == 0) return std::nullopt;
    out->uid = facts.uid;
    out->owner = owner_of(facts, object);
    out->pool = pool_of(object);
    return out;
}

void take_event(dom::object object, autoscaler_verdicts& verdicts) {
    struct known_reason {
        std::string_view name;
        bool is_refused;
    };
    static constexpr std::array<known_reason, 4> known{{{"NotTriggerScaleUp", true},
                                                        {"TriggeredScaleUp", false},
                                                        {"FailedScheduling", true},  // Karpenter's
                                                        {"Nominated", false}}};
    const std::string reason = text_in(object, "reason");
    const auto at = std::ranges::find_if(known, [&](const known_reason& each) { return each.name == reason; });
    if (at == known.end()) return;
    autoscaler_verdict verdict{time_of_event(object), at->is_refused, {}};
    autoscaler_verdict& kept = verdicts[text_in(object, "involvedObject", "uid")];
    if (verdict.time_ms < kept.time_ms) return;
    verdict.message = redact(cut_utf8(text_of(object, "message").value_or(""), max_message_bytes));
    kept = std::move(verdict);
}

std::vector<full_pool> read_full_pools(const std::string& config_map) {
    std::vector<full_pool> out;
    formats::scratch_use own(config_map);
    dom::object root;
    if (own->parse(config_map, root) != simdjson::SUCCESS) return out;
    text::report findings;
    const auto documents = text::read_documents("cluster-autoscaler-status", text_in(root, "data", "status"), findings);
    const text::node* const groups = documents.empty() ? nullptr : documents.front().root.find("nodeGroups");
    if (groups == nullptr) return out;
    for (const text::node& group : groups->children) {
        if (auto pool = read_node_group(group)) out.push_back(*std::move(pool));
    }
    return out;
}

std::map<pod_owner, shortage> judge_pods(const std::vector<unplaced_pod>& pods, const autoscaler_verdicts& verdicts,
                                         const std::vector<full_pool>& pools, std::int64_t now_ms,
                                         std::int64_t start_ms) {
    std::map<pod_owner, shortage> out;
    for (const unplaced_pod& pod : pods) {
        if (pod.owner.name.empty()) continue;
        const auto at = verdicts.find(pod.uid);
        const bool is_refused = at != verdicts.end() && at->second.is_refused;
        // A node that is on its way has its time from then on.
        const std::int64_t since_ms =
            at != verdicts.end() && !is_refused ? std::max(pod.since_ms, at->second.time_ms) : pod.since_ms;
        const bool is_late = subtract_saturating(now_ms, since_ms) >= start_ms;
        if (!is_refused && !is_late) continue;
        shortage& found = out[pod.owner];
        ++found.pods;
        found.late += is_late ? 1 : 0;
        if (!found.why.empty()) continue;
        found.why = pools_text(pools, pod.pool);
        if (is_refused && !at->second.message.empty()) append_item(found.why, at->second.message, "; ");
        if (found.why.empty()) found.why = format_text("no node came within {}", format_duration_ms(start_ms));
    }
    return out;
}

bool target_capacity::take(const shortage& found, std::int32_t replicas, std::int64_t now_ms, const rules& by) {
    const shortage before = std::exchange(before_, found);
    if (is_asked_back()) return false;
    const std::int32_t startable_before = startable_;
    const std::string why_before = why_;
    const std::int32_t pods = std::min(before.pods, found.pods);
    const std::int32_t late = std::min(before.late, found.late);
    const bool is_short = pods > 0;
    const bool asks_back = by.asks_back && late > 0;
    startable_ = is_short ? std::max(0, replicas - (asks_back ? late : pods)) : -1;
    why_ = is_short ? found.why : std::string();
    if (asks_back) {
        until_ms_ = add_saturating(now_ms, by.start_ms);
        why_ += "; requested again at " + format_rfc3339_s(until_ms_);
    }
    return asks_back || startable_ != startable_before || why_ != why_before;
}

bool target_capacity::end_due(std::int64_t now_ms) {
    if (!is_asked_back() || now_ms < until_ms_) return false;
    *this = {};
    return true;
}

}  // namespace gputide::kubernetes
