// Reads a cluster and a user from kubeconfig files like kubectl (kubernetes/client-go tools/clientcmd): token, token file, client
// certificate, user name and password, exec plugin (exec_plugin.hpp), CA, server name.  Auth providers, proxies and impersonation
// are errors that name the key, because without them requests would have another identity, or none.
#pragma once

#include "auth/kubernetes/cluster.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
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

}  // namespace gputide::auth
