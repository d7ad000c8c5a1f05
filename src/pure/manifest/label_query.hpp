// A label selector as text, "app=llm,tier in (a,b),!canary" (kubernetes/apimachinery pkg/labels/selector.go @v0.37.2).  Pure.
#pragma once

#include "base/result.hpp"
#include "manifest/scaling.hpp"
#include "text/mapping.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

enum class label_operator : std::int32_t { equal, not_equal, in, not_in, exists, absent, above, below };

struct label_requirement {
    std::string key;
    label_operator op = label_operator::exists;
    std::vector<std::string> values;
};

// Parses a selector as the API server does; "" selects every object.  Fails with class config if the API server rejects it.
result<std::vector<label_requirement>> read_label_query(std::string_view text);

// The variable of KEDA's operator since 2.21 that limits the objects it scales.
inline constexpr const char* watch_selector_variable = "WATCH_LABEL_SELECTOR";

// Parses that variable (kedacore/keda cmd/operator/main.go @v2.21.0; apimachinery pkg/apis/meta/v1/helpers.go
// ParseToLabelSelector).  Fails if KEDA's operator would not start: it does not support `!=`, `>` and `<`.
result<std::vector<label_requirement>> read_watch_selector(std::string_view text);

// Tells whether the selector matches these labels.  Only for selectors of read_watch_selector().
bool has_labels(const std::vector<label_requirement>& selector, const std::map<std::string, std::string>& labels);

using namespace text;

// Reads {matchLabels, matchExpressions}.
label_selector read_label_selector(const cursor& block, report& findings);

// Appends the selector of all metrics that KEDA serves for a ScaledObject, in one form of a label_selector.
void append_keda_selector(std::string& out, std::string_view scaled_object, std::string label_selector::*form);

}  // namespace gputide::manifest
