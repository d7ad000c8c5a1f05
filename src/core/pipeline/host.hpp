// State that all handles share while at least one exists: the curl client with its connections, and the token cache.
#pragma once

#include "auth/credential.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "base/result.hpp"
#include "http/client.hpp"
#include "manifest/load.hpp"
#include "manifest/spec.hpp"
#include "source/source.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::pipeline {

struct engine {
    engine() = default;
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    ~engine() {
        if (client != nullptr) client->close();
    }

    std::shared_ptr<http::client> client;
    std::shared_ptr<auth::token_cache> tokens;
};

// Returns the process's engine: created for the first handle, destroyed with the last.  A forked child creates its own.
result<std::shared_ptr<engine>> shared_engine();

// The host program's permissions and its folder of Secrets, for the modules manifest and source.
struct host_options {
    // Environment variables that ${NAME} and env: may read.  A trailing '*' matches any suffix.
    std::vector<std::string> allowed_environment;
    bool strict = false;                 // use the strict profile for every manifest
    auth::host_permissions permissions;  // secrets_dir is also the folder of Secrets and ConfigMaps: DIR/<name>/<key>
    auth::cluster_choice cluster;
    std::string cluster_secrets_namespace;  // as in manifest::surroundings
    std::string scaler;                     // "name" or "namespace/name"; "": the only one
    manifest::original_versions versions;   // as in manifest::surroundings
    // Versions of the cluster for comparing decisions in shadow mode; nullopt: no comparison.
    std::optional<manifest::original_versions> compared_versions;
};

// Returns the options restricted to what a tenant with this namespace may use: programs, environment, secrets_dir/<namespace>.
host_options tenant_options(const host_options& host, const std::string& name_space);

// Tells whether the host allows manifests to read that variable.
bool may_read(const host_options& host, std::string_view variable);

// Returns the environment and Secret lookups that manifest/ may use, restricted by the host's permissions.  A Secret's name and
// key must be plain file names.
manifest::surroundings surroundings_of(const host_options& host);

source::services services_of(const host_options& host, const engine& shared);

// Returns the spec that host.scaler names, or the only one.  All errors of the manifest are returned as one error with their
// places.  targets_only: for decisions only, so credentials may be missing (manifest::surroundings::targets_only).
result<manifest::spec> load_spec(const std::vector<manifest::text_file>& files, const host_options& host,
                                 text::report* findings, bool targets_only = false);

// Opens a single metric or identity from text, for gputide_source_open and gputide_credential_open.

struct opened_trigger {
    std::shared_ptr<source::metric_source> source;
    std::string description;  // JSON of source::describe_json()
};
result<opened_trigger> open_trigger(const std::vector<manifest::text_file>& files, const host_options& host,
                                    const engine& shared);

result<std::shared_ptr<auth::credential>> open_credential(const std::vector<manifest::text_file>& files,
                                                          const host_options& host);

}  // namespace gputide::pipeline
