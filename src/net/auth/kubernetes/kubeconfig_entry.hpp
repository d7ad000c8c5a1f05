// A named entry of a kubeconfig: its members as texts, and errors with their lines.
#pragma once

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/authentication.hpp"

#include <string>
#include <string_view>

namespace gputide::auth {

// One file: its tree, and the folder that its relative paths start from.
struct kubeconfig_file {
    std::string path;
    std::vector<config::document> documents;

    const config::node& root() const { return documents.front().root; }
    std::string absolute(const std::string& name) const {
        return name.empty() || name.front() == '/' ? name : path.substr(0, path.rfind('/') + 1) + name;
    }
};

// The body of a named entry, and its position.
struct kubeconfig_entry {
    const kubeconfig_file* file = nullptr;
    const config::node* body = nullptr;
    std::string label;  // "user alice"

    bool has(std::string_view key) const {
        const config::node* found = body == nullptr ? nullptr : body->find(key);
        return found != nullptr && !config::is_null(*found);
    }
    std::string text(std::string_view key) const {
        const config::node* found = body == nullptr ? nullptr : body->find(key);
        return found == nullptr || found->kind != config::node_kind::scalar || config::is_null(*found) ? std::string()
                                                                                                       : found->text;
    }
    bool flag(std::string_view key) const { return parse_go_bool(text(key)).value_or(false); }

    error wrong(std::string_view key, const std::string& what) const {
        const config::node* found = body == nullptr ? nullptr : body->find(key);
        const std::int32_t line = found != nullptr ? found->line : body != nullptr ? body->line : 0;
        error out = fail(error_class::config, "{}: {} {}", label, key, what);
        out.where = place{file->path, line, 0, {}};
        return out;
    }
};

}  // namespace gputide::auth
