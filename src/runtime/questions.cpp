#include "runtime/questions.hpp"

#include "auth/crypto/digest.hpp"

#include <algorithm>

namespace gputide::runtime {

std::shared_ptr<question> questions::join(const std::string& query_key) {
    auto made = std::make_shared<question>();
    const std::string digest = auth::sha256(query_key);
    std::copy_n(digest.begin(), std::min(digest.size(), made->key.size()), made->key.begin());
    const std::shared_ptr<question>& one = all_.try_emplace(made->key, made).first->second;
    ++one->askers;
    return one;
}

void questions::leave(const std::shared_ptr<question>& one) {
    if (--one->askers == 0) all_.erase(one->key);
}

bool line::has_company() const {
    return std::any_of(questions_.begin(), questions_.end(),
                       [](const auto& one) { return one->askers.load(std::memory_order_relaxed) > 1; });
}

}  // namespace gputide::runtime
