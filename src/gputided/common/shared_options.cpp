#include "common/shared_options.hpp"

#include "common/exit_status.hpp"
#include "common/files.hpp"
#include "common/text.hpp"

namespace gputided {
namespace {

const char* const trust = "What this host allows";

// The AKS guide's heredoc names the first two; the third tells where the cluster is.
constexpr char usual_variables[] = "USER_ASSIGNED_CLIENT_ID,PROMETHEUS_QUERY_ENDPOINT,KUBECONFIG";

// "": it looks like PEM.  What is inside is the library's to judge.
std::string why_no_roots(const std::string& path) {
    try {
        if (read_text(path).find("-----BEGIN ") != std::string::npos) return "";
        return path + " holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)";
    } catch (const usage_error& failed) {
        return failed.what();
    }
}

}  // namespace

void add_manifest_flags(CLI::App& app, shared_options& options) {
    app.add_option("-f,--file", options.files,
                   "manifest file, folder of manifests, or - for standard input; repeatable")
        ->required();
    app.add_option("--scaler", options.scaler, "only this one: name or namespace/name");
    app.add_option_function<std::string>(
           "--profile", [&options](const std::string& name) { options.strict = name == "strict"; },
           "default, or strict: bug for bug as KEDA and the HPA")
        ->check(CLI::IsMember({"default", "strict"}));
}

void add_output_flag(CLI::App& app, shared_options& options) {
    app.add_option("--output", options.output, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
}

void add_lookup_flags(CLI::App& app, shared_options& options) {
    app.add_option("--allow-env", options.environment,
                   "a variable that a manifest may read (${NAME}, env:, ...FromEnv), or a prefix such as 'APP_*'; "
                   "repeatable; always: " +
                       std::string(usual_variables))
        ->group(trust);
    app.add_option("--secrets-dir", options.secrets_dir, "DIR/<name>/<key> for secretTargetRef and configMapTargetRef")
        ->group(trust);
}

void add_trust_flags(CLI::App& app, shared_options& options) {
    add_lookup_flags(app, options);
    app.add_option("--ca-file", options.ca_file, "PEM roots instead of SSL_CERT_FILE and the system's")
        ->check(CLI::ExistingFile)
        ->check(CLI::Validator([](const std::string& path) { return why_no_roots(path); }, ""))
        ->group(trust);
    app.add_option("--allow-token-host", options.token_hosts, "a further host that may get a cloud token; repeatable")
        ->group(trust);
    app.add_option("--allow-program", options.programs,
                   "a program that a manifest may run for a token, such as az; as the manifest names it; repeatable")
        ->group(trust);
    app.add_option("--allow-kubeconfig-program", options.kubeconfig_programs,
                   "an exec plugin that the kubeconfig may run, such as kubelogin; no manifest may; repeatable")
        ->group(trust);
    app.add_option(
           "--kubeconfig", options.kubeconfig,
           "the Kubernetes cluster to read from; default: KUBECONFIG, the pod's service account, ~/.kube/config")
        ->group(trust);
    app.add_option("--context", options.context, "one of the kubeconfig's contexts; default: its current-context")
        ->group(trust);
    app.add_option("--service-account-dir", options.service_account_dir,
                   "token, ca.crt and namespace of a pod, where Kubernetes does not mount them as usual")
        ->group(trust);
    app.add_flag("--allow-plain-http", options.plain_http, "credentials over http to other hosts than loopback")
        ->group(trust);
    app.add_flag("--allow-unverified-peers", options.unverified_peers,
                 "cloud tokens to a server that a manifest says not to verify (unsafeSsl)")
        ->group(trust);
    app.add_flag("--allow-custom-authority", options.custom_authority,
                 "a login endpoint outside the known Azure clouds")
        ->group(trust);
    app.add_flag("--enable-azure-proxy", options.azure_proxy, "AKS identity bindings (AZURE_KUBERNETES_TOKEN_PROXY)")
        ->group(trust);
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
    if (options.strict) out.allow(GPUTIDE_STRICT);
    if (options.plain_http) out.allow(GPUTIDE_ALLOW_PLAIN_HTTP);
    if (options.unverified_peers) out.allow(GPUTIDE_ALLOW_UNVERIFIED_PEERS);
    if (options.custom_authority) out.allow(GPUTIDE_ALLOW_CUSTOM_AUTHORITY);
    if (options.azure_proxy) out.allow(GPUTIDE_ENABLE_AZURE_PROXY);
    out.text_name(files.front().name);
    for (std::size_t i = 1; i < files.size(); ++i) out.file(files[i].name, files[i].text);
    return out;
}

}  // namespace gputided
