#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "kubernetes/handover/handover.hpp"
#include "kubernetes/lease/elector.hpp"
#include "manifest/names.hpp"
#include "text/document.hpp"
#include "text/mapping.hpp"

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace gputide::kubernetes {
namespace {

void take_side(text::mapping& from, handover_side& into) {
    const std::string word = from.required_text("to");
    if (word == handover_side_name(handover_side::keda)) into = handover_side::keda;
    if (word.empty() || word == handover_side_name(into)) return;
    from.error("to", "invalid-value", format_text("to: expected gputide or keda, got {}", in_quotes(word)),
               "write the controller that is to scale the object");
}

void take_lease(text::mapping& from, handover_change& into) {
    const auto lease_s = from.integer("lease_s", min_lease_s);
    if (!lease_s) return;
    if (*lease_s > max_lease_s) {
        from.error("lease_s", "too-large", format_text("lease_s: {} is more than {}", *lease_s, max_lease_s),
                   "write the Lease duration of the gputide that scales the object");
    }
    lease_settings lease;
    lease.duration_ms = std::int64_t{*lease_s} * 1'000;
    into.write_ms = lease.write_ms();
}

handover_change take_all(const text::cursor& cursor, text::report& findings) {
    text::mapping mapping(cursor, findings);
    handover_change out;
    out.object = {mapping.required_text("namespace"), mapping.required_text("name")};
    if (!out.object.name_space.empty()) manifest::check_dns_label(mapping, "namespace", out.object.name_space);
    if (!out.object.name.empty()) manifest::check_dns_subdomain(mapping, "name", out.object.name);
    take_side(mapping, out.to);
    if (mapping.has("owner")) out.owner = mapping.required_text("owner");
    take_lease(mapping, out);
    out.dry = mapping.flag("dry").value_or(true);
    mapping.finish(text::severity::error);
    return out;
}

}  // namespace

const char* handover_side_name(handover_side handover_side) noexcept {
    return handover_side == handover_side::gputide ? "gputide" : "keda";
}

result<handover_change> read_handover_change(std::string_view text) {
    text::report findings;
    const std::vector<text::document> documents = text::read_documents("<handover>", text, findings);
    if (error why = findings.as_error(); why.status != status::ok) return why;
    if (documents.size() != 1)
        return fail(status::invalid, "a handover needs exactly one YAML document, which names its ScaledObject");
    handover_change out = take_all({&documents[0].root, &documents[0].file, {}}, findings);
    if (error why = findings.as_error(); why.status != status::ok) return why;
    return out;
}

namespace {

// An annotation and its new value; nullptr removes the annotation.
using annotation_change = std::pair<std::string_view, const char*>;

next_handover wait_for(std::size_t step, std::string_view message, std::string_view remedy) {
    return {handover_move::wait, step, {}, std::string(message), std::string(remedy)};
}

next_handover refuse(std::string_view message, std::string_view remedy) {
    return {handover_move::refuse, 0, {}, std::string(message), std::string(remedy)};
}

next_handover write_of(std::size_t step, const handover_view& seen, std::initializer_list<annotation_change> changes) {
    if (seen.facts.resource_version.empty()) {
        return refuse("the ScaledObject has no metadata.resourceVersion, which protects changes of other writers",
                      "check for a proxy that changes the API server's responses");
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

next_handover end_with(handover_move move, std::string_view message) {
    return {move, handover_steps, {}, std::string(message), {}};
}

std::string kubectl(const handover_change& change, std::string_view annotations) {
    return format_text("kubectl annotate scaledobject --namespace {} {} {}", change.object.name_space,
                       change.object.name, annotations);
}

constexpr const char* keda_silent =
    "check that KEDA's operator runs (kubectl get lease --all-namespaces | grep operator.keda.sh), and its log for "
    "this ScaledObject";

// Returns the refusals that apply to both directions, or nothing.
std::optional<next_handover> hindrance_of(const handover_change& change, const handover_view& seen) {
    if (seen.facts.deleting) return refuse("the ScaledObject is being deleted", "no handover is needed");
    if (!seen.owner.empty() && seen.owner != change.owner) {
        return refuse(anothers_text(seen.owner, change.owner),
                      "name this owner, or let this owner release the ScaledObject first");
    }
    if (!seen.under_way.empty() && seen.under_way != change.owner) {
        return refuse(format_text("a handover by {} is in progress (gputide.io/handover)", seen.under_way),
                      "finish that handover first, with its owner");
    }
    if (seen.paused_replicas) {
        return refuse(format_text("autoscaling.keda.sh/paused-replicas is {}: KEDA keeps writing this size",
                                  in_quotes(*seen.paused_replicas)),
                      "remove the annotation first: " + kubectl(change, "autoscaling.keda.sh/paused-replicas-"));
    }
    return std::nullopt;
}

next_handover next_to_gputide(const handover_change& change, const handover_view& seen) {
    enum : std::size_t { pause, keda_paused, hpa_gone, own };
    const bool is_begun = !seen.owner.empty() || !seen.under_way.empty();
    if (seen.pauses_keda() && !is_begun) {
        return refuse(
            "the ScaledObject is paused (autoscaling.keda.sh/paused), so no controller scales it",
            "remove the pause first: " + kubectl(change, "autoscaling.keda.sh/paused-") +
                "; or, if the pause is meant only for KEDA: " + kubectl(change, "gputide.io/owner=" + change.owner));
    }
    if (!seen.foreign_hpas.empty()) {
        return refuse(format_text("the HPA {}, which does not belong to KEDA, scales the same {}",
                                  seen.foreign_hpas.front(), seen.target.kind + "/" + seen.target.name),
                      "gputide does not scale a target that an HPA scales: delete the HPA first");
    }
    if (!seen.pauses_keda()) {
        if (!seen.is_kedas && seen.hpas.empty()) {
            return end_with(handover_move::needless,
                            "KEDA does not manage this ScaledObject (it has neither KEDA's finalizer nor KEDA's HPA): "
                            "gputide can scale it without a handover");
        }
        return write_of(pause, seen, {{paused_annotation, "true"}, {handover_annotation, change.owner.c_str()}});
    }
    if (seen.is_kedas && !seen.says_paused) {
        return wait_for(keda_paused, "KEDA has not set the condition Paused=True yet", keda_silent);
    }
    if (!seen.hpas.empty()) {
        return wait_for(hpa_gone, format_text("KEDA's HPA {} still exists", seen.hpas.front()), keda_silent);
    }
    if (seen.owner.empty() || !seen.under_way.empty()) {
        return write_of(own, seen, {{owner_annotation, change.owner.c_str()}, {handover_annotation, nullptr}});
    }
    return end_with(handover_move::done, format_text("{} scales it; KEDA is paused", change.owner));
}

next_handover next_to_keda(const handover_change& change, const handover_view& seen, bool is_settled) {
    enum : std::size_t { disown, settle, unpause, hpa_there };
    const bool is_begun = !seen.owner.empty() || !seen.under_way.empty();
    if (seen.pauses_keda() && !is_begun) {
        return refuse("the ScaledObject is paused, but not by a handover: no gputide owns it",
                      "to let KEDA continue: " + kubectl(change, "autoscaling.keda.sh/paused-"));
    }
    if (!seen.is_kedas) {
        return refuse(
            "KEDA does not manage this ScaledObject (KEDA's finalizer is missing), so KEDA cannot take it over",
            "install KEDA first; gputide can scale the ScaledObject meanwhile");
    }
    if (!seen.owner.empty()) {
        return write_of(disown, seen, {{owner_annotation, nullptr}, {handover_annotation, change.owner.c_str()}});
    }
    if (seen.pauses_keda() && !is_settled) return {handover_move::settle, settle, {}, {}, {}};
    if (is_begun) return write_of(unpause, seen, {{paused_annotation, nullptr}, {handover_annotation, nullptr}});
    if (seen.hpas.empty() || seen.says_paused) {
        return wait_for(
            hpa_there, seen.hpas.empty() ? "KEDA has not created its HPA yet" : "KEDA's condition is still Paused=True",
            keda_silent);
    }
    return end_with(handover_move::done, format_text("KEDA scales it with its HPA {}", seen.hpas.front()));
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

// Any value except false pauses KEDA.
bool handover_view::pauses_keda() const { return paused && parse_go_bool(*paused).value_or(true); }

handover_view read_handover_view(simdjson::dom::object object) {
    constexpr std::string_view annotations = "metadata/annotations";
    handover_view out{read_scaled_object(object, {})};
    out.under_way = formats::text_in(object, annotations, handover_annotation);
    out.paused = formats::text_of(object, annotations, paused_annotation);
    out.paused_replicas = formats::text_of(object, annotations, paused_replicas_annotation);
    for (const status_condition& condition : out.status.conditions) {
        if (condition.type == "Paused") out.says_paused = condition.status == "True";
    }
    return out;
}

void add_hpa(const autoscaler& hpa, handover_view& into) {
    if (hpa.owner == into.facts.key.name) {
        into.hpas.push_back(hpa.facts.key.name);
    } else if (is_same_target(hpa.target, into.target)) {
        into.foreign_hpas.push_back(hpa.facts.key.name);
    }
}

}  // namespace gputide::kubernetes
