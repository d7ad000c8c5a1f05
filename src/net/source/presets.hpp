// The usual metrics for GPU serving, by name: a PromQL query for prometheus triggers, a metric of a page for dcgm ones, with the
// names that a metric had before, and when it is a poor signal.  A preset fills what a manifest leaves out, never more.
#pragma once

#include "base/result.hpp"
#include "manifest/parameters.hpp"
#include "manifest/spec.hpp"
#include "source/target.hpp"
#include "text/report.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gputide::source {

struct preset {
    std::string_view name;
    std::string_view query;       // "{}" stands where label matchers go, ",{}" behind matchers of its own
    text::words<3> metrics;       // on a page: today's name, then earlier ones; empty: a query alone can ask for it
    text::words<3> denominators;  // the same
    bool rate = false;            // a counter
    std::string_view reduce;      // of a page's series
    std::string_view unit;
    std::string_view poor;  // "a poor signal ..."
};

std::span<const preset> presets();

inline constexpr auto preset_keys = text::fields({
    {.names = {"gputide.io/preset"},
     .otherwise = "none",
     .range = "see [presets](presets.md)",
     .meaning = "fills the query or metric where none is written"},
});

// The trigger's preset; null where it names none, or one that does not exist (an error of the key then, with the nearest).
const preset* read_preset(manifest::parameters& parameters);

// `sum(vllm:num_requests_waiting{namespace="ml"})` for matchers `namespace="ml"`; without matchers, without braces.
std::string query_of(const preset& preset, std::string_view matchers);

// A note that says what the preset asks and when that misleads.
void note_preset(const manifest::trigger& trigger, const manifest::parameters& read, const preset& used,
                 std::string_view asked, text::report* findings);

}  // namespace gputide::source
