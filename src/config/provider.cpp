// The table behind provider.hpp.
#include "config/provider.hpp"

#include <algorithm>
#include <array>

namespace gputide::config {
namespace {

struct provider {
    std::string_view name;
    identity_family family;
    bool advised = true;  // aws-eks is known and out of date
};

// kedacore/keda apis/keda/v1alpha1/triggerauthentication_types.go
constexpr std::array keda = {
    provider{"azure-workload", identity_family::azure},
    provider{"aws", identity_family::aws},
    provider{"aws-eks", identity_family::aws, false},
    provider{"gcp", identity_family::google},
    provider{"none", identity_family::none},
};
constexpr std::array own = {
    provider{"azure-managed-identity", identity_family::azure},
    provider{"azure-client-secret", identity_family::azure},
    provider{"azure-client-certificate", identity_family::azure},
    provider{"azure-cli", identity_family::azure},
    provider{"azure-default", identity_family::azure},
    provider{"bearer-file", identity_family::bearer},
    provider{"bearer-exec", identity_family::bearer},
};

template <class Table>
const provider* find(const Table& in, std::string_view name) {
    const auto at = std::find_if(in.begin(), in.end(), [name](const provider& one) { return one.name == name; });
    return at == in.end() ? nullptr : &*at;
}

const provider* find(std::string_view name) {
    const provider* of_keda = find(keda, name);
    return of_keda != nullptr ? of_keda : find(own, name);
}

template <class Table>
std::string listed(const Table& in) {
    std::string out;
    for (const provider& one : in) {
        if (one.advised) out.append(out.empty() ? "" : ", ").append(one.name);
    }
    return out;
}

}  // namespace

identity_family family_of(std::string_view provider) {
    const auto* found = find(provider);
    return found == nullptr ? identity_family::none : found->family;
}

bool is_provider(std::string_view name) { return find(name) != nullptr; }

std::string providers_in_words() { return listed(keda) + ", or one of gputide's own: " + listed(own); }

}  // namespace gputide::config
