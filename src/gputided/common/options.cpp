#include "common/options.hpp"

#include "common/log.hpp"
#include "common/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace gputided {

namespace {

const char* const trust_group = "What this host allows";
const char* const cluster_group = "A Kubernetes cluster";

// The first two are used in the AKS guide's heredoc; KUBECONFIG locates the cluster.
constexpr char usual_variables[] = "USER_ASSIGNED_CLIENT_ID,PROMETHEUS_QUERY_ENDPOINT,KUBECONFIG";

// Returns "" if the file looks like PEM; the library validates the content.
std::string why_no_roots(const std::string& path) {
    try {
        if (read_text(path).find("-----BEGIN ") != std::string::npos) return "";
        return path + " contains no PEM certificate (-----BEGIN CERTIFICATE-----)";
    } catch (const usage_error& failed) {
        return failed.what();
    }
}

}  // namespace

declared_option& declared_option::one_of(const std::vector<std::string>& values) {
    option_.type_name(joined(values, "|"));
    return checked([values](const std::string& text) {
        const bool fits = std::ranges::find(values, text) != values.end();
        return fits ? std::string() : "expected " + joined(values, " or ") + ", got " + text;
    });
}

declared_option& declared_option::range(double from, double to) {
    return checked([from, to](const std::string& text) {
        const std::optional<double> number = number_in(text);
        if (number && *number >= from && *number <= to) return std::string();
        const std::string range = figure(from) + (to >= max_int32 ? " or more" : " to " + figure(to));
        return "expected a number, " + range + ", got " + text;
    });
}

declared_option option_list::placed(const std::string& declared, CLI::Option& option) const {
    if (const std::size_t blank = declared.find(' '); blank != std::string::npos)
        option.type_name(declared.substr(blank + 1));
    if (*group_ != '\0') option.group(group_);
    if (*needed_ != '\0') option.needs(app_.get_option(needed_));
    return {app_, option};
}

void add_manifest_options(CLI::App& app, shared_options& options, bool required) {
    option_list add(app);
    add("-f,--file,files FILE", options.files,
        "manifest file, folder of manifests, or - for standard input; -f may be left out; repeatable")
        .required(required);
    add("--scaler NAME", options.scaler, "only this scaler: name or namespace/name");
    add("--profile", options.profile, "strict: reproduces the defects of KEDA and the HPA too")
        .one_of({"default", "strict"});
}

void add_output_option(CLI::App& app, shared_options& options, const std::vector<std::string>& forms) {
    option_list add(app);
    add("-o,--output", options.output, "format of the output on stdout").one_of(forms);
}

void add_lookup_options(CLI::App& app, shared_options& options) {
    option_list add(app, trust_group);
    add("--allow-env NAME", options.environment,
        "a variable that a manifest may read (${NAME}, env:, ...FromEnv), or a prefix such as "
        "'APP_*'; repeatable; always: " +
            std::string(usual_variables));
    add("--secrets-dir DIR", options.secrets_dir, "DIR/<name>/<key> for secretTargetRef and configMapTargetRef");
}

void add_trust_options(CLI::App& app, shared_options& options) {
    add_lookup_options(app, options);
    option_list add(app, trust_group);
    add("--ca-file FILE", options.ca_file, "PEM file of CA certificates, instead of SSL_CERT_FILE and the system's")
        .checked(why_no_roots);
    add("--allow-token-host HOST", options.token_hosts, "another host that may get a cloud token; repeatable");
    add("--allow-program PROGRAM", options.programs,
        "a program that a manifest may run for a token, such as az; spelled as in the manifest; repeatable");
    add("--allow-kubeconfig-program PROGRAM", options.kubeconfig_programs,
        "an exec plugin that the kubeconfig may run, such as kubelogin; manifests may not run it; repeatable");
    add("--kubeconfig FILE", options.kubeconfig,
        "the Kubernetes cluster to read from; default: KUBECONFIG, the pod's service account, ~/.kube/config");
    add("--context NAME", options.context, "a context of the kubeconfig; default: its current-context");
    add("--service-account-dir DIR", options.service_account_dir,
        "folder with a pod's token, ca.crt and namespace; default: its mount path in pods");
    add("--allow-plain-http", options.plain_http, "credentials over http to hosts other than loopback");
    add("--allow-unverified-peers", options.unverified_peers,
        "cloud tokens to a server that a manifest says not to verify (unsafeSsl)");
    add("--allow-custom-authority", options.custom_authority, "a login endpoint outside the known Azure clouds");
    add("--enable-azure-proxy", options.azure_proxy, "AKS identity bindings (AZURE_KUBERNETES_TOKEN_PROXY)");
}

void add_timeout(option_list& add, std::int32_t& value, const char* help) {
    add("--timeout-ms MS", value, help).range(1);
}

void add_credential(option_list& add, std::string& value) {
    add("--credential", value,
        "a provider such as azure-workload, a podIdentity block or a TriggerAuthentication, or @FILE with one");
}

void add_log_level(CLI::App& app) {
    static std::string level = "info";  // of the subcommand that is chosen
    const std::vector<std::string> names(std::begin(log_level_names), std::end(log_level_names));
    option_list add(app);
    add("--log-level", level, "the least severe lines of the log on stderr").one_of(names);
    app.get_option("--log-level")->each([names](const std::string& name) {
        const auto found = std::ranges::find(names, name);
        if (found != names.end()) set_log_level(static_cast<log_level>(found - names.begin()));
    });
}

void check_files_or_cluster(const shared_options& options, bool kubernetes) {
    if (options.files.empty() == kubernetes) return;
    throw CLI::ValidationError("give either --file or --kubernetes");
}

gputide::options library_options(const shared_options& options, const std::vector<manifest_file>& files) {
    gputide::options out;
    std::string variables = usual_variables;
    for (const std::string& name : options.environment) variables += "," + name;
    out.allowed_environment(variables).proxy("environment").ca_file(options.ca_file).secrets_dir(options.secrets_dir);
    std::vector<std::string> programs = options.programs;
    for (const std::string& program : options.kubeconfig_programs) programs.push_back("kubeconfig:" + program);
    out.allowed_token_hosts(joined(options.token_hosts, ",")).allowed_programs(joined(programs, ","));
    out.scaler(options.scaler);
    out.kubeconfig(options.kubeconfig, options.context).service_account_dir(options.service_account_dir);
    if (options.profile == "strict") out.allow(GPUTIDE_STRICT);
    if (options.plain_http) out.allow(GPUTIDE_ALLOW_PLAIN_HTTP);
    if (options.unverified_peers) out.allow(GPUTIDE_ALLOW_UNVERIFIED_PEERS);
    if (options.custom_authority) out.allow(GPUTIDE_ALLOW_CUSTOM_AUTHORITY);
    if (options.azure_proxy) out.allow(GPUTIDE_ENABLE_AZURE_PROXY);
    out.text_name(files.front().name);
    for (std::size_t i = 1; i < files.size(); ++i) out.file(files[i].name, files[i].text);
    return out;
}

option_list add_cluster_options(CLI::App& app, cluster_options& options, const char* help) {
    option_list(app, cluster_group)("--kubernetes", options.kubernetes, help);
    option_list add(app, cluster_group, "--kubernetes");
    add("--shadow", options.shadow, "write nothing, and report where KEDA and the HPA decide differently");
    add("-n,--namespace NAME", options.namespaces, "only this namespace; repeatable; default: all");
    add("--lease NAME", options.lease, "Lease of the leader election: NAME or NAMESPACE/NAME");
    add("--shards N", options.shards, "number of Leases among which the ScaledObjects are divided").range(1, 256);
    add("--hpa-version 1.N", options.hpa_version,
        "Kubernetes release of the HPA rules, for manifests that name none, such as 1.36; default: the cluster's");
    add("--keda-version 2.N", options.keda_version,
        "KEDA release of the rules, for manifests that name none, such as 2.20; default: the cluster's");
    add("--service-account-token-mode", options.token_mode,
        "as KEDA's: legacy requests tokens for boundServiceAccountToken without an audience, and so for the "
        "Kubernetes API; default: only those in KEDA_SERVICE_ACCOUNT_TOKEN_AUDIENCES")
        .one_of({"enforce-audience", "legacy"});
    return add;
}

ordered_json cluster_settings(const cluster_options& options) {
    const bool has_namespace = options.lease.find('/') != std::string::npos;
    const scaler_name name = split_name(options.lease);
    ordered_json lease{{"name", name.name}};
    if (has_namespace) lease["namespace"] = name.space;
    ordered_json out{{"shadow", options.shadow}, {"shards", options.shards}, {"lease", lease}};
    if (!options.namespaces.empty()) out["namespaces"] = options.namespaces;
    if (!options.hpa_version.empty()) out["hpa_version"] = options.hpa_version;
    if (!options.keda_version.empty()) out["keda_version"] = options.keda_version;
    if (!options.token_mode.empty()) out["service_account_token_mode"] = options.token_mode;
    if (const char* const list = std::getenv("KEDA_SERVICE_ACCOUNT_TOKEN_AUDIENCES"))
        out["service_account_token_audiences"] = list;
    return out;
}

namespace {

bool is_manifest(const std::filesystem::path& path) {
    const std::string ending = path.extension().string();
    return ending == ".yaml" || ending == ".yml" || ending == ".json";
}

// Tells whether an entry is read.  A dangling link causes an error when it is read; a hidden one is skipped, because some editors
// use it as a lock.
bool is_wanted(const std::filesystem::directory_entry& entry) {
    std::error_code failed;
    if (entry.is_regular_file(failed)) return true;
    return entry.is_symlink(failed) && !entry.exists(failed) && entry.path().filename().string().front() != '.';
}

// Returns a member's text; "" if the member is not a text.
std::string member_text(const ordered_json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

bool is_scaler(const ordered_json& document) {
    const std::string kind = member_text(document, "kind");
    return kind == "ScaledObject" || kind == "HorizontalPodAutoscaler";
}

std::string object_name(const ordered_json& document) {
    const auto metadata = document.find("metadata");
    const ordered_json named = metadata != document.end() && metadata->is_object() ? *metadata : ordered_json::object();
    const std::string space = member_text(named, "namespace");
    const std::string name = (space.empty() ? "default" : space) + "/" + member_text(named, "name");
    return is_scaler(document) ? name : member_text(document, "kind") + " " + name;
}

manifest_file text_or_file(const char* flag, const std::string& given) {
    if (given.rfind('@', 0) != 0) return {flag, given};
    return {given.substr(1), read_text(given.substr(1))};
}

std::vector<std::string> manifest_paths(const std::string& path) {
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed)) return {path};
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path, failed)) {
        if (is_manifest(entry.path()) && is_wanted(entry)) out.push_back(entry.path().string());
    }
    if (failed) throw usage_error(path + ": cannot read this folder: " + failed.message(), path);
    std::sort(out.begin(), out.end());
    return out;
}

std::string manifests_read::reasons() const {
    std::string out;
    for (const auto& [path, reason] : unreadable) out += (out.empty() ? "" : "\n") + reason;
    return out;
}

manifests_read read_those_readable(const shared_options& options, const file_reader& reader, empty_folders empty) {
    manifests_read out;
    const auto attempt = [&](const std::string& path, const auto& read) {
        try {
            read();
        } catch (const usage_error& failed) {
            out.unreadable[path] = failed.what();
        }
    };
    for (const std::string& given : options.files) {
        std::vector<std::string> paths;
        attempt(given, [&] {
            paths = manifest_paths(given);
            if (paths.empty() && empty == empty_folders::refused)
                throw usage_error(given + ": no *.yaml, *.yml or *.json file in this folder");
        });
        for (const std::string& path : paths) {
            attempt(path, [&] {
                if (!is_utf8(path))
                    throw usage_error(printable(path) + ": the name of this file is not UTF-8; rename it");
                if (const std::optional<std::string> text = reader(path)) out.files.push_back({path, *text});
            });
        }
    }
    return out;
}

std::vector<manifest_file> read_manifests(const shared_options& options, const file_reader& reader) {
    manifests_read found = read_those_readable(options, reader);
    const bool all_named_are_readable =
        std::ranges::none_of(options.files, [&](const auto& path) { return found.unreadable.count(path) > 0; });
    if (!all_named_are_readable || found.files.empty())
        throw usage_error(found.reasons(), found.unreadable.begin()->first);
    for (const auto& [path, reason] : found.unreadable) log_line(reason + "; left out", log_level::warning);
    return std::move(found.files);
}

bool is_chosen(const std::string& choice, const std::string& full_name) {
    return choice.empty() || choice == full_name || choice == split_name(full_name).name;
}

std::vector<std::string> scaler_names(const shared_options& options, const std::vector<manifest_file>& files) {
    const gputide::check_result checked = gputide::check(files.front().text, library_options(options, files));
    if (checked.failed) throw manifest_failure(checked.error, checked.report);
    const json report = json::parse(checked.report);
    std::vector<std::string> all;
    std::vector<std::string> chosen;
    for (const auto& scaler : report.at("scalers")) {
        all.push_back(full_name_in(scaler));
        if (is_chosen(options.scaler, all.back())) chosen.push_back(all.back());
    }
    if (all.empty()) {
        const json& jobs = report.at("jobs");
        throw usage_error((jobs.empty() ? "" : scaled_job_text(jobs.front()) + "; ") +
                          "the manifests contain no ScaledObject and no HorizontalPodAutoscaler; add one with -f");
    }
    if (chosen.empty()) {
        throw usage_error("--scaler " + options.scaler + ": the manifests contain no scaler with this name, only " +
                          joined(all, ", "));
    }
    return chosen;
}

gputide::scaler open_scaler(const std::string& name, const shared_options& options,
                            const std::vector<manifest_file>& files) {
    gputide::options settings = library_options(options, files);
    return gputide::scaler::open(files.front().text, settings.scaler(name));
}

gputide::credential open_credential(const std::string& given, const shared_options& options) {
    // A provider's name without a block.
    const bool is_name = given.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos;
    const std::vector<manifest_file> files{text_or_file("--credential", is_name ? "provider: " + given : given)};
    return gputide::credential::open(files.front().text, library_options(options, files));
}

}  // namespace gputided
