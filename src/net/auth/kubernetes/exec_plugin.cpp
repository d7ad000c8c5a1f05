// An exec plugin of a kubeconfig: runs the program and parses its output.
#include "auth/crypto/digest.hpp"
#include "auth/json_text.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "auth/machine/program.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "http/message.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace gputide::auth {

namespace {

constexpr std::int64_t plugin_limit_ms = 30'000;
constexpr std::int64_t failure_kept_ms = 5'000;
constexpr std::size_t max_hint_bytes = 500;

error_ptr unusable(const exec_plugin& plugin, std::string_view why) {
    return fail(error_class::protocol, "the output of {} ({}) {}", plugin.command.front(), plugin.named, why);
}

// Returns the expiry in Unix seconds; nullopt: the credential is used until a 401, as in client-go.
result<std::optional<std::int64_t>> end_s(json_object status, const exec_plugin& plugin) {
    const auto written = member(status, "expirationTimestamp");
    if (!written || written->is_null()) return std::optional<std::int64_t>();
    const auto time_ms = parse_rfc3339(text_in(status, "expirationTimestamp"));
    if (!time_ms)
        return unusable(plugin, "has a status.expirationTimestamp that is not a time such as 2026-01-31T12:00:00Z");
    return std::optional<std::int64_t>(*time_ms / 1000);
}

result<std::shared_ptr<const http::tls_settings>> tls_with_certificate(json_object status, const exec_plugin& plugin) {
    const auto certificate = text_of(status, "clientCertificateData").value_or("");
    const auto key = text_of(status, "clientKeyData").value_or("");
    if (certificate.empty() && key.empty()) return std::shared_ptr<const http::tls_settings>();
    if (certificate.empty() || key.empty()) {
        return unusable(plugin, "has only one of status.clientCertificateData and status.clientKeyData");
    }
    http::tls_settings out = *plugin.tls;
    out.client_certificate_pem = secret_text(certificate);
    out.client_key_pem = secret_text(key);
    if (const auto fits = http::check_client_certificate(out); !fits) {
        return unusable(plugin, "cannot be used: " + fits.failure().message);
    }
    return std::make_shared<const http::tls_settings>(std::move(out));
}

// Returns a digest, because the variables may contain secrets.
std::string exec_key(const exec_plugin& plugin) {
    key_text all;
    all.add(plugin.api_version);
    for (const std::string& word : plugin.command) all.add(word);
    for (const secret_text& variable : plugin.variables) all.add(variable.reveal());
    all.add(*plugin.tls);
    return "exec_plugin\n" + all.digest();
}

error explained_by(const exec_plugin& plugin, error why) {
    why.message = format_text("the exec plugin of {}: {}", plugin.named, why.message);
    if (why.status == status::not_here && !plugin.install_hint.empty()) {
        why.message += "; its kubeconfig has the hint: ";
        why.message += cut_utf8(plugin.install_hint, max_hint_bytes);
    }
    return why;
}

// Parses the program's output: a token, a client certificate with its key, or both.  Another format is class protocol, with its
// place but never its content; an expired credential is retryable.
result<token> read_exec_credential(const secret_text& printed, const exec_plugin& plugin, const moment& now) {
    const json_text parsed(printed.reveal());
    const auto object = parsed.object();
    if (!object) return unusable(plugin, "is not a JSON object; expected an ExecCredential");
    if (text_in(*object, "kind") != "ExecCredential") {
        return unusable(plugin, "has a kind other than ExecCredential");
    }
    if (text_in(*object, "apiVersion") != plugin.api_version) {
        return unusable(
            plugin, format_text("has another apiVersion than the kubeconfig's exec, {}; use the same version in both",
                                plugin.api_version));
    }
    const auto status = object_of(*object, "status");
    if (!status) return unusable(plugin, "has no status");
    auto tls = tls_with_certificate(*status, plugin);
    if (!tls) return tls.take_failure();
    const auto value = text_of(*status, "token").value_or("");
    if (value.empty() && !*tls) return unusable(plugin, "has neither status.token nor status.clientCertificateData");
    if (!value.empty() && !is_token_text(value)) {
        error why = unusable(plugin, "has a status.token with blanks or control characters; it was not used");
        return fail(error_class::security, why.message);
    }
    const auto end = end_s(*status, plugin);
    if (!end) return end.failure();
    const std::int64_t life_s = *end ? **end - now.wall_ms / 1000 : longest_life_s;
    if (life_s <= 0) {
        return fail_for_now(
            format_text("the credential from {} ({}) expired {} ago: the plugin does not renew it, or the clock of "
                        "this machine is wrong",
                        plugin.command.front(), plugin.named, format_duration_ms(-life_s * 1000)));
    }
    token out = token_living(secret_text(value), now, std::min(life_s, longest_life_s));
    out.tls = *std::move(tls);
    return out;
}

}  // namespace

std::shared_ptr<credential> open_exec_plugin(exec_plugin given, std::shared_ptr<const surroundings> host) {
    const auto plugin = std::make_shared<const exec_plugin>(std::move(given));
    auto out =
        make_credential(exec_key(*plugin), {"exec plugin " + plugin->command.front()},
                        [plugin, host = std::move(host)](const auto& under_way, const std::string&) {
                            run_for_token(under_way, host, {plugin->command, plugin_limit_ms, {}, plugin->variables},
                                          [plugin](result<secret_text> printed, const moment& now) -> result<token> {
                                              if (!printed) return explained_by(*plugin, printed.take_failure());
                                              return read_exec_credential(*printed, *plugin, now);
                                          });
                        });
    out->failure_memory_ms = failure_kept_ms;
    return out;
}

// Parses the member exec of a kubeconfig's user.

namespace {

using text::node;

constexpr std::array<std::string_view, 2> api_versions = {"client.authentication.k8s.io/v1",
                                                          "client.authentication.k8s.io/v1beta1"};
constexpr std::string_view extension_name = "client.authentication.k8s.io/exec";

// Converts YAML to JSON; the parser has limited the depth.
void write_node(json_writer& out, const node& value) {
    if (value.kind == text::node_kind::mapping) {
        out.begin_object();
        for (const node& node : value.children) {
            out.key(node.key);
            write_node(out, node);
        }
        out.end_object();
    } else if (value.kind == text::node_kind::sequence) {
        out.begin_array();
        for (const node& node : value.children) write_node(out, node);
        out.end_array();
    } else if (text::is_null(value)) {
        out.null();
    } else if (text::type_of(value) == text::scalar_type::boolean) {
        out.boolean(parse_go_bool(value.text).value_or(false));
    } else if (const auto number = parse_int64(value.text);
               number && text::type_of(value) == text::scalar_type::integer) {
        out.integer(*number);
    } else {
        out.string(value.text);
    }
}

// Returns the cluster's extension of that name; client-go passes its content to the plugin.
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

result<void> read_command(const kubeconfig_entry& exec, exec_plugin& into) {
    if (const node* all = exec.body->find("args"); all != nullptr && !text::is_null(*all)) {
        for (const node& node : all->children) into.command.push_back(node.text);
        const bool is_list = all->kind == text::node_kind::sequence;
        if (!is_list) return exec.wrong("args", "is not a list");
    }
    const node* all = exec.body->find("env");
    if (all == nullptr || text::is_null(*all)) return {};
    if (all->kind != text::node_kind::sequence) return exec.wrong("env", "is not a list of name and value");
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

// Checks interactiveMode (kubernetes/client-go tools/clientcmd/validation.go): required in v1, optional in v1beta1.
result<void> check_interactive(const kubeconfig_entry& exec, const std::string& api_version) {
    const std::string mode = exec.text("interactiveMode");
    if (mode == "Never" || mode == "IfAvailable") return {};
    if (mode.empty() && api_version != api_versions.front()) return {};
    if (mode == "Always") {
        return exec.wrong("interactiveMode",
                          "is Always: the plugin requires a terminal, which is not available here; choose a sign-in "
                          "method without a terminal (for kubelogin: --login workloadidentity, msi, spn or azurecli)");
    }
    return exec.wrong("interactiveMode", "must be Never or IfAvailable");
}

std::string listed(const std::string& text) { return text.empty() ? "missing" : in_quotes(text); }

}  // namespace

result<exec_plugin> read_exec(const kubeconfig_entry& user, const kubeconfig_entry& cluster,
                              const http::tls_settings& tls, const std::vector<std::string>& allowed_programs) {
    for (const char* key : {"token", "tokenFile", "username", "client-certificate", "client-certificate-data"}) {
        if (user.has(key)) return user.wrong("exec", format_text("is set together with {}; keep one of the two", key));
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
    if (auto ok = read_command(exec, out); !ok) return ok.take_failure();
    out.variables.push_back(info_of(out.api_version, exec.flag("provideClusterInfo") ? &cluster : nullptr, tls));
    out.install_hint = exec.text("installHint");
    out.tls = std::make_shared<const http::tls_settings>(tls);
    return out;
}

}  // namespace gputide::auth
