// Finds the Kubernetes API server and the identity to use.  A pod has both in its own files; otherwise a kubeconfig names them.
// The host program makes the choice; a manifest cannot change it.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "auth/machine/surroundings.hpp"
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

struct cluster {
    std::string server;      // "https://10.0.0.1:443", no trailing slash
    auth::access access;     // its audience is only the server's host
    std::string name_space;  // the caller's own; "": unknown
    std::string named;       // for messages: "kubeconfig /etc/kube.yaml, context prod"

    bool is_verified() const { return !access.tls || access.tls->verify; }
};

// Options of the host program.
struct cluster_choice {
    std::string kubeconfig;           // a file; "": search the usual places
    std::string context;              // one of the file's contexts; "": current-context
    std::string service_account_dir;  // folder with token, ca.crt, namespace; "": where Kubernetes mounts it
    http::tls_settings connection;    // connection_of() the host; its roots apply if a kubeconfig names none
    bool read_environment = false;    // read KUBECONFIG and ~/.kube/config
    // Exec plugins that may run; separate from the list for manifests
    std::vector<std::string> allowed_programs = {};
};

// Opens the first of: the host's kubeconfig, KUBECONFIG, the pod's service account, ~/.kube/config.  If none exists: class
// unavailable, with the places that were tried.
result<cluster> open_cluster(const cluster_choice& choice, const std::shared_ptr<const surroundings>& host);

// Returns an audience that includes only this server's host.
audience audience_of(const std::string& server);

// Reads a token file that another process replaces before expiry (a pod's service-account token) and trims its content.  A
// missing or empty file, or one without a token, is class config; retryable if the problem may be temporary.
result<secret_text> read_mounted_token(const surroundings& host, const std::string& path);

// Tells whether a text can be used as a token in an Authorization header: one word of printable ASCII.
bool is_token_text(std::string_view text);

// Opens such a token file.  It is read again by the first request of each second and by the first request after a 401.  If that
// fails, the last token is used, as in client-go, which reads each minute (kubernetes/client-go transport/token_source.go).  The
// scope is ignored.
std::shared_ptr<credential> open_mounted_token(std::string path, std::shared_ptr<const surroundings> host);

inline constexpr const char* service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";

// Opens the API server of this process's own cluster with its pod's service account, from the environment and files of the
// kubelet (kubernetes/client-go rest.InClusterConfig).  Empty `dir`: service_account_dir.  Reads the CA now, and the token for
// each request that needs a new one (open_mounted_token). connection: the host's settings, except the roots, which are the
// cluster's.
result<cluster> open_in_cluster(const std::string& dir, const http::tls_settings& connection,
                                const std::shared_ptr<const surroundings>& host);

// Reads a cluster and a user from kubeconfig files like kubectl (kubernetes/client-go tools/clientcmd): token, token file, client
// certificate, user name and password, exec plugin, CA, server name.  Auth providers, proxies and impersonation
// are errors that name the key, because without them requests would have another identity, or none.

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

// Opens the chosen context.  Relative paths are relative to the file's folder.  Reads certificates and keys now, a token file as
// described above.  Errors name file, line and key, never a secret value.  For a name in several files, the first file is used.
// Unreadable files are skipped unless all are unreadable.
result<cluster> open_kubeconfig(const std::vector<std::string>& files, const cluster_choice& choice,
                                const std::shared_ptr<const surroundings>& host);

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

std::shared_ptr<credential> open_exec_plugin(exec_plugin plugin, std::shared_ptr<const surroundings> host);

// The member `exec` of a kubeconfig's user (kubernetes/client-go tools/clientcmd/api/v1 ExecConfig).

// Reads it.  Resolves the command like kubectl: a relative path with a slash is relative to the kubeconfig's folder; a name
// without a slash is searched in PATH.  The program must be in `allowed_programs`, otherwise the error names that option.  `tls`:
// the settings of `cluster`.
result<exec_plugin> read_exec(const kubeconfig_entry& user, const kubeconfig_entry& cluster,
                              const http::tls_settings& tls, const std::vector<std::string>& allowed_programs);

}  // namespace gputide::auth
