// A list: which page is requested next, and its objects, each read by itself, so that an unreadable object affects only itself.  Pure.
#pragma once

#include "base/result.hpp"
#include "formats/json/scratch.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::kubernetes {

// The known facts of an object that cannot be read.
struct unreadable_object {
    object_key key;                // name "": the name cannot be read either
    std::string resource_version;  // "": cannot be read either
    std::string why;               // "it is nested more than 1024 levels deep"; quotes nothing of the object
};

// Parses the object that lies in `text`.  Integers that 64 bits do not hold become doubles, as in the API server.  Errors: class
// not_json, with the words of unreadable_object::why.
result<simdjson::dom::object> parse_object(formats::scratch& scratch, std::string_view object, const std::string& text);

// Why an object is left out that does not fit into an answer or a line of a watch.
std::string too_large_text();

// Reads the metadata of an object that cannot be parsed, as far as the text goes.
unreadable_object read_unreadable(std::string_view object, std::string why);

// Calls `use` with the object that lies in `text`, or returns what is known of one that cannot be read.
std::optional<unreadable_object> read_item(std::string_view object, const std::string& text,
                                           const std::function<void(simdjson::dom::object)>& use);

// Which page of a list is asked for next, and of how many objects: one that does not fit into an answer is asked for in halves, and
// an object that does not fit by itself is passed over by its metadata alone.  Pure.
// Wire: limit and continue (apiserver's chunking); PartialObjectMetadataList (apimachinery pkg/apis/meta/v1).

class paging {
  public:
    bool is_first() const { return token_.empty(); }
    bool is_metadata_only() const { return is_metadata_only_; }  // of the one object that did not fit

    // Asks for the first page next.  Pages stay as small as they had to be.
    void restart();
    // Asks for what follows.  Pages grow again where twice as much fits.
    void page_came(const std::string& token, std::size_t bytes);
    // Asks for less of a page that did not fit.  False: nothing less can be asked for, or the list begins again in pages.
    bool page_did_not_fit();
    // The token has expired: the whole list in one piece, as the token that comes with the 410 would mix two versions.
    void take_whole();

    api_request request(const endpoint& collection) const;

  private:
    static constexpr std::int64_t max_objects = 250;

    std::string token_;
    std::int64_t objects_ = max_objects;
    bool is_whole_ = false;  // the list in one piece
    bool is_metadata_only_ = false;
};

// Whether the answer is larger than what is read.
bool is_too_large(const reply& reply);

// A page of a list, split into its items before any of them is parsed.  Pure.

struct page {
    bool is_first = false;          // of its list
    bool is_metadata_only = false;  // its item is an object that did not fit
    std::string resource_version;
    std::string token;  // metadata.continue; "": the last page
    std::vector<std::string_view> items;
};

// The items are views of `body`.  Errors: class not_json for a text that is cut or not a JSON object, class shape for one without
// metadata or items.
result<page> read_page(const std::string& body, const paging& asked);

// Calls `use` for each object of a page and its body, and `left_out` for each that cannot be read.
void read_items(const page& page, const std::string& body, const std::function<void(simdjson::dom::object)>& use,
                const std::function<void(const unreadable_object&)>& left_out);

}  // namespace gputide::kubernetes
