// Which scalers of a fleet ask the same, and the loop that a scaler's sources send over: it shares where another one asks the
// same, and goes straight to the endpoints where nobody does.
#pragma once

#include "http/middle/relay.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace gputide::runtime {

// One query (source::metric_source::query_key) and how many metrics ask it.
struct shared_query {
    std::array<unsigned char, 16> key{};  // the beginning of the key's SHA-256: it may hold headers as written
    std::atomic<std::uint32_t> askers{0};
};

// Not thread-safe: the fleet's lock guards it.
class query_table {
  public:
    std::shared_ptr<shared_query> join(const std::string& query_key);
    void leave(const std::shared_ptr<shared_query>& query);
    std::size_t size() const { return all_.size(); }

  private:
    struct hash {
        std::size_t operator()(const std::array<unsigned char, 16>& key) const {
            std::size_t out = 0;
            std::memcpy(&out, key.data(), sizeof out);
            return out;
        }
    };
    std::unordered_map<std::array<unsigned char, 16>, std::shared_ptr<shared_query>, hash> all_;
};

// What one scaler's sources send over.
class query_route final : public http::relay {
  public:
    query_route(std::shared_ptr<http::loop> shared, std::shared_ptr<http::loop> alone)
        : relay(std::move(alone)), shared_(std::move(shared)) {}

    void set_queries(std::vector<std::shared_ptr<shared_query>> queries) {  // before the first send
        queries_ = std::move(queries);
    }
    const std::vector<std::shared_ptr<shared_query>>& queries() const { return queries_; }
    // Another scaler, or another metric of this one, asks one of the same queries.
    bool has_company() const;

    http::ticket send(http::outgoing request, std::int64_t deadline_ms,
                      std::function<void(http::answer)> done) override {
        return (has_company() ? shared_ : behind_)->send(std::move(request), deadline_ms, std::move(done));
    }
    void cancel(http::ticket id) override { shared_->cancel(id); }  // which hands on what is not its own

  private:
    const std::shared_ptr<http::loop> shared_;
    std::vector<std::shared_ptr<shared_query>> queries_;
};

}  // namespace gputide::runtime
