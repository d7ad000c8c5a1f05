// Presets: the usual metrics for GPU serving by name.  A preset has a PromQL query for prometheus triggers, a page's metric for
// dcgm triggers, earlier names, and a note on when the metric is a poor signal.  A preset only fills keys that the manifest
// omits.
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

struct preset_kind {
    bool rate = false;        // is a counter
    std::string_view reduce;  // of a page's series
    std::string_view unit;
};

struct preset : preset_kind {
    std::string_view name;
    std::string_view query;    // "{}": place of the label matchers; ",{}": place after matchers of the query
    text::words metrics;       // on a page: the current name, then earlier ones; empty: only a query can compute it
    text::words denominators;  // in the same order
    std::string_view poor;     // "a poor signal ..."
};

std::span<const preset> presets();

inline constexpr auto preset_keys = text::fields({
    {.names = {"gputide.io/preset"},
     .otherwise = "none",
     .range = "see [presets](presets.md)",
     .meaning = "sets the query or metric if none is written"},
});

// Returns the trigger's preset, or null if it names none.  An unknown name is an error of the key, which suggests the nearest
// one.
const preset* read_preset(trigger_reader& read);

// Returns `sum(vllm:num_requests_waiting{namespace="ml"})` for the matchers `namespace="ml"`; without matchers, omits the braces.
std::string query_of(const preset& preset, std::string_view matchers);

// Adds a note that tells the query of the preset and when it misleads.
void note_preset(const trigger_reader& read, const preset& used, std::string_view asked);

}  // namespace gputide::source
