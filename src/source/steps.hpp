// Several exchanges of one fetch, one after another or side by side, that are cancelled as one.
#pragma once

#include "http/retry.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gputide::source {

class steps final : public http::exchange {
  public:
    // Stopped at once where cancel() was faster.
    void carry(std::shared_ptr<http::exchange> part) {
        {
            const std::lock_guard hold(guard_);
            if (!cancelled_) {
                parts_.push_back(std::move(part));
                return;
            }
        }
        if (part) part->cancel();
    }

    void cancel() override {
        std::vector<std::shared_ptr<http::exchange>> parts;
        {
            const std::lock_guard hold(guard_);
            cancelled_ = true;
            parts.swap(parts_);
        }
        for (const auto& one : parts) one->cancel();
    }

  private:
    std::mutex guard_;
    bool cancelled_ = false;
    std::vector<std::shared_ptr<http::exchange>> parts_;
};

}  // namespace gputide::source
