// The rights that a controller needs on a cluster: one table for the access reviews, and for the Roles that grant the rights (a
// test compares examples/kubernetes with it).  Pure.
#pragma once

#include "base/result.hpp"
#include "kubernetes/api/api.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::kubernetes {

// In the order in which they are needed; the names are the values in the JSON.
enum class right_use : std::int32_t { reading = 0, scaling, leading, reporting };
inline constexpr std::size_t right_uses = 4;
const char* right_use_name(right_use right_use) noexcept;

struct right {
    right_use use = right_use::reading;
    std::string group;     // "": the core API
    std::string resource;  // as in an RBAC rule: "deployments/scale"
    std::string verb;
    std::string name_space;  // "": all namespaces
    std::string name;        // "": any object
    std::string without;     // what fails without this right; "": everything

    std::string kind_text() const;   // "deployments/scale of apps"
    std::string place_text() const;  // "in namespace ml", "in all namespaces"
};

// Tells whether two rights differ only in the verb, so that one rule of a Role can grant both.
bool is_same_rule(const right& a, const right& b);

// The configuration for which rights are needed.
struct rights_wanted {
    std::vector<std::string> namespaces;  // empty: all
    bool writes = true;                   // false: shadow mode, which takes no Lease
    std::string lease_namespace;
    std::vector<std::string> leases;  // names of the Leases
};
std::vector<right> rights_for(const rights_wanted& rights_wanted);

// Returns a SelfSubjectAccessReview, which tells whether the caller has the right.  Every authenticated user may create it.
api_request review_of(const right& right);

struct review {
    bool is_allowed = false;
    std::string reason;  // the server's, often ""
};
result<review> read_review(const http::answer& answer, const endpoint& endpoint);

// Returns a SelfSubjectReview, which tells the caller's name (Kubernetes 1.28).
api_request whoami();
// "system:serviceaccount:ml:gputide"
result<std::string> read_whoami(const http::answer& answer, const endpoint& endpoint);

// Returns Roles and bindings for `user` as YAML.  They contain all rights of this use in each namespace where one is missing, so
// they can be applied repeatedly. user "": unknown.
std::string roles_for(right_use use, const std::vector<right>& all, const std::vector<right>& missing,
                      const std::string& user);

}  // namespace gputide::kubernetes
