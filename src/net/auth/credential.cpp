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

// Appends the reason of a skipped member: "environment: ...; workload identity: ...".
void note(std::string& skipped, const std::string& member, const error& why) {
    append_item(skipped, format_text("{}: {}", member, why.message), "; ");
}

error_ptr none_available(const std::string& chain, const std::string& skipped) {
    return fail(error_class::unavailable, "{}: no credential is available: {}", chain, skipped);
}

// Returns the error of a member that ends the chain.
error ended(const std::string& chain, const std::string& member, error why, const std::string& skipped) {
    why.message = format_text("{}: {}: {}", chain, member, why.message);
    if (!skipped.empty()) why.message += ". Skipped before it: " + skipped;
    return why;
}

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
        under_way->after(
            0, [self = shared_from_this(), under_way, scope, first] { self->go(under_way, scope, first, {}); });
    }

  private:
    // Tries the members in order, from the given one.
    void go(const std::shared_ptr<acquisition>& under_way, const std::string& scope, std::size_t from,
            std::string skipped) {
        for (std::size_t at = from; at < members_.size(); ++at) {
            const chain_member& member = members_[at];
            if (member.opened) {
                return (*member.opened)
                    ->acquire_within(
                        under_way, scope,
                        [self = shared_from_this(), under_way, scope, at, skipped = std::move(skipped)](
                            result<token> outcome) { self->take(under_way, scope, at, skipped, std::move(outcome)); });
            }
            const error& why = member.opened.failure();
            if (why.status != status::not_here) return under_way->finish(ended(name_, member.name, why, skipped));
            note(skipped, member.name, why);
        }
        under_way->finish(none_available(name_, skipped));
    }

    void take(const std::shared_ptr<acquisition>& under_way, const std::string& scope, std::size_t at,
              std::string skipped, result<token> outcome) {
        if (outcome) kept_ = at;
        if (outcome) return under_way->finish(std::move(outcome));
        const std::string& name = members_[at].name;
        if (outcome.failure().status != status::not_here || kept_ == at)
            return under_way->finish(ended(name_, name, outcome.failure(), skipped));
        note(skipped, name, outcome.failure());
        go(under_way, scope, at + 1, std::move(skipped));
    }

    const std::string name_;
    const std::vector<chain_member> members_;
    std::size_t kept_ = no_member;  // index of the member that succeeded
};

}  // namespace

result<std::shared_ptr<credential>> make_chain(std::string name, std::vector<chain_member> members) {
    std::string skipped;
    for (const chain_member& member : members) {
        if (member.opened) {
            const auto tried = std::make_shared<chain>(std::move(name), std::move(members));
            return make_credential(
                tried->cache_key(), {tried->in_words()},
                [tried](const auto& under_way, const std::string& scope) { tried->begin(under_way, scope); });
        }
        if (member.opened.failure().status != status::not_here)
            return ended(name, member.name, member.opened.failure(), skipped);
        note(skipped, member.name, member.opened.failure());
    }
    return none_available(name, skipped);
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
