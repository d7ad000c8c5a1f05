// Findings about a valid manifest: a forecast without effect, missing requests, metrics without a source.
#pragma once

#include "manifest/kinds.hpp"
#include "manifest/manifest.hpp"
#include "manifest/scaling.hpp"
#include "manifest/spec.hpp"
#include "text/environment.hpp"
#include "text/report.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace gputide::manifest {

using namespace text;

void warn_of_forecast(const object_metadata& metadata, const spec& spec, const known_kinds& kinds, report& findings);

// Checks that the pods have the request or limit that a cpu or memory trigger needs.  Takes a ScaledObject, and the
// Deployment, StatefulSet and LimitRanges next to it; adds a finding if KEDA's webhook would reject it.

// Without the workload's document it finds nothing.
// Source: kedacore/keda apis/keda/v1alpha1/scaledobject_webhook.go verifyCPUMemoryScalers @v2.21.0.
void check_requests(const spec& spec, const collection& documents, report& findings);

// Warns of a ScaledObject or ScaledJob that KEDA does not scale because of its operator's WATCH_LABEL_SELECTOR, if the host
// provides that variable.
void warn_of_watch_selector(const collection& documents, const environment_lookup& environment, report& findings);

// Metrics without a source: the texts of check and doctor.

// Returns "Pods", as a manifest spells it.
constexpr std::string_view metric_kind_word(metric_kind kind) noexcept {
    constexpr std::array<std::string_view, 5> words{"External", "Object", "Pods", "Resource", "ContainerResource"};
    const auto index = static_cast<std::size_t>(kind);
    return index < words.size() ? words[index] : std::string_view("unknown");
}

// Return the message and the remedy for a metric without a source.
std::string unfed_text(metric_kind kind, const std::string& name);
std::string unfed_remedy(metric_kind kind, const std::string& name);

}  // namespace gputide::manifest
