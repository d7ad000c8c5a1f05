// Parses manifests into validated specs.  Reads no file, environment or clock itself: the host provides them through
// `surroundings`.
#pragma once

#include "base/result.hpp"
#include "manifest/names.hpp"
#include "manifest/own/settings.hpp"
#include "manifest/spec.hpp"
#include "text/environment.hpp"
#include "text/report.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

using namespace text;

struct text_file {
    std::string name;  // for messages: "so.yaml", "<text>"
    std::string_view content;
    bool is_literal = false;  // ${NAME} is not replaced: for Secrets and ConfigMaps read from the cluster
};

// Permissions and functions of the host.  An empty function: not allowed.
struct surroundings {
    // Looks up ${NAME}, env: of a TriggerAuthentication, and <key>FromEnv.
    environment_lookup environment;
    // Returns the value of a Secret or ConfigMap that is not in the documents. cluster_secrets_namespace is passed as the
    // namespace of a ClusterTriggerAuthentication's store.
    std::function<result<secret_text>(const object_identity& store, const std::string& key)> secret;
    // Namespace of a ClusterTriggerAuthentication's Secrets and ConfigMaps; "": unknown, any namespace matches (files do not
    // contain it).
    std::string cluster_secrets_namespace;
    known_kinds kinds;           // the known trigger types and identity providers; any other is an error
    bool strict = false;         // the host requires the strict profile, whatever the manifest says
    original_versions versions;  // for a manifest without versions
    // Only decisions are made, no source is read: a missing credential is a warning, and its value is empty.
    bool targets_only = false;
};

struct loaded {
    std::vector<gputide::manifest::spec> specs;   // one per ScaledObject or HorizontalPodAutoscaler, in document order
    std::vector<written_scaled_job> jobs;         // one per ScaledJob, in document order
    text::report report;                          // with an error in it, specs and jobs are empty
    std::vector<text_places> annotations;         // one per spec: places of its annotations
    std::vector<gputide::manifest::spec> drafts;  // specs that were read despite errors, only to find further errors
};

// Loads the documents of all files together: a TriggerAuthentication may be in another file than its ScaledObject.
// Limits: limits::manifest_bytes each, depth, nodes.
loaded load(const std::vector<text_file>& files, const surroundings& host);

// Parses a single trigger, written as an entry of triggers[]: a mapping with `type` and no `kind`.  Its TriggerAuthentication
// may be in the same or another file.
result<trigger> load_trigger(const std::vector<text_file>& files, const surroundings& host, report* findings);

// Parses a single identity: a TriggerAuthentication document, or its podIdentity block (a mapping with `provider`).
result<authentication> load_identity(const std::vector<text_file>& files, const surroundings& host, report* findings);

}  // namespace gputide::manifest
