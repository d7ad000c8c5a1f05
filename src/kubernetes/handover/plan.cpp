#include "kubernetes/handover/plan.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"

#include <initializer_list>
#include <utility>

namespace gputide::kubernetes {
namespace {

// nullptr takes it away.
using annotation_change = std::pair<std::string_view, const char*>;

next_handover wait_for(std::size_t step, std::string message, std::string remedy) {
    return {handover_move::wait, step, {}, std::move(message), std::move(remedy)};
}

next_handover refuse(std::string message, std::string remedy) {
    return {handover_move::refuse, 0, {}, std::move(message), std::move(remedy)};
}

next_handover write_of(std::size_t step, const handover_view& seen, std::initializer_list<annotation_change> changes) {
    if (seen.facts.resource_version.empty()) {
        return refuse("the ScaledObject has no metadata.resourceVersion, without which a write could undo another",
                      "check what answers for the API server");
    }
    json_writer patch;
    patch.begin_object().key("metadata").begin_object().member("resourceVersion", seen.facts.resource_version);
    patch.key("annotations").begin_object();
    for (const auto& [name, value] : changes) {
        patch.key(name);
        value == nullptr ? patch.null() : patch.string(value);
    }
    next_handover out;
    out.move = handover_move::write;
    out.step = step;
    out.patch = patch.end_object().end_object().end_object().take();
    return out;
}

next_handover end_with(handover_move move, std::string message) {
    return {move, handover_steps, {}, std::move(message), {}};
}

std::string kubectl(const handover_change& change, std::string_view annotations) {
    return format_text("kubectl annotate scaledobject --namespace {} {} {}", change.object.name_space,
                       change.object.name, annotations);
}

constexpr const char* keda_silent =
    "is KEDA's operator running? (kubectl get lease --all-namespaces | grep operator.keda.sh; its log names this "
    "ScaledObject)";

// What holds for both ways; nothing: go on.
std::optional<next_handover> hindrance_of(const handover_change& change, const handover_view& seen) {
    if (seen.facts.deleting) return refuse("it is being deleted", "nothing is left to hand over");
    if (!seen.owner.empty() && seen.owner != change.owner) {
        return refuse(anothers_text(seen.owner, change.owner),
                      "name that one as the owner, or have it released there first");
    }
    if (!seen.under_way.empty() && seen.under_way != change.owner) {
        return refuse(format_text("a hand-over of {} is under way (gputide.io/handover)", seen.under_way),
                      "end that one first, with its owner");
    }
    if (seen.paused_replicas) {
        return refuse(format_text("autoscaling.keda.sh/paused-replicas: {} has KEDA write that size again and again",
                                  in_quotes(*seen.paused_replicas)),
                      "take it away first: " + kubectl(change, "autoscaling.keda.sh/paused-replicas-"));
    }
    return std::nullopt;
}

next_handover next_to_gputide(const handover_change& change, const handover_view& seen) {
    enum : std::size_t { pause, keda_paused, hpa_gone, own };
    const bool is_begun = !seen.owner.empty() || !seen.under_way.empty();
    if (seen.is_paused() && !is_begun) {
        return refuse(
            "somebody has paused it, so that nobody scales it (autoscaling.keda.sh/paused)",
            "take the pause away first: " + kubectl(change, "autoscaling.keda.sh/paused-") +
                "; or, where it is meant for KEDA alone: " + kubectl(change, "gputide.io/owner=" + change.owner));
    }
    if (!seen.foreign_hpas.empty()) {
        return refuse(format_text("the HPA {}, which is not KEDA's, scales the same {}", seen.foreign_hpas.front(),
                                  seen.target.kind + "/" + seen.target.name),
                      "gputide leaves alone what an HPA scales: delete that one first");
    }
    if (!seen.is_paused()) {
        if (!seen.is_kedas && seen.hpas.empty()) {
            return end_with(handover_move::needless,
                            "KEDA does not look after it (neither its finalizer nor an HPA of its): a gputide that "
                            "acts here scales it as it is");
        }
        return write_of(pause, seen, {{paused_annotation, "true"}, {handover_annotation, change.owner.c_str()}});
    }
    if (seen.is_kedas && !seen.says_paused) {
        return wait_for(keda_paused, "KEDA has not said Paused=True yet", keda_silent);
    }
    if (!seen.hpas.empty()) {
        return wait_for(hpa_gone, format_text("KEDA's HPA {} is still there", seen.hpas.front()), keda_silent);
    }
    if (seen.owner.empty() || !seen.under_way.empty()) {
        return write_of(own, seen, {{owner_annotation, change.owner.c_str()}, {handover_annotation, nullptr}});
    }
    return end_with(handover_move::done, format_text("{} has it; KEDA is paused", change.owner));
}

next_handover next_to_keda(const handover_change& change, const handover_view& seen, bool is_settled) {
    enum : std::size_t { disown, settle, unpause, hpa_there };
    const bool is_begun = !seen.owner.empty() || !seen.under_way.empty();
    if (seen.is_paused() && !is_begun) {
        return refuse("it is paused, and by nobody's hand-over: no gputide has it",
                      "to have KEDA go on: " + kubectl(change, "autoscaling.keda.sh/paused-"));
    }
    if (!seen.is_kedas) {
        return refuse("KEDA does not look after it (its finalizer is not there): there is nobody to take it",
                      "install KEDA first; a gputide that acts here scales it meanwhile");
    }
    if (!seen.owner.empty()) {
        return write_of(disown, seen, {{owner_annotation, nullptr}, {handover_annotation, change.owner.c_str()}});
    }
    if (seen.is_paused() && !is_settled) return {handover_move::settle, settle, {}, {}, {}};
    if (is_begun) return write_of(unpause, seen, {{paused_annotation, nullptr}, {handover_annotation, nullptr}});
    if (seen.hpas.empty() || seen.says_paused) {
        return wait_for(hpa_there, seen.hpas.empty() ? "KEDA has not made its HPA yet" : "KEDA still says Paused=True",
                        keda_silent);
    }
    return end_with(handover_move::done, format_text("KEDA has it, by its HPA {}", seen.hpas.front()));
}

}  // namespace

const std::array<const char*, handover_steps>& handover_step_names(handover_side to) noexcept {
    static constexpr std::array<const char*, handover_steps> to_gputide{"pause", "keda_paused", "hpa_gone", "own"};
    static constexpr std::array<const char*, handover_steps> to_keda{"disown", "settle", "unpause", "hpa_there"};
    return to == handover_side::gputide ? to_gputide : to_keda;
}

next_handover next_of(const handover_change& change, const handover_view& seen, bool is_settled) {
    if (auto no = hindrance_of(change, seen)) return *std::move(no);
    return change.to == handover_side::gputide ? next_to_gputide(change, seen) : next_to_keda(change, seen, is_settled);
}

}  // namespace gputide::kubernetes
