// The requests that wait for a place (budget.hpp) or are under way.  On the loop's thread.
#pragma once

#include "kubernetes/api/api.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

namespace gputide::kubernetes {

class request_queue : public std::enable_shared_from_this<request_queue> {
  public:
    request_queue(std::shared_ptr<http::loop> runs_on, kube::access server)
        : loop(std::move(runs_on)), access(std::move(server)) {}
    request_queue(const request_queue&) = delete;
    request_queue& operator=(const request_queue&) = delete;
    ~request_queue();

    const std::shared_ptr<http::loop> loop;
    const kube::access access;

    std::shared_ptr<api_exchange> add(const endpoint& target, std::shared_ptr<api_exchange> request);
    void leave(request_budget::ticket place);  // ended, dropped or canceled
    void send_waiting();
    void send_waiting_later() noexcept;
    void drop_waiting();
    // Without waiting.
    std::shared_ptr<http::exchange> transmit(http::request request, endpoint target, std::int64_t longest_ms,
                                             std::function<void(reply)> done) const;

  private:
    request_budget budget_;
    std::map<request_budget::ticket, std::shared_ptr<api_exchange>> requests_;  // that wait or are under way
    bool is_sending_later_ = false;
};

}  // namespace gputide::kubernetes
