// handover_view of plan.hpp.
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "kubernetes/handover/plan.hpp"

namespace gputide::kubernetes {
namespace {

std::optional<std::string> annotation_of(simdjson::dom::object object, std::string_view name) {
    const auto metadata = formats::object_of(object, "metadata");
    const auto all = metadata ? formats::object_of(*metadata, "annotations") : std::nullopt;
    const auto text = all ? formats::text_of(*all, name) : std::nullopt;
    if (!text) return std::nullopt;
    return std::string(*text);
}

}  // namespace

// As KEDA reads it: anything but a false is a pause.
bool handover_view::is_paused() const { return paused && parse_go_bool(*paused).value_or(true); }

handover_view read_handover_view(simdjson::dom::object object) {
    const scaled_object read = read_scaled_object(object, {});
    handover_view out;
    out.facts = read.facts;
    out.target = read.target;
    out.owner = read.owner;
    out.under_way = annotation_of(object, handover_annotation).value_or("");
    out.paused = annotation_of(object, paused_annotation);
    out.paused_replicas = annotation_of(object, paused_replicas_annotation);
    out.is_kedas = read.is_kedas;
    for (const status_condition& one : read.status.conditions) {
        if (one.type == "Paused") out.says_paused = one.status == "True";
    }
    return out;
}

void add_hpa(const autoscaler& one, handover_view& into) {
    if (one.owner == into.facts.key.name) {
        into.hpas.push_back(one.facts.key.name);
    } else if (is_same_target(one.target, into.target)) {
        into.foreign_hpas.push_back(one.facts.key.name);
    }
}

}  // namespace gputide::kubernetes
