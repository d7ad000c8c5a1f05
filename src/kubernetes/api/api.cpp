#include "kubernetes/api/api.hpp"

#include "kube/answer.hpp"
#include "kubernetes/api/request_queue.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

verdict verdict_of(std::int32_t code) {
    switch (code) {
        case 401:
        case 403:
            return verdict::denied;
        case 404:
            return verdict::missing;
        case 409:
            return verdict::conflict;
        case 410:
            return verdict::gone;
        case 400:
        case 422:
            return verdict::refused;
        case 429:
        case 503:
            return verdict::throttled;
        case 500:
        case 504:
            return verdict::unknown;
        default:
            return verdict::failed;
    }
}

// Whether the request may have reached the server.
bool may_have_happened(http::fault fault) {
    return fault == http::fault::timeout || fault == http::fault::deadline || fault == http::fault::reset;
}

}  // namespace

std::int64_t requested_delay_ms(const error& why) { return std::min(why.retry_after_ms, max_retry_delay_ms); }

std::int64_t retry_delay_ms(std::int32_t failures) {
    constexpr std::int64_t first_ms = 5'000;
    return std::min(max_retry_delay_ms, first_ms << std::clamp(failures - 1, 0, 4));
}

reply judge(http::answer answer, const endpoint& endpoint) {
    reply out;
    if (auto no = kube::refusal(answer, endpoint)) {
        out.why = *std::move(no);
        out.verdict = answer.arrived() ? verdict_of(answer.response.status) : verdict::failed;
        if (!answer.arrived() && may_have_happened(answer.fault)) out.verdict = verdict::unknown;
    } else {
        out.why = error(status::ok);
        out.verdict = verdict::good;
    }
    out.answer = std::move(answer);
    return out;
}

api_request merge_patch(endpoint target, std::string body, std::int64_t timeout_ms) {
    api_request out;
    out.target = std::move(target);
    out.target.query = "?fieldManager=gputide";
    out.target.verb = "patch";
    out.method = "PATCH";
    out.body = std::move(body);
    out.content_type = "application/merge-patch+json";
    out.timeout_ms = timeout_ms;
    return out;
}

request_maker always(api_request request) {
    return [request = std::move(request)] { return std::optional(request); };
}

api::api(std::shared_ptr<http::loop> loop, kube::access access)
    : queue_(std::make_shared<request_queue>(std::move(loop), std::move(access))) {}

http::loop& api::loop() const { return *queue_->loop; }
const kube::access& api::at() const { return queue_->access; }

std::shared_ptr<api_exchange> api::send(const endpoint& target, request_maker make,
                                        std::function<void(reply)> done) const {
    return queue_->add(target, std::make_shared<api_exchange>(queue_, std::move(make), std::move(done)));
}

request_maker api::in_time(api_request request) const {
    const std::int64_t until_ms = loop().steady_ms() + request.timeout_ms;
    return [this_loop = queue_->loop, request = std::move(request), until_ms] {
        std::optional<api_request> out;
        const std::int64_t left_ms = until_ms - this_loop->steady_ms();
        if (left_ms <= 0) return out;
        out = request;
        out->timeout_ms = left_ms;
        return out;
    };
}

void api::drop_waiting() const { queue_->drop_waiting(); }

// No Accept-Encoding: a compressed watch is one gzip member per flush, which nobody unpacks.
std::shared_ptr<http::exchange> api::stream(const endpoint& endpoint, std::int64_t longest_ms,
                                            std::function<void(std::string_view)> take,
                                            std::function<void(reply)> done) const {
    http::request out = kube::request_for(at(), endpoint);
    out.attempt_timeout_ms = longest_ms;
    out.stream = std::make_shared<const std::function<void(std::string_view)>>(std::move(take));
    return queue_->transmit(std::move(out), endpoint, longest_ms, std::move(done));
}

}  // namespace gputide::kubernetes
