// Several exchanges of one fetch, one after another, that are cancelled as one.
#pragma once

#include "http/exchange.hpp"

#include <memory>
#include <utility>

namespace gputide::source {

class steps final : public http::exchange {
  public:
    // The next one; stopped at once where cancel() was faster.
    void carry(std::shared_ptr<http::exchange> step) {
        if (!cancelled_) {
            step_ = std::move(step);
        } else if (step) {
            step->cancel();
        }
    }

    void cancel() override {
        cancelled_ = true;
        if (const auto step = std::exchange(step_, nullptr)) step->cancel();
    }

  private:
    bool cancelled_ = false;
    std::shared_ptr<http::exchange> step_;
};

}  // namespace gputide::source
