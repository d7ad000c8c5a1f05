// Manifest text in, validated spec out.  Reads no file, no environment and no clock itself: the host's answers come
// through `surroundings`.
#pragma once

#include "base/result.hpp"
#include "manifest/kinds.hpp"
#include "manifest/object_name.hpp"
#include "manifest/own/settings.hpp"
#include "manifest/scaled_job.hpp"
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
    bool is_literal = false;  // ${NAME} stays as it is: another program stored the text
};

// Permissions and knowledge of the host.  Empty functions: not allowed.
struct surroundings {
    // ${NAME} before parsing, env: of a TriggerAuthentication, <key>FromEnv.
    environment_lookup environment;
    // secretTargetRef / configMapTargetRef beyond the documents, from the host's folder.  The function does the reading.
    // The namespace of a ClusterTriggerAuthentication's store is cluster_secrets_namespace.
    std::function<result<secret_text>(const object_identity& store, const std::string& key)> secret;
    // Namespace of a ClusterTriggerAuthentication's Secrets and ConfigMaps; "": in any namespace, as texts name none.
    std::string cluster_secrets_namespace;
    known_kinds kinds;           // what there is; a word that is in no row is not known
    bool strict = false;         // the host asks for the strict profile, whatever the manifest says
    original_versions versions;  // for a manifest that names none
    // Nothing will be asked, only decided: a credential that is missing is a warning, and its value is empty.
    bool targets_only = false;
};

struct loaded {
    std::vector<gputide::manifest::spec> specs;   // one per ScaledObject or HorizontalPodAutoscaler, in document order
    std::vector<written_scaled_job> jobs;         // one per ScaledJob, likewise
    text::report report;                          // specs and jobs are empty where it holds an error
    std::vector<text_places> annotations;         // of each of specs: where its annotations stand
    std::vector<gputide::manifest::spec> drafts;  // what was read all the same, then: to look for further errors in
};

// Reads every document of every file together, so that a TriggerAuthentication may stand in another file.
// Limits: limits::manifest_bytes each, depth, nodes.
loaded load(const std::vector<text_file>& files, const surroundings& host);

// One trigger alone, as an entry of triggers[] is written: a mapping with `type` and no `kind`.  Beside it, in the same or
// another file, stands the TriggerAuthentication that it names.
result<trigger> load_trigger(const std::vector<text_file>& files, const surroundings& host, report* findings);

// One identity alone: a TriggerAuthentication document, or its podIdentity block (a mapping with `provider`).
result<authentication> load_identity(const std::vector<text_file>& files, const surroundings& host, report* findings);

}  // namespace gputide::manifest
