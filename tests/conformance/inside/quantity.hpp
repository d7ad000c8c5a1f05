// Checks that several formats share: the text of a Kubernetes quantity and what it counts as.
#pragma once

#include "frame/check.hpp"

namespace conformance {

// Kind quantity_milli of hpa-replicas: {"quantity": "1.5Gi", "expect": {"milli": 1610612736000}}.
differences check_quantity_milli(const json& one, const json& file);

}  // namespace conformance
