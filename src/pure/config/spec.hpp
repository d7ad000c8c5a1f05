// The validated meaning of a manifest, in the two parts that go separate ways: what scales into decide/, what feeds into source/.
// Comes out of load() in config/load.hpp.  Plain values, no documents.
#pragma once

#include "config/scaling.hpp"
#include "config/trigger.hpp"

#include <vector>

namespace gputide::config {

struct spec {
    config::scaling scaling;
    std::vector<trigger> triggers;      // of a ScaledObject
    std::vector<hpa_metric> metrics;    // of a HorizontalPodAutoscaler
    bool metrics_from_cluster = false;  // gputide.io/metrics-from: kubernetes
    std::vector<secret_text> values;    // of the environment, put in for ${NAME}: no message shows them
    bool metrics_from_host = false;     // gputide.io/metrics-from: host, where the manifest says so itself
};

}  // namespace gputide::config
