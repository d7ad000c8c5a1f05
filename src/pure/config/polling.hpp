// Whether KEDA's poll has something of its own to do: where it has not, pollingInterval and cooldownPeriod decide nothing, and from
// KEDA 2.21 on the poll takes what the HPA's pass read.  Pure.
#pragma once

#include "config/scaling.hpp"

namespace gputide::config {

// has_cached: a trigger has useCachedMetrics.
// Source: kedacore/keda apis/keda/v1alpha1/scaledobject_types.go IsPollingIntervalRelevant, IsCooldownPeriodRelevant @v2.21.0.
bool polling_interval_is_relevant(const scaling& scaling, bool has_cached);
bool cooldown_is_relevant(const scaling& scaling);

// The same file, UsesHPAObservations; false before 2.21, and where each call is a pass (sync period 0): then no poll comes between two.
bool takes_hpa_reads(const scaling& scaling, bool has_cached);

}  // namespace gputide::config
