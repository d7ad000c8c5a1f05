// Joins exchanges.
#include "source/dcgm/scrape.hpp"

#include <mutex>
#include <optional>
#include <utility>

namespace gputide::source::dcgm {
namespace {

class asking_all final : public http::exchange, public std::enable_shared_from_this<asking_all> {
  public:
    asking_all(std::size_t count, std::function<void(std::vector<result<exchanged>>)> done)
        : outcomes_(count), missing_(count), done_(std::move(done)) {}

    void start(const std::shared_ptr<http::loop>& on, const auth::authenticator& by,
               const std::vector<result<http::request>>& requests, std::int64_t deadline_ms) {
        std::vector<std::shared_ptr<http::exchange>> parts;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            parts.push_back(
                ask(on, by, requests[i], deadline_ms,
                    [self = shared_from_this(), i](result<exchanged> got) { self->finish(i, std::move(got)); }));
        }
        const std::lock_guard hold(guard_);
        if (done_) parts_ = std::move(parts);
    }

    void cancel() override {
        std::vector<std::shared_ptr<http::exchange>> parts;
        {
            const std::lock_guard hold(guard_);
            done_ = nullptr;
            parts = std::exchange(parts_, {});
        }
        for (const auto& part : parts) part->cancel();
    }

  private:
    void finish(std::size_t index, result<exchanged> got) {
        std::function<void(std::vector<result<exchanged>>)> done;
        std::vector<result<exchanged>> all;
        {
            const std::lock_guard hold(guard_);
            outcomes_[index] = std::move(got);
            if (--missing_ > 0) return;
            done = std::exchange(done_, nullptr);
            parts_ = {};
            for (auto& one : outcomes_) all.push_back(*std::move(one));
        }
        if (done) done(std::move(all));
    }

    std::mutex guard_;
    std::vector<std::optional<result<exchanged>>> outcomes_;
    std::size_t missing_;
    std::function<void(std::vector<result<exchanged>>)> done_;  // empty: finished or cancelled
    std::vector<std::shared_ptr<http::exchange>> parts_;
};

}  // namespace

std::shared_ptr<http::exchange> ask_all(const std::shared_ptr<http::loop>& on, const auth::authenticator& by,
                                        const std::vector<result<http::request>>& requests, std::int64_t deadline_ms,
                                        std::function<void(std::vector<result<exchanged>>)> done) {
    auto out = std::make_shared<asking_all>(requests.size(), std::move(done));
    out->start(on, by, requests, deadline_ms);
    return out;
}

}  // namespace gputide::source::dcgm
