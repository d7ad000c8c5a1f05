// The state that handles share as long as one of them lives: the curl client with its connections, and the token cache.
#pragma once

#include "auth/credential.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "auth/token/cache.hpp"
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

// Returns the process's engine: created for the first handle, destroyed with the last.  A forked child gets its own.
result<std::shared_ptr<engine>> shared_engine();

// The host program's permissions and the place of its secrets, for the modules manifest and source.
struct host_options {
    // Names that ${NAME} and env: may read; one that ends in '*' stands for all that begin so.
    std::vector<std::string> allowed_environment;
    bool strict = false;                 // the strict profile for every manifest
    auth::host_permissions permissions;  // secrets_dir also for DIR/<name>/<key>
    auth::cluster_choice cluster;
    std::string cluster_secrets_namespace;  // as in manifest::surroundings
    std::string scaler;                     // "name" or "namespace/name"; "": the only one
    manifest::original_versions versions;   // as in manifest::surroundings
    // Versions of the cluster that decisions are compared with in shadow mode; nothing: no comparison.
    std::optional<manifest::original_versions> compared_versions;
};

// Returns the same for the manifests of the tenant with this namespace.
host_options tenant_options(const host_options& host, const std::string& name_space);

// Tells whether the host lets a manifest read that variable.
bool may_read(const host_options& host, std::string_view variable);

// Returns environment and secrets folder as the module manifest may use them.  A secret's name and key must be plain file names.
manifest::surroundings surroundings_of(const host_options& host);

source::services services_of(const host_options& host, const engine& shared);

// Returns the spec that host.scaler names, or the only one.  Errors of the manifest come as one error with their places.
result<manifest::spec> load_spec(const std::vector<manifest::text_file>& files, const host_options& host,
                                 text::report* findings);

// Returns the same for decisions alone: credentials may be missing (manifest::surroundings::targets_only).
result<manifest::spec> load_targets(const std::vector<manifest::text_file>& files, const host_options& host);

// A metric or an identity alone, from text: what gputide_source_open and gputide_credential_open take.

struct opened_trigger {
    std::shared_ptr<source::metric_source> source;
    std::string description;  // source::describe_json
};
result<opened_trigger> open_trigger(const std::vector<manifest::text_file>& files, const host_options& host,
                                    const engine& shared);

result<std::shared_ptr<auth::credential>> open_credential(const std::vector<manifest::text_file>& files,
                                                          const host_options& host);

}  // namespace gputide::pipeline
