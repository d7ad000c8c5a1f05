#include "kubernetes/watch/paging.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"

#include <algorithm>

namespace gputide::kubernetes {

void paging::restart() {
    token_.clear();
    is_whole_ = is_metadata_only_ = false;
}

void paging::page_came(const std::string& token, std::size_t bytes) {
    token_ = token;
    is_whole_ = is_metadata_only_ = false;
    if (bytes <= limits::response_bytes / 2) objects_ = std::min(2 * objects_, max_objects);
}

bool paging::page_did_not_fit() {
    if (is_whole_ || is_metadata_only_) {
        is_whole_ = false;
        return false;
    }
    if (objects_ > 1) {
        objects_ /= 2;
    } else {
        is_metadata_only_ = true;
    }
    return true;
}

void paging::take_whole() {
    restart();
    is_whole_ = true;
}

api_request paging::request(const endpoint& collection) const {
    api_request out;
    out.target = collection;
    out.target.verb = "list";
    if (is_metadata_only_) out.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    if (is_whole_) return out;
    out.target.query += format_text("{}limit={}", collection.query.empty() ? "?" : "&", objects_);
    if (!token_.empty()) out.target.query += "&continue=" + percent_encode(token_);
    return out;
}

bool is_too_large(const reply& reply) { return reply.answer.fault == http::fault::too_large; }

}  // namespace gputide::kubernetes
