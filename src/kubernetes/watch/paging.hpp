// Which page of a list is asked for next, and of how many objects: one that does not fit into an answer is asked for in halves, and
// an object that does not fit by itself is passed over by its metadata alone.  Pure.
// Wire: limit and continue (apiserver's chunking); PartialObjectMetadataList (apimachinery pkg/apis/meta/v1).
#pragma once

#include "kubernetes/api/api.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace gputide::kubernetes {

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

}  // namespace gputide::kubernetes
