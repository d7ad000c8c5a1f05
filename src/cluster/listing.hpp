// One collection of the API server, read once and whole, page after page.  Nothing of it is kept or watched.
#pragma once

#include "cluster/api.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gputide::cluster {

// "/api/v1/pods?labelSelector=app%3Dllm", "/apis/policy/v1/namespaces/ml/poddisruptionbudgets".  Errors: class config for what is
// no path of a collection.
result<endpoint> collection_at(std::string_view path);

// The lists as the server wrote them, one behind the other.  A page whose token has expired: the whole list again, in one piece;
// 429 and 503 are waited for as the server asks.  On the loop's thread; `done` never runs inside this call.
std::shared_ptr<http::exchange> list_collection(api api, endpoint collection, std::int64_t deadline_ms,
                                                std::function<void(result<std::string>)> done);

}  // namespace gputide::cluster
