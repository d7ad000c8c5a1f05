// Finds what a server rejects in a PromQL expression: brackets and strings that are not closed (every server), and labels in
// Kubernetes' spelling (Prometheus; VictoriaMetrics accepts a '.' in a name: VictoriaMetrics/metricsql lexer.go isIdentChar @01c77e4).
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace gputide::formats::promql {

// Returns the error for a message; "" if there is none.  Brackets in strings and in comments do not count.
// `sum(rate(x[5m])` → "( at character 4 is not closed"; `a]` → "] at character 2 closes nothing".
std::string unbalanced_part(std::string_view query);

// Returns a label that is not a name in PromQL and has no quotes: `x{app.kubernetes.io/name="a"}` → "app.kubernetes.io/name".
// "": there is none.
std::string unquoted_label_of(std::string_view query);

}  // namespace gputide::formats::promql
