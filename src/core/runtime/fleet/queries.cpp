#include "runtime/fleet/queries.hpp"

#include "auth/crypto/digest.hpp"

#include <algorithm>

namespace gputide::runtime {

std::shared_ptr<shared_query> query_table::join(const std::string& query_key) {
    auto fresh = std::make_shared<shared_query>();
    const std::string digest = auth::sha256(query_key);
    std::copy_n(digest.begin(), std::min(digest.size(), fresh->key.size()), fresh->key.begin());
    const std::shared_ptr<shared_query>& query = all_.try_emplace(fresh->key, fresh).first->second;
    ++query->askers;
    return query;
}

void query_table::leave(const std::shared_ptr<shared_query>& query) {
    if (--query->askers == 0) all_.erase(query->key);
}

bool query_route::has_company() const {
    return std::any_of(queries_.begin(), queries_.end(),
                       [](const auto& query) { return query->askers.load(std::memory_order_relaxed) > 1; });
}

}  // namespace gputide::runtime
