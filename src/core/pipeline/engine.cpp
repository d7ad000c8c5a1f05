#include "pipeline/engine.hpp"

#include "base/process.hpp"

namespace gputide::pipeline {
namespace {

result<std::shared_ptr<engine>> make_engine() {
    result<std::shared_ptr<http::client>> client = http::client::open({});
    if (!client) return std::move(client).failure();
    auto out = std::make_shared<engine>();
    out->client = *client;
    out->tokens = std::make_shared<auth::token_cache>(out->client);
    return out;
}

constinit process_wide<engine> engines;

}  // namespace

result<std::shared_ptr<engine>> shared_engine() { return engines.get(&make_engine); }

}  // namespace gputide::pipeline
