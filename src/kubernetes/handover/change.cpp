#include "kubernetes/handover/change.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "config/document.hpp"
#include "config/mapping.hpp"
#include "config/object_name.hpp"
#include "kubernetes/lease/lease_plan.hpp"

#include <optional>
#include <vector>

namespace gputide::kubernetes {
namespace {

void take_side(config::mapping& from, handover_side& into) {
    const std::string word = from.required_text("to");
    if (word == handover_side_name(handover_side::keda)) into = handover_side::keda;
    if (word.empty() || word == handover_side_name(into)) return;
    from.error("to", "invalid-value", format_text("to: expected gputide or keda, got {}", in_quotes(word)),
               "name who is to scale it from then on");
}

void take_lease(config::mapping& from, handover_change& into) {
    const auto lease_s = from.integer("lease_s", least_lease_s);
    if (!lease_s) return;
    if (*lease_s > most_lease_s) {
        from.error("lease_s", "too-large", format_text("lease_s: {} is more than {}", *lease_s, most_lease_s),
                   "give the lease's duration of the gputide that acts");
    }
    lease_settings lease;
    lease.duration_ms = std::int64_t{*lease_s} * 1'000;
    into.write_ms = lease.write_ms();
}

handover_change take_all(const config::cursor& cursor, config::report& findings) {
    config::mapping mapping(cursor, findings);
    handover_change out;
    out.object = {mapping.required_text("namespace"), mapping.required_text("name")};
    if (!out.object.name_space.empty()) config::check_dns_label(mapping, "namespace", out.object.name_space);
    if (!out.object.name.empty()) config::check_dns_subdomain(mapping, "name", out.object.name);
    take_side(mapping, out.to);
    if (mapping.has("owner")) out.owner = mapping.required_text("owner");
    take_lease(mapping, out);
    out.dry = mapping.flag("dry").value_or(true);
    mapping.finish(config::severity::error);
    return out;
}

}  // namespace

const char* handover_side_name(handover_side handover_side) noexcept {
    return handover_side == handover_side::gputide ? "gputide" : "keda";
}

result<handover_change> read_handover_change(std::string_view text) {
    config::report findings;
    const std::vector<config::document> documents = config::read_documents("<handover>", text, findings);
    if (error why = findings.as_error(); why.status != status::ok) return why;
    if (documents.size() != 1) return fail(status::invalid, "a hand-over is one document that names its ScaledObject");
    handover_change out = take_all({&documents[0].root, &documents[0].file, {}}, findings);
    if (error why = findings.as_error(); why.status != status::ok) return why;
    return out;
}

}  // namespace gputide::kubernetes
