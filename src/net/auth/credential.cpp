// Implements credential.hpp.
#include "auth/credential.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <cstddef>
#include <utility>

namespace gputide::auth {

std::shared_ptr<http::exchange> credential::acquire(http::loop& loop, const std::string& scope,
                                                    std::int64_t deadline_ms, token_done done) const {
    auto out = std::make_shared<acquisition>(loop, deadline_ms, std::move(done));
    begin_(out, scope);
    return out;
}

void credential::acquire_within(const std::shared_ptr<acquisition>& under_way, const std::string& scope,
                                token_done done) const {
    under_way->carry(acquire(under_way->loop(), scope, under_way->deadline_ms(), std::move(done)));
}

std::shared_ptr<credential> make_credential(std::string key, introduction about, credential::beginner begin) {
    return std::make_shared<credential>(std::move(key), std::move(about), std::move(begin));
}

std::shared_ptr<const http::tls_settings> shared_settings(http::tls_settings settings) {
    if (http::same_settings(settings, {})) return nullptr;
    return std::make_shared<const http::tls_settings>(std::move(settings));
}

// Chains.

namespace {

constexpr std::size_t no_member = static_cast<std::size_t>(-1);

// The unavailable members for messages: "environment: ...; workload identity: ...".
struct skipped_members {
    std::string text;

    void note(const std::string& member, const error& why) {
        append_item(text, format_text("{}: {}", member, why.message), "; ");
    }
};

error_ptr none_available(const std::string& chain, const skipped_members& all) {
    return fail(error_class::unavailable, "{}: no credential is available: {}", chain, all.text);
}

// Returns the error of a member that ends the chain.
error ended(const std::string& chain, const std::string& member, error why, const skipped_members& before) {
    why.message = format_text("{}: {}: {}", chain, member, why.message);
    if (!before.text.empty()) why.message += ". Skipped before it: " + before.text;
    return why;
}

// An acquisition in progress: tries the members in order.
struct attempt {
    attempt(std::shared_ptr<acquisition> operation, std::string for_scope)
        : under_way(std::move(operation)), scope(std::move(for_scope)) {}

    const std::shared_ptr<acquisition> under_way;
    const std::string scope;
    skipped_members before;
};

class chain : public std::enable_shared_from_this<chain> {
  public:
    chain(std::string name, std::vector<chain_member> members) : name_(std::move(name)), members_(std::move(members)) {}

    std::string cache_key() const {
        std::string out = "chain\n" + name_;
        for (const chain_member& member : members_) {
            if (member.opened) out += "\n" + (*member.opened)->cache_key();
        }
        return out;
    }

    std::string in_words() const {
        std::string members;
        for (const chain_member& member : members_) append_item(members, member.name);
        return format_text("{} ({})", name_, members);
    }

    void begin(const std::shared_ptr<acquisition>& under_way, const std::string& scope) {
        const std::size_t first = kept_ == no_member ? 0 : kept_;
        const auto way = std::make_shared<attempt>(under_way, scope);
        under_way->after(0, [self = shared_from_this(), way, first] { self->go(way, first); });
    }

  private:
    void go(const std::shared_ptr<attempt>& way, std::size_t from) {
        for (std::size_t at = from; at < members_.size(); ++at) {
            const chain_member& member = members_[at];
            if (!member.opened && member.opened.failure().status != status::not_here) {
                return way->under_way->finish(ended(name_, member.name, member.opened.failure(), way->before));
            }
            if (!member.opened) {
                way->before.note(member.name, member.opened.failure());
                continue;
            }
            return (*member.opened)
                ->acquire_within(way->under_way, way->scope,
                                 [self = shared_from_this(), way, at](result<token> outcome) {
                                     self->take(way, at, std::move(outcome));
                                 });
        }
        way->under_way->finish(none_available(name_, way->before));
    }

    void take(const std::shared_ptr<attempt>& way, std::size_t at, result<token> token) {
        if (token) {
            kept_ = at;
            return way->under_way->finish(std::move(token));
        }
        if (token.failure().status != status::not_here || kept_ == at) {
            return way->under_way->finish(ended(name_, members_[at].name, token.failure(), way->before));
        }
        way->before.note(members_[at].name, token.failure());
        go(way, at + 1);
    }

    const std::string name_;
    const std::vector<chain_member> members_;
    std::size_t kept_ = no_member;  // index of the member that succeeded
};

}  // namespace

result<std::shared_ptr<credential>> make_chain(std::string name, std::vector<chain_member> members) {
    skipped_members before;
    for (const chain_member& member : members) {
        if (member.opened) {
            const auto tried = std::make_shared<chain>(std::move(name), std::move(members));
            return make_credential(
                tried->cache_key(), tried->in_words(),
                [tried](const auto& under_way, const std::string& scope) { tried->begin(under_way, scope); });
        }
        if (member.opened.failure().status != status::not_here)
            return ended(name, member.name, member.opened.failure(), before);
        before.note(member.name, member.opened.failure());
    }
    return none_available(name, before);
}

std::optional<error> absent(const surroundings& host, const std::vector<const char*>& variables) {
    std::string names;
    for (const char* variable : variables) {
        if (host.variable(variable).empty()) append_item(names, variable);
    }
    if (names.empty()) return std::nullopt;
    const bool several = names.find(',') != std::string::npos;
    return fail(error_class::unavailable, names + (several ? " are not set" : " is not set"));
}

}  // namespace gputide::auth
