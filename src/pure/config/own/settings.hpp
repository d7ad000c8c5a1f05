// The settings of our own, gputide.io/<name>: annotations of the manifest, and for those of a trigger also keys of its
// metadata, which win.  One table says what there is; everything else under that prefix is an error.
#pragma once

#include "base/result.hpp"
#include "config/kinds.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace gputide::config {

inline constexpr std::string_view own_prefix = "gputide.io/";
// No settings, but who scales the object on a cluster, and whose it is while it goes to or from him (docs/kubernetes.md); a manifest
// may bear them.
inline constexpr std::string_view owner_annotation = "gputide.io/owner";
inline constexpr std::string_view handover_annotation = "gputide.io/handover";
inline constexpr std::string_view source_prefix = "gputide.io/source.";  // of a HorizontalPodAutoscaler, see hpa.hpp

struct own_rules {
    extra_rules extra;
    controller_flags controller;
    trigger_rules trigger;
    bool metrics_from_cluster = false;
    bool metrics_from_host = false;
};

struct own_setting {
    std::string_view name;      // without the prefix
    std::string_view syntax;    // what a value looks like, for messages and documentation
    std::string_view fallback;  // the value that holds without it
    std::string_view meaning;
    bool of_trigger = false;                                            // may also stand in a trigger's metadata
    bool (*apply)(std::string_view value, own_rules& rules) = nullptr;  // false: the value does not read as `syntax`
};

std::span<const own_setting> own_settings();

using texts = std::map<std::string, std::string>;
using text_places = std::map<std::string, place>;

// Reads all gputide.io/ annotations but the source ones into `rules`.
void read_own_annotations(const texts& annotations, const text_places& places, const known_kinds& kinds,
                          own_rules& rules, report& findings);

// Takes the gputide.io/ keys out of a trigger's metadata, into its rules; those of its source stay.
void take_own_metadata(trigger& trigger, const known_kinds& kinds, report& findings);

}  // namespace gputide::config
