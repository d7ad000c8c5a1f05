// Several credentials as one: asked in their order until one of them answers, and that one is kept.
// A member that says "not here" (class unavailable) is passed by; every other failure ends the walk, since a later member
// would act for somebody else.  Errors hold the reason of each member that was looked at.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gputide::auth {

struct chain_member {
    std::string name;  // for messages: "workload identity"
    result<std::shared_ptr<credential>> opened;
};

// `name` is the chain's own in messages: "azure-default".  Fails where it is clear by now that no member will ever answer.
result<std::shared_ptr<credential>> make_chain(std::string name, std::vector<chain_member> members);

// A member whose variables are not set: class unavailable with their names; nothing where all of them are.
std::optional<error> absent(const surroundings& host, const std::vector<const char*>& variables);

}  // namespace gputide::auth
