// Documents of Azure's metric APIs.
#include "source/azure/answer.hpp"

#include "base/format_text.hpp"
#include "formats/json/scratch.hpp"
#include "wire/errors.hpp"

#include <utility>

namespace gputide::source::azure {
namespace {

namespace dom = simdjson::dom;
using simdjson::SUCCESS;

error not_json(const http::response& response, std::string_view why) {
    error out = unusable(format_text("the answer is not JSON ({})", why));
    if (formats::outline_of(response.body).looks_cut) {
        out.message = format_text("the answer ends in the middle of its JSON ({} bytes)", response.body.size());
        out.retryable = true;
    }
    out.message += "; check that the address is Azure's, with no proxy or sign-in page before it";
    out.http_status = response.status;
    return out;
}

}  // namespace

result<reading> read_document(const http::answer& answer, const std::function<result<reading>(dom::object)>& how) {
    if (auto why = http::unreadable(answer)) {  // the size, and a content coding that nobody undid
        if (why->status == status::protocol) why->error_class = error_class::protocol;
        return *std::move(why);
    }
    formats::scratch_use own(answer.response.body);
    dom::element root;
    if (const auto why = own->parse(answer.response.body, root); why != SUCCESS) {
        return not_json(answer.response, simdjson::error_message(why));
    }
    dom::object content;
    if (root.get(content) != SUCCESS) return unusable("the answer is JSON, but no object");
    return how(content);
}

error unusable(std::string text) { return fail(error_class::protocol, std::move(text)); }

error no_data(std::string text) { return fail(error_class::no_data, std::move(text)); }

}  // namespace gputide::source::azure
