#include "options.hpp"

#include "files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace gputided {
namespace {

const char* const trust = "What this host allows";

bool is_manifest(const std::filesystem::path& path) {
    const std::string ending = path.extension().string();
    return ending == ".yaml" || ending == ".yml" || ending == ".json";
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : between) + part;
    return out;
}

}  // namespace

std::vector<std::string> manifests_of(const std::string& name) {
    std::error_code failed;
    if (!std::filesystem::is_directory(name, failed)) return {name};
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(name, failed)) {
        if (entry.is_regular_file(failed) && is_manifest(entry.path())) out.push_back(entry.path().string());
    }
    if (failed) throw usage_error(name + ": cannot read this folder: " + failed.message());
    std::sort(out.begin(), out.end());
    return out;
}

void add_manifest_flags(CLI::App& to, options& from) {
    to.add_option("-f,--file", from.files, "manifest file, folder of manifests, or - for standard input; repeatable")
        ->required();
    to.add_option("--scaler", from.scaler, "only this one: name or namespace/name");
}

void add_output_flag(CLI::App& to, options& from) {
    to.add_option("--output", from.output, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
}

void add_secrets_flag(CLI::App& to, options& from) {
    to.add_option("--secrets-dir", from.secrets_dir, "DIR/<name>/<key> for secretTargetRef and configMapTargetRef")
        ->group(trust);
}

void add_trust_flags(CLI::App& to, options& from) {
    to.add_option("--ca-file", from.ca_file, "PEM roots instead of SSL_CERT_FILE and the system's")->group(trust);
    to.add_option("--allow-token-host", from.token_hosts, "a further host that may get a cloud token; repeatable")
        ->group(trust);
    to.add_option("--allow-program", from.programs,
                  "a program that may be run for a token, such as az; as the manifest names it; repeatable")
        ->group(trust);
    to.add_option("--kubeconfig", from.kubeconfig,
                  "the Kubernetes cluster to read from; default: KUBECONFIG, the pod's service account, ~/.kube/config")
        ->group(trust);
    to.add_option("--context", from.context, "one of the kubeconfig's contexts; default: its current-context")
        ->group(trust);
    to.add_option("--service-account-dir", from.service_account_dir,
                  "token, ca.crt and namespace of a pod, where Kubernetes does not mount them as usual")
        ->group(trust);
    to.add_flag("--allow-plain-http", from.plain_http, "credentials over http to other hosts than loopback")
        ->group(trust);
    to.add_flag("--allow-custom-authority", from.custom_authority, "a login endpoint outside the known Azure clouds")
        ->group(trust);
    to.add_flag("--enable-azure-proxy", from.azure_proxy, "AKS identity bindings (AZURE_KUBERNETES_TOKEN_PROXY)")
        ->group(trust);
}

std::vector<manifest_file> read_manifests(const options& from) {
    return read_manifests(from, [](const std::string& name) { return read_text(name); });
}

std::vector<manifest_file> read_manifests(const options& from,
                                          const std::function<std::string(const std::string& name)>& read) {
    std::vector<manifest_file> out;
    for (const std::string& given : from.files) {
        const std::vector<std::string> names = manifests_of(given);
        if (names.empty()) throw usage_error(given + ": no *.yaml, *.yml or *.json file in this folder");
        for (const std::string& name : names) out.push_back({name, read(name)});
    }
    return out;
}

gputide::options library_options(const options& from, const std::vector<manifest_file>& files) {
    gputide::options out;
    out.allow(GPUTIDE_ALLOW_ENVIRONMENT).ca_file(from.ca_file).secrets_dir(from.secrets_dir);
    out.allowed_token_hosts(joined(from.token_hosts, ",")).allowed_programs(joined(from.programs, ","));
    out.scaler(from.scaler);
    out.kubeconfig(from.kubeconfig, from.context).service_account_dir(from.service_account_dir);
    if (from.strict) out.allow(GPUTIDE_STRICT);
    if (from.plain_http) out.allow(GPUTIDE_ALLOW_PLAIN_HTTP);
    if (from.custom_authority) out.allow(GPUTIDE_ALLOW_CUSTOM_AUTHORITY);
    if (from.azure_proxy) out.allow(GPUTIDE_ENABLE_AZURE_PROXY);
    out.text_name(files.front().name);
    for (std::size_t i = 1; i < files.size(); ++i) out.file(files[i].name, files[i].text);
    return out;
}

std::vector<std::string> scaler_names(const options& from, const std::vector<manifest_file>& files) {
    const gputide::check_result checked = gputide::check(files.front().text, library_options(from, files));
    if (checked.failed) throw gputide::failure(checked.error);
    const auto report = nlohmann::json::parse(checked.report);
    std::vector<std::string> all;
    std::vector<std::string> wanted;
    for (const auto& one : report.at("scalers")) {
        const std::string name = one.at("name");
        all.push_back(one.at("namespace").get<std::string>() + "/" + name);
        if (from.scaler.empty() || from.scaler == name || from.scaler == all.back()) wanted.push_back(all.back());
    }
    if (all.empty())
        throw usage_error("the manifests hold no ScaledObject and no HorizontalPodAutoscaler; add one by -f");
    if (wanted.empty()) {
        throw usage_error("--scaler " + from.scaler + ": the manifests hold no scaler of that name, but " +
                          joined(all, ", "));
    }
    return wanted;
}

gputide::scaler open_scaler(const std::string& name, const options& from, const std::vector<manifest_file>& files) {
    gputide::options with = library_options(from, files);
    return gputide::scaler::open(files.front().text, with.scaler(name));
}

}  // namespace gputided
