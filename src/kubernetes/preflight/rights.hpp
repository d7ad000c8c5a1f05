// The rights that a controller needs on a cluster: one table for the reviews that ask the server for each right, and for the
// roles that grant them (examples/kubernetes, which a test compares with it).  Pure.
#pragma once

#include "base/result.hpp"
#include "kubernetes/api/api.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::kubernetes {

// In the order in which they are needed; the words are those of the JSON.
enum class right_use : std::int32_t { reading = 0, scaling, leading, reporting };
inline constexpr std::size_t right_uses = 4;
const char* right_use_name(right_use right_use) noexcept;

struct right {
    right_use use = right_use::reading;
    std::string group;     // "": the core API
    std::string resource;  // as a rule names it: "deployments/scale"
    std::string verb;
    std::string name_space;  // "": in all
    std::string name;        // of the one object; "": any
    std::string without;     // what does not work without it; "": nothing does

    std::string kind_text() const;   // "deployments/scale of apps"
    std::string place_text() const;  // "in namespace ml", "in all namespaces"
};

// They differ in the verb alone, so that one rule of a Role grants both.
bool is_same_rule(const right& a, const right& b);

// The use of the cluster that needs rights.
struct rights_wanted {
    std::vector<std::string> namespaces;  // empty: all
    bool writes = true;                   // false: it looks on, and takes no Lease
    std::string lease_namespace;
    std::vector<std::string> leases;  // their names
};
std::vector<right> rights_for(const rights_wanted& rights_wanted);

// Asks whether the caller has it: a SelfSubjectAccessReview, which every authenticated user may ask.
api_request review_of(const right& right);

struct review {
    bool is_allowed = false;
    std::string reason;  // the server's, often ""
};
result<review> read_review(const http::answer& answer, const endpoint& endpoint);

// Asks for the caller's name: a SelfSubjectReview (Kubernetes 1.28).
api_request whoami();
result<std::string> read_whoami(const http::answer& answer,
                                const endpoint& endpoint);  // "system:serviceaccount:ml:gputide"

// Roles and bindings for `user` as YAML: all that this use needs in each place where one of the missing is, so that the text
// may be applied again and again.  user "": unknown.
std::string roles_for(right_use use, const std::vector<right>& all, const std::vector<right>& missing,
                      const std::string& user);

}  // namespace gputide::kubernetes
