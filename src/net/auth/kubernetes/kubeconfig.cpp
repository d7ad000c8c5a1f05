// Reads kubeconfig files, for cluster.hpp.

#include "auth/kubernetes/cluster.hpp"
#include "auth/machine/surroundings.hpp"
#include "base/encode.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "http/message.hpp"

#include <deque>
#include <string_view>
#include <utility>

namespace gputide::auth {
namespace {

using text::node;

result<void> read_tree(const std::string& path, const secret_text& content, kubeconfig_file& into) {
    into.path = path;
    text::report found;
    into.documents = text::read_documents(path, content.reveal(), found);
    error wrong = found.as_error();
    if (wrong.status != status::ok) return wrong;
    const bool is_mapping = into.documents.size() == 1 && into.root().kind == text::node_kind::mapping;
    if (is_mapping) return {};
    return fail(error_class::config, "{}: expected one kubeconfig, a mapping with clusters, users and contexts", path);
}

class kubeconfig {
  public:
    result<void> read(const std::vector<std::string>& files, const surroundings& host) {
        error last = fail(error_class::config, "no kubeconfig is named");
        for (const std::string& path : files) {
            auto content = host.read_file(path, limits::manifest_bytes);
            if (!content) {
                last = unread_file("the kubeconfig cannot be read", content.failure());
                continue;
            }
            files_.emplace_back();
            if (auto read = read_tree(path, *content, files_.back()); !read) return read;
        }
        return files_.empty() ? result<void>(last) : result<void>();
    }

    std::string current_context() const {
        for (const kubeconfig_file& file : files_) {
            const node* found = file.root().find("current-context");
            if (found != nullptr && !found->text.empty()) return found->text;
        }
        return {};
    }

    // Finds an entry.  `list`: contexts, clusters or users; `kind`: its member with the body.
    result<kubeconfig_entry> find(std::string_view list, std::string_view kind, const std::string& name) const {
        for (const kubeconfig_file& file : files_) {
            const node* all = file.root().find(list);
            if (all == nullptr || all->kind != text::node_kind::sequence) continue;
            for (const node& entry : all->children) {
                const node* own = entry.find("name");
                if (own == nullptr || own->text != name) continue;
                return kubeconfig_entry{&file, entry.find(kind), format_text("{} {}", kind, in_quotes(name))};
            }
        }
        return fail(error_class::config, "{} has no {} {}{}", shown(), kind, in_quotes(name), named(list));
    }

    std::string named(std::string_view list) const {
        std::string names;
        for (const kubeconfig_file& file : files_) {
            const node* all = file.root().find(list);
            if (all == nullptr) continue;
            for (const node& entry : all->children) {
                const node* own = entry.find("name");
                if (own != nullptr) append_item(names, own->text);
            }
        }
        return names.empty() ? format_text("; its {} are empty", list)
                             : format_text("; its {} are {}", list, cut_utf8(names, 500));
    }

    std::string shown() const {
        std::string out = "kubeconfig ";
        const char* separator = "";
        for (const kubeconfig_file& file : files_) out += std::exchange(separator, ":") + file.path;
        return out;
    }

  private:
    std::deque<kubeconfig_file> files_;  // entries point into them
};

// Returns "<key>-data" decoded from base64, else the content of the file in "<key>", else "".
result<secret_text> pem_of(const kubeconfig_entry& entry, const std::string& key, const surroundings& host) {
    if (const std::string data = entry.text(key + "-data"); !data.empty()) {
        auto decoded = decode_base64(data);
        if (!decoded) return entry.wrong(key + "-data", "is not base64");
        return secret_text(*std::move(decoded));
    }
    const std::string path = entry.text(key);
    if (path.empty()) return secret_text();
    auto read = host.read_file(entry.file->absolute(path), limits::secret_file_bytes);
    if (read) return read;
    error why = entry.wrong(key, "cannot be read: " + read.failure().message);
    why.retryable = read.failure().retryable;
    return why;
}

result<std::string> server_of(const kubeconfig_entry& entry) {
    std::string server = entry.text("server");
    const auto url = http::parse_url(server);
    if (!url || !url->is_base()) {
        return entry.wrong("server", "is missing or not an https URL such as https://10.0.0.1:6443");
    }
    while (server.back() == '/') server.pop_back();
    return server;
}

// Overwrites the host's TLS settings with those of the cluster's entry.
result<void> read_cluster(const kubeconfig_entry& entry, const surroundings& host, http::tls_settings& tls) {
    if (!entry.text("proxy-url").empty()) {
        return entry.wrong("proxy-url",
                           "is not supported; set the proxy in the host program instead (gputide_options.proxy)");
    }
    auto ca = pem_of(entry, "certificate-authority", host);
    if (!ca) return ca.take_failure();
    const bool has_roots = !ca->empty();
    if (has_roots) {
        tls.ca_pem = ca->reveal();
        tls.ca_file.clear();
    }
    tls.verify = !entry.flag("insecure-skip-tls-verify");
    tls.server_name = entry.text("tls-server-name");
    if (!tls.verify && has_roots) {
        return entry.wrong("insecure-skip-tls-verify",
                           "is true although a certificate-authority is set; keep one of the two");
    }
    return {};
}

// Rejects settings that select an identity in an unsupported way.
result<void> refuse_unsupported(const kubeconfig_entry& entry) {
    if (entry.has("auth-provider")) {
        return entry.wrong("auth-provider",
                           "is no longer supported, as in kubectl; use its successor, an exec plugin, or token, "
                           "tokenFile, client-certificate with client-key, username with password; for a service "
                           "account: kubectl create token NAME > FILE and tokenFile: FILE");
    }
    for (const char* key : {"as", "as-uid", "as-groups", "as-user-extra"}) {
        if (entry.has(key)) return entry.wrong(key, "is not supported (impersonation); use a separate user");
    }
    return {};
}

result<void> read_certificate(const kubeconfig_entry& entry, const surroundings& host, http::tls_settings& tls) {
    auto certificate = pem_of(entry, "client-certificate", host);
    if (!certificate) return certificate.take_failure();
    auto key = pem_of(entry, "client-key", host);
    if (!key) return key.take_failure();
    if (certificate->empty() != key->empty()) {
        return certificate->empty() ? entry.wrong("client-key", "requires client-certificate")
                                    : entry.wrong("client-certificate", "requires client-key");
    }
    tls.client_certificate_pem = *std::move(certificate);
    tls.client_key_pem = *std::move(key);
    if (const auto fits = http::check_client_certificate(tls); !fits) {
        return entry.wrong("client-key", "cannot be used: " + fits.failure().message);
    }
    return {};
}

result<void> read_user(const kubeconfig_entry& entry, const kubeconfig_entry& cluster, const cluster_choice& choice,
                       const std::shared_ptr<const surroundings>& host, auth::access& access, http::tls_settings& tls) {
    if (auto ok = refuse_unsupported(entry); !ok) return ok;
    if (entry.has("exec")) {
        auto plugin = read_exec(entry, cluster, tls, choice.allowed_programs);
        if (!plugin) return plugin.take_failure();
        access.credential = open_exec_plugin(*std::move(plugin), host);
        return {};
    }
    if (auto ok = read_certificate(entry, *host, tls); !ok) return ok;
    const secret_text token(entry.text("token"));
    const std::string token_file = entry.text("tokenFile");
    const std::string user = entry.text("username");
    if (!user.empty() && (!token.empty() || !token_file.empty())) {
        return entry.wrong("username", "is set together with a token; keep one of the two");
    }
    if (!token_file.empty()) {  // takes precedence over `token`, because the file is renewed
        access.credential = open_mounted_token(entry.file->absolute(token_file), host);
    } else if (!token.empty()) {
        if (!is_token_text(token.reveal())) return entry.wrong("token", "has blanks or control characters");
        access.header = bearer_header(token);
    } else if (!user.empty()) {
        access.header = basic_header(user, secret_text(entry.text("password")));
    }
    return {};
}

}  // namespace

result<cluster> open_kubeconfig(const std::vector<std::string>& files, const cluster_choice& choice,
                                const std::shared_ptr<const surroundings>& host) {
    kubeconfig all;
    if (auto read = all.read(files, *host); !read) return read.take_failure();
    const std::string name = choice.context.empty() ? all.current_context() : choice.context;
    if (name.empty()) {
        return fail(error_class::config, "{} has no current-context; set a context in the host program{}", all.shown(),
                    all.named("contexts"));
    }
    auto context = all.find("contexts", "context", name);
    if (!context) return context.take_failure();
    auto server = all.find("clusters", "cluster", context->text("cluster"));
    if (!server) return server.take_failure();

    cluster out;
    out.named = format_text("{}, context {}", all.shown(), name);
    out.name_space = context->text("namespace");
    auto address = server_of(*server);
    if (!address) return address.take_failure();
    out.server = *std::move(address);
    http::tls_settings tls = choice.connection;
    if (auto read = read_cluster(*server, *host, tls); !read) return read.take_failure();
    if (const std::string user = context->text("user"); !user.empty()) {
        auto who = all.find("users", "user", user);
        if (!who) return who.take_failure();
        if (auto read = read_user(*who, *server, choice, host, out.access, tls); !read) return read.take_failure();
    }
    out.access.tls = std::make_shared<const http::tls_settings>(std::move(tls));
    out.access.audience = audience_of(out.server);
    return out;
}

}  // namespace gputide::auth
