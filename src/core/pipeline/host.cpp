#include "pipeline/host.hpp"

#include "auth/machine/surroundings.hpp"
#include "auth/open.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace gputide::pipeline {
namespace {

result<std::shared_ptr<engine>> make_engine() {
    result<std::shared_ptr<http::client>> client = http::client::open();
    if (!client) return client.take_failure();
    auto out = std::make_shared<engine>();
    out->client = *client;
    out->tokens = std::make_shared<auth::token_cache>(out->client);
    return out;
}

constinit process_wide<engine> engines;

}  // namespace

result<std::shared_ptr<engine>> shared_engine() { return engines.get(&make_engine); }

namespace {

bool plain_name(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
           name.find('\0') == std::string::npos;
}

result<secret_text> read_secret(const auth::host_permissions& permissions, const manifest::object_identity& store,
                                const std::string& key) {
    const std::string& name = store.name;
    if (!plain_name(name) || !plain_name(key)) {
        return fail(status::invalid,
                    "secret {} key {}: a name in the secrets folder must be a plain file name, without '/'",
                    in_quotes(name), in_quotes(key));
    }
    const std::string& folder = permissions.secrets_dir;
    const std::string path = format_text("{}/{}/{}", folder, name, key);
    if (!permissions.tenant.is_limited())
        return auth::process_surroundings()->read_file(path, limits::secret_file_bytes);
    if (store.name_space != permissions.tenant.name_space()) {
        return fail(status::invalid,
                    "the {} is not in the manifest files, and the secrets folder serves only the manifest's own "
                    "namespace; add it as a document",
                    store.text());
    }
    return auth::process_surroundings()->read_file_inside(folder, path, limits::secret_file_bytes);
}

result<manifest::spec> choose(std::vector<manifest::spec> specs, const std::string& wanted) {
    std::string names;
    for (manifest::spec& spec : specs) {
        const std::string full = spec.scaling.name_space + "/" + spec.scaling.name;
        if (wanted == spec.scaling.name || wanted == full || (wanted.empty() && specs.size() == 1))
            return std::move(spec);
        append_item(names, full);
    }
    if (!wanted.empty())
        return fail(status::invalid, "no scaler has the name {}; the manifest contains {}", in_quotes(wanted), names);
    if (specs.empty()) {
        return fail(status::invalid,
                    "the manifest contains only a ScaledJob, which creates Jobs and has no replica count; call "
                    "gputide_scaled_job_decide");
    }
    return fail(status::ambiguous, "the manifest contains {} scalers ({}); select one by name", specs.size(), names);
}

}  // namespace

host_options tenant_options(const host_options& host, const std::string& name_space) {
    host_options out = host;
    auth::host_permissions& permissions = out.permissions;
    permissions.tenant = permissions.tenant.in(name_space);
    if (!permissions.tenant.may(auth::capability::programs)) permissions.allowed_programs.clear();
    const bool reads_files = permissions.tenant.may(auth::capability::secrets_dir) && !permissions.secrets_dir.empty();
    permissions.secrets_dir = reads_files ? permissions.secrets_dir + "/" + name_space : std::string();
    return out;
}

bool may_read(const host_options& host, std::string_view variable) {
    const auto covers = [variable](std::string_view allowed) {
        if (!allowed.ends_with('*')) return allowed == variable;
        allowed.remove_suffix(1);
        return variable.starts_with(allowed);
    };
    return std::ranges::any_of(host.allowed_environment, covers);
}

manifest::surroundings surroundings_of(const host_options& host) {
    manifest::surroundings out;
    out.kinds = {source::trigger_kinds(), auth::identity_kinds()};
    out.strict = host.strict;
    out.versions = host.versions;
    out.cluster_secrets_namespace = host.cluster_secrets_namespace;
    if (!host.allowed_environment.empty()) {
        out.environment = [host](const std::string& name) -> text::variable {
            if (!may_read(host, name)) return text::variable::kept_back();
            const auto given =
                host.permissions.tenant.check(auth::capability::environment, "the environment variable " + name);
            if (!given) return text::variable::kept_back(given.failure().message);
            return auth::process_surroundings()->environment(name);
        };
    }
    if (!host.permissions.secrets_dir.empty()) {
        out.secret = [permissions = host.permissions](const manifest::object_identity& store, const std::string& key) {
            return read_secret(permissions, store, key);
        };
    }
    return out;
}

source::services services_of(const host_options& host, const engine& shared) {
    source::services out;
    out.loop = shared.client;
    out.tokens = shared.tokens;
    out.host = auth::process_surroundings();
    out.permissions = host.permissions;
    out.cluster = host.cluster;
    return out;
}

result<manifest::spec> load_spec(const std::vector<manifest::text_file>& files, const host_options& host,
                                 text::report* findings, bool targets_only) {
    manifest::surroundings surroundings = surroundings_of(host);
    surroundings.targets_only = targets_only;
    manifest::loaded loaded = manifest::load(files, surroundings);
    const bool failed = loaded.report.count(text::severity::error) > 0;
    error why = loaded.report.as_error();
    if (findings != nullptr) *findings = std::move(loaded.report);
    if (failed) return why;
    return choose(std::move(loaded.specs), host.scaler);
}

result<opened_trigger> open_trigger(const std::vector<manifest::text_file>& files, const host_options& host,
                                    const engine& shared) {
    text::report findings;
    auto loaded = manifest::load_trigger(files, surroundings_of(host), &findings);
    if (!loaded) return loaded.take_failure();
    const manifest::profile profile = host.strict ? manifest::profile::strict : manifest::profile::standard;
    auto described = source::describe(*loaded, loaded->rules, profile, &findings);
    if (!described) {
        error why = described.take_failure();
        why.message = text::without_values(why.message, findings.values);
        return why;
    }
    auto opened = source::open(*described, services_of(host, shared));
    if (!opened) return opened.take_failure();
    return opened_trigger{*std::move(opened), source::describe_json(*described, findings)};
}

result<std::shared_ptr<auth::credential>> open_credential(const std::vector<manifest::text_file>& files,
                                                          const host_options& host) {
    result<manifest::authentication> identity = manifest::load_identity(files, surroundings_of(host), nullptr);
    if (!identity) return identity.take_failure();
    return auth::open_identity(*identity, host.permissions, auth::process_surroundings());
}

}  // namespace gputide::pipeline
