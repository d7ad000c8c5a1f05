// Selects the next page of a list to request, and reads each object by itself, so that an unreadable object affects no other.
// Pure.
#pragma once

#include "base/callback.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "formats/json/scratch.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::kubernetes {

// An object that cannot be read, as far as it is known.
struct unreadable_object {
    object_key key;                // name "": unreadable
    std::string resource_version;  // "": unreadable
    std::string why;               // "it is nested more than 1024 levels deep"; quotes nothing of the object
};

// Parses `object`, a part of `text`.  Integers above 64 bits become doubles, as in the API server.  The error's class is not_json
// and its message suits unreadable_object::why.
result<simdjson::dom::object> parse_object(formats::scratch& scratch, std::string_view object, const std::string& text);

// Returns the reason for leaving out an object that is too large for a response or a line of a watch.
std::string too_large_text();

// Reads the metadata of an object that cannot be parsed, as far as possible.
unreadable_object read_unreadable(std::string_view object, std::string why);

// Calls `use` with the parsed object, or returns what is known of an unreadable one.  `object` is a part of `text`.
std::optional<unreadable_object> read_item(std::string_view object, const std::string& text,
                                           function_ref<void(simdjson::dom::object)> use);

// Selects the next page of a list and its size.  A page that is too large is requested again with half the objects.  A single
// object that is too large is requested as metadata only.  Pure.
// Wire format: limit and continue (apiserver's chunking); PartialObjectMetadataList (apimachinery pkg/apis/meta/v1).

class paging {
  public:
    bool is_first() const { return token_.empty(); }
    bool is_metadata_only() const { return is_metadata_only_; }  // the page is one object that is too large

    // Selects the first page.  Keeps the reduced page size.
    void restart();
    // Selects the next page.  Doubles the page size again if the last response was at most half of the limit.
    void page_came(const std::string& token, std::size_t bytes);
    // Selects a smaller page after one that was too large.  Returns false if that is not possible, or if the list restarts in
    // pages.
    bool page_did_not_fit();
    // Selects the whole list in one response after the token expired.  The token in a 410 would combine two resource versions.
    void take_whole();

    api_request request(const endpoint& collection) const;

  private:
    static constexpr std::int64_t max_objects = 250;

    std::string token_;
    std::int64_t objects_ = max_objects;
    bool is_whole_ = false;  // the whole list in one response
    bool is_metadata_only_ = false;
};

// Tells whether the response exceeded the size limit.
bool is_too_large(const reply& reply);

// A page of a list, split into items that are not parsed yet.  Pure.

struct page {
    bool is_first = false;          // the first page of the list
    bool is_metadata_only = false;  // its item is the metadata of an object that is too large
    std::string resource_version;
    std::string token;  // metadata.continue; "": the last page
    std::vector<std::string_view> items;
};

// Splits a page; the items are views of `body`.  Error classes: not_json for a text that is incomplete or not a JSON object,
// shape if metadata or items is missing.
result<page> read_page(const std::string& body, const paging& asked);

// Calls `use` with each readable object of a page, and `left_out` for each unreadable one.
void read_items(const page& page, const std::string& body, function_ref<void(simdjson::dom::object)> use,
                function_ref<void(const unreadable_object&)> left_out);

// Reads a whole collection of the API server once, page by page.  Keeps and watches nothing.

// Returns the endpoint of a path such as "/api/v1/pods?labelSelector=app%3Dllm" or
// "/apis/policy/v1/namespaces/ml/poddisruptionbudgets".  Error class config: the text is not the path of a collection.
result<endpoint> collection_at(std::string_view path);

// Receives a page and its body.  If a first page comes a second time, the earlier pages are obsolete.
using page_taker = callback<result<void>(const page& page, const std::string& body)>;

// Reads a collection page by page, with smaller pages if they are too large.  Reads the whole list in one response if the token
// expired.  Waits after 429 and 503 as the server asks.  Runs on the loop's thread; `done` never runs inside this call.
std::shared_ptr<http::exchange> list_pages(std::shared_ptr<api> api, endpoint collection, std::int64_t deadline_ms,
                                           page_taker take_page, callback<void(result<void>)> done);

// Returns the pages as the server sent them, concatenated.  An object that is too large for a response appears as a
// PartialObjectMetadata.
std::shared_ptr<http::exchange> list_collection(std::shared_ptr<api> api, endpoint collection, std::int64_t deadline_ms,
                                                callback<void(result<std::string>)> done);

}  // namespace gputide::kubernetes
