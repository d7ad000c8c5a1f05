// Reads a cluster and a user from kubeconfig files like kubectl (kubernetes/client-go tools/clientcmd): token, token file, client
// certificate, user name and password, exec plugin, CA, server name.  Auth providers, proxies and impersonation
// are errors that name the key, because without them requests would have another identity, or none.
#pragma once

#include "auth/credential.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "http/message.hpp"
#include "manifest/authentication.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

// Entries of a kubeconfig: their members as text, and errors with line numbers.

// A kubeconfig file: its tree, and the folder for its relative paths.
struct kubeconfig_file {
    std::string path;
    std::vector<text::document> documents;

    const text::node& root() const { return documents.front().root; }
    std::string absolute(const std::string& name) const {
        return name.empty() || name.front() == '/' ? name : path.substr(0, path.rfind('/') + 1) + name;
    }
};

// The body of a named entry and its place.
struct kubeconfig_entry {
    const kubeconfig_file* file = nullptr;
    const text::node* body = nullptr;
    std::string label;  // "user alice"

    bool has(std::string_view key) const {
        const text::node* found = body == nullptr ? nullptr : body->find(key);
        return found != nullptr && !text::is_null(*found);
    }
    std::string text(std::string_view key) const {
        const text::node* found = body == nullptr ? nullptr : body->find(key);
        return found == nullptr || found->kind != text::node_kind::scalar || text::is_null(*found) ? std::string()
                                                                                                   : found->text;
    }
    bool flag(std::string_view key) const { return parse_go_bool(text(key)).value_or(false); }

    error wrong(std::string_view key, const std::string& what) const {
        const text::node* found = body == nullptr ? nullptr : body->find(key);
        const std::int32_t line = found != nullptr ? found->line : body != nullptr ? body->line : 0;
        error out = fail(error_class::config, "{}: {} {}", label, key, what);
        out.where = place{file->path, line, 0, {}};
        return out;
    }
};

struct kubeconfig_choice {
    std::vector<std::string> files;                  // for a name in several files, the first file is used
    std::string context;                             // "": current-context
    http::tls_settings connection;                   // the host's; its roots apply if the cluster names none
    bool skip_missing = false;                       // skips unreadable files if there are several
    std::vector<std::string> allowed_programs = {};  // exec plugins that may run
};

// Opens the chosen context.  Relative paths are relative to the file's folder.  Reads certificates and keys now, a token file as
// described in cluster.hpp.  Errors name file, line and key, never a secret value.
result<cluster> open_kubeconfig(const kubeconfig_choice& choice, const std::shared_ptr<const surroundings>& host);

// A program that provides cluster credentials, such as kubelogin for AKS: client.authentication.k8s.io, v1 and v1beta1
// (kubernetes/client-go plugin/pkg/client/auth/exec).  It runs without a shell and a terminal, supervised by the loop's timers.
// One run serves all waiting callers.  Its credential is used until shortly before its expiry, or until a 401.

struct exec_plugin {
    std::string named;                              // for messages: "user \"aks\" of /etc/kube/config"
    std::string api_version;                        // the output must have the same
    std::vector<std::string> command;               // [0] is the program, which the host must allow
    std::vector<secret_text> variables;             // "NAME=value", including KUBERNETES_EXEC_INFO
    std::string install_hint;                       // shown if the program is missing
    std::shared_ptr<const http::tls_settings> tls;  // for the cluster; a client certificate goes into a copy
};

// Parses the program's output: a token, a client certificate with its key, or both.  Another format is class protocol, with its
// place but never its content; an expired credential is retryable.
result<token> read_exec_credential(const secret_text& printed, const exec_plugin& plugin, const moment& now);

std::shared_ptr<credential> open_exec_plugin(exec_plugin plugin, std::shared_ptr<const surroundings> host);

// The member `exec` of a kubeconfig's user (kubernetes/client-go tools/clientcmd/api/v1 ExecConfig).

// Reads it.  Resolves the command like kubectl: a relative path with a slash is relative to the kubeconfig's folder; a name
// without a slash is searched in PATH.  The program must be in `allowed_programs`, otherwise the error names that option.  `tls`:
// the settings of `cluster`.
result<exec_plugin> read_exec(const kubeconfig_entry& user, const kubeconfig_entry& cluster,
                              const http::tls_settings& tls, const std::vector<std::string>& allowed_programs);

}  // namespace gputide::auth
