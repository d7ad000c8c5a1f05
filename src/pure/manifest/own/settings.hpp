// gputide's own settings, gputide.io/<name>: annotations of the manifest.  Settings of a trigger may also be keys of its
// metadata, which have precedence.  Two tables list them; any other key with that prefix is an error.
#pragma once

#include "base/result.hpp"
#include "manifest/spec.hpp"
#include "text/report.hpp"
#include "text/setting.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace gputide::manifest {

using namespace text;

inline constexpr std::string_view own_prefix = "gputide.io/";
// Not settings, but allowed in a manifest: the controller that scales the object in a cluster, and the state of a handover
// (docs/kubernetes.md).
inline constexpr std::string_view owner_annotation = "gputide.io/owner";
inline constexpr std::string_view handover_annotation = "gputide.io/handover";
inline constexpr std::string_view source_prefix = "gputide.io/source.";  // of an HPA, see scalers.hpp

// These texts repeat versions.hpp, because a rule is a constant and cannot compute its text; a test compares them.
inline constexpr value_rule a_kubernetes_version = a_text("a Kubernetes version from 1.18 to 1.38");
inline constexpr value_rule a_keda_version = a_text("a KEDA version from 2.20 to 2.21");

struct own_rules {
    extra_rules extra;
    controller_flags controller;
    trigger_rules trigger;
    bool metrics_from_cluster = false;
    bool metrics_from_host = false;
};

// Named without the prefix.
using own_setting = setting<own_rules>;
using own_trigger_setting = setting<trigger_rules>;
std::span<const own_setting> own_settings();                  // of a manifest
std::span<const own_trigger_setting> own_trigger_settings();  // of a manifest, and of a trigger's metadata

using texts = std::map<std::string, std::string>;
using text_places = std::map<std::string, place>;

// Reads all gputide.io/ annotations except the sources into `rules`.
void read_own_annotations(const texts& annotations, const text_places& places, const known_kinds& kinds,
                          own_rules& rules, report& findings);

// Moves the gputide.io/ keys from a trigger's metadata into its rules, except those of its source.
void take_own_metadata(trigger& trigger, const known_kinds& kinds, report& findings);

}  // namespace gputide::manifest
