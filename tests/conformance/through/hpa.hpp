// What the hpa-* formats share at the door: settings of a case as annotations, one-number metrics, pods of an observation.
#pragma once

#include "frame/check.hpp"

#include <cstdint>
#include <string>

namespace conformance {

// Any fixed moment: the cases count in seconds before it.
inline constexpr std::int64_t hpa_now_ms = 1'800'000'000'000;

std::int64_t ms_ago(const json& age_s);

// gputide.io/ annotations for the controller's settings that the case names; each call is a pass.
json hpa_annotations_of(const json& one);

// none where the case names a setting of the controller that no manifest can: the legacy limit's factor and least step.
reach reach_of_settings(const json& one);

// Thousandths that go through a double in whole units and come back the same.
bool fits_double(std::int64_t milli);

// Of spec.metrics: {"type":"External","external":{"metric":{"name":…},"target":…}}.
json external_metric(const std::string& name, const json& target);

}  // namespace conformance
