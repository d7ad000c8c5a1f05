// One collection of the API server, read once and whole, page after page.  Nothing of it is kept or watched.
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/watch/list.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gputide::kubernetes {

// "/api/v1/pods?labelSelector=app%3Dllm", "/apis/policy/v1/namespaces/ml/poddisruptionbudgets".  Errors: class config for a
// text that is not a path of a collection.
result<endpoint> collection_at(std::string_view path);

// Takes a page and its body.  A first page that comes again replaces what came before it.
using page_taker = std::function<result<void>(const page& page, const std::string& body)>;

// Reads page after page, in halves where they do not fit.  After an expired token it reads the whole list again, in one piece;
// 429 and 503 are waited for as the server asks.  On the loop's thread; `done` never runs inside this call.
std::shared_ptr<http::exchange> list_pages(api api, endpoint collection, std::int64_t deadline_ms, page_taker take_page,
                                           std::function<void(result<void>)> done);

// The same as the server wrote it, one list behind the other.  An object that does not fit into an answer stands there as a
// PartialObjectMetadata.
std::shared_ptr<http::exchange> list_collection(api api, endpoint collection, std::int64_t deadline_ms,
                                                std::function<void(result<std::string>)> done);

}  // namespace gputide::kubernetes
