// The metadata of a kubernetes trigger as typed settings.  No I/O.
// In: one trigger; out: settings, or all errors together; warnings go to the report.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "kube/endpoint.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <string>

namespace gputide::source::kubernetes {

enum class api : std::int32_t { custom = 0, external = 1, resource = 2 };

struct settings {
    kubernetes::api api = api::custom;
    std::string version;     // custom: v1beta1 or v1beta2; "": the newest that the server has
    std::string metric;      // resource: cpu, memory, ...
    std::string name_space;  // "": the manifest stands alone, and the caller's own is taken
    kube::object_reference object{"pods", "*", false};
    std::string selector;         // labels of the objects; external: of the series
    std::string metric_selector;  // custom: labels of the metric
    std::string container;        // resource: this one alone

    source::target target;
    source::reduction reduction;
    bool is_usual_reducer = true;  // nobody named another one
    std::int64_t max_age_ms = 0;
};

result<settings> read_settings(const config::trigger& trigger, const config::trigger_rules& rules,
                               config::report* findings);

}  // namespace gputide::source::kubernetes
