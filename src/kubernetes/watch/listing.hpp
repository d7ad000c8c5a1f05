// Reads a whole collection of the API server once, page by page.  Keeps and watches nothing.
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/watch/list.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gputide::kubernetes {

// Returns the endpoint of a path such as "/api/v1/pods?labelSelector=app%3Dllm" or
// "/apis/policy/v1/namespaces/ml/poddisruptionbudgets".  Error class config: the text is not the path of a collection.
result<endpoint> collection_at(std::string_view path);

// Receives a page and its body.  If a first page comes a second time, the earlier pages are obsolete.
using page_taker = std::function<result<void>(const page& page, const std::string& body)>;

// Reads a collection page by page, with smaller pages if they are too large.  Reads the whole list in one response if the token
// expired.  Waits after 429 and 503 as the server asks.  Runs on the loop's thread; `done` never runs inside this call.
std::shared_ptr<http::exchange> list_pages(api api, endpoint collection, std::int64_t deadline_ms, page_taker take_page,
                                           std::function<void(result<void>)> done);

// Returns the pages as the server sent them, concatenated.  An object that is too large for a response appears as a
// PartialObjectMetadata.
std::shared_ptr<http::exchange> list_collection(api api, endpoint collection, std::int64_t deadline_ms,
                                                std::function<void(result<std::string>)> done);

}  // namespace gputide::kubernetes
