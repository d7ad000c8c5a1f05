// Parser of kubeconfig_exec.hpp.
#include "auth/kubernetes/kubeconfig_exec.hpp"

#include "auth/machine/program.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"

#include <array>
#include <utility>

namespace gputide::auth {
namespace {

using config::node;

constexpr std::array<std::string_view, 2> api_versions = {"client.authentication.k8s.io/v1",
                                                          "client.authentication.k8s.io/v1beta1"};
constexpr std::string_view extension_name = "client.authentication.k8s.io/exec";

// Converts YAML to JSON; the reader limits the depth.
void write_node(json_writer& out, const node& value) {
    if (value.kind == config::node_kind::mapping) {
        out.begin_object();
        for (const node& node : value.children) {
            out.key(node.key);
            write_node(out, node);
        }
        out.end_object();
    } else if (value.kind == config::node_kind::sequence) {
        out.begin_array();
        for (const node& node : value.children) write_node(out, node);
        out.end_array();
    } else if (config::is_null(value)) {
        out.null();
    } else if (config::type_of(value) == config::scalar_type::boolean) {
        out.boolean(parse_go_bool(value.text).value_or(false));
    } else if (const auto number = parse_int64(value.text);
               number && config::type_of(value) == config::scalar_type::integer) {
        out.integer(*number);
    } else {
        out.string(value.text);
    }
}

// client-go passes the content of the cluster's extension of that name.
const node* extension_of(const kubeconfig_entry& cluster) {
    const node* all = cluster.body == nullptr ? nullptr : cluster.body->find("extensions");
    if (all == nullptr) return nullptr;
    for (const node& entry : all->children) {
        const node* name = entry.find("name");
        if (name != nullptr && name->text == extension_name) return entry.find("extension");
    }
    return nullptr;
}

void write_cluster(json_writer& out, const kubeconfig_entry& cluster, const http::tls_settings& tls) {
    out.key("cluster").begin_object();
    out.member("server", cluster.text("server"));
    if (!tls.server_name.empty()) out.member("tls-server-name", tls.server_name);
    if (!tls.verify) out.member("insecure-skip-tls-verify", true);
    if (!tls.ca_pem.empty()) out.member("certificate-authority-data", base64(tls.ca_pem));
    if (const node* found = extension_of(cluster)) {
        out.key("config");
        write_node(out, *found);
    }
    out.end_object();
}

secret_text info_of(const std::string& api_version, const kubeconfig_entry* cluster, const http::tls_settings& tls) {
    json_writer out;
    out.begin_object().member("kind", "ExecCredential").member("apiVersion", api_version);
    out.key("spec").begin_object();
    if (cluster != nullptr) write_cluster(out, *cluster, tls);
    out.member("interactive", false).end_object().end_object();
    return secret_text("KUBERNETES_EXEC_INFO=" + out.take());
}

result<void> read_words(const kubeconfig_entry& exec, exec_plugin& into) {
    if (const node* all = exec.body->find("args"); all != nullptr && !config::is_null(*all)) {
        for (const node& node : all->children) into.command.push_back(node.text);
        const bool is_list = all->kind == config::node_kind::sequence;
        if (!is_list) return exec.wrong("args", "is no list");
    }
    const node* all = exec.body->find("env");
    if (all == nullptr || config::is_null(*all)) return {};
    if (all->kind != config::node_kind::sequence) return exec.wrong("env", "is no list of name and value");
    for (const node& entry : all->children) {
        const node* name = entry.find("name");
        const node* value = entry.find("value");
        if (name == nullptr || name->text.empty() || name->text.find('=') != std::string::npos) {
            return exec.wrong("env", "has an entry without a usable name");
        }
        into.variables.emplace_back(name->text + "=" + (value == nullptr ? std::string() : value->text));
    }
    return {};
}

// kubernetes/client-go tools/clientcmd/validation.go: v1beta1 has a default, v1 has none.
result<void> check_interactive(const kubeconfig_entry& exec, const std::string& api_version) {
    const std::string mode = exec.text("interactiveMode");
    if (mode == "Never" || mode == "IfAvailable") return {};
    if (mode.empty() && api_version != api_versions.front()) return {};
    if (mode == "Always") {
        return exec.wrong("interactiveMode",
                          "is Always: the plugin wants a person at a terminal, and there is none here; choose a way to "
                          "sign in without one (for kubelogin: --login workloadidentity, msi, spn or azurecli)");
    }
    return exec.wrong("interactiveMode", "must be Never or IfAvailable");
}

std::string listed(const std::string& text) { return text.empty() ? "missing" : in_quotes(text); }

}  // namespace

result<exec_plugin> read_exec(const kubeconfig_entry& user, const kubeconfig_entry& cluster,
                              const http::tls_settings& tls, const std::vector<std::string>& allowed_programs) {
    for (const char* key : {"token", "tokenFile", "username", "client-certificate", "client-certificate-data"}) {
        if (user.has(key)) return user.wrong("exec", format_text("stands beside {}; keep one of the two", key));
    }
    const kubeconfig_entry exec{user.file, user.body->find("exec"), user.label + ": exec"};
    exec_plugin out;
    out.named = format_text("{} of {}", user.label, user.file->path);
    out.api_version = exec.text("apiVersion");
    if (out.api_version != api_versions[0] && out.api_version != api_versions[1]) {
        return exec.wrong("apiVersion", format_text("is {}; expected {} or {}", listed(out.api_version),
                                                    api_versions[0], api_versions[1]));
    }
    const std::string command = exec.text("command");
    if (command.empty()) return exec.wrong("command", "is missing: the program to run");
    const bool has_slash = command.find('/') != std::string::npos;
    const std::string beside = std::string_view(command).starts_with("./") ? command.substr(2) : command;
    out.command.push_back(has_slash ? user.file->absolute(beside) : command);
    const std::string& program = out.command.front();
    const std::string option =
        format_text("allowed_programs with kubeconfig:{}, gputided --allow-kubeconfig-program", program);
    if (const auto allowed = check_program(program, allowed_programs, option); !allowed) {
        return exec.wrong("command", "is refused: " + allowed.failure().message);
    }
    if (auto ok = check_interactive(exec, out.api_version); !ok) return ok.take_failure();
    if (auto ok = read_words(exec, out); !ok) return ok.take_failure();
    out.variables.push_back(info_of(out.api_version, exec.flag("provideClusterInfo") ? &cluster : nullptr, tls));
    out.install_hint = exec.text("installHint");
    out.tls = std::make_shared<const http::tls_settings>(tls);
    return out;
}

}  // namespace gputide::auth
