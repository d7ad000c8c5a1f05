#include "cluster/api.hpp"

#include "auth/asking.hpp"
#include "kube/answer.hpp"

#include <algorithm>
#include <utility>

namespace gputide::cluster {
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

std::int64_t asked_patience_ms(const error& why) { return std::min(why.retry_after_ms, longest_patience_ms); }

std::int64_t missing_patience_ms(std::int32_t failures) {
    constexpr std::int64_t first_ms = 5'000;
    return std::min(longest_patience_ms, first_ms << std::clamp(failures - 1, 0, 4));
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

std::shared_ptr<http::exchange> api::send(const api_request& request, std::function<void(reply)> done) const {
    http::request out = kube::request_for(access_, request.target, request.accept);
    out.method = request.method;
    out.attempt_timeout_ms = request.timeout_ms;
    if (!request.body.empty()) {
        out.set("Content-Type", request.content_type);
        out.body = secret_text(request.body);
    }
    return send(std::move(out), request.target, request.timeout_ms, std::move(done));
}

// No Accept-Encoding: a compressed watch is one gzip member per flush, which nobody unpacks.
std::shared_ptr<http::exchange> api::stream(const endpoint& endpoint, std::int64_t longest_ms,
                                            std::function<void(std::string_view)> take,
                                            std::function<void(reply)> done) const {
    http::request out = kube::request_for(access_, endpoint);
    out.attempt_timeout_ms = longest_ms;
    out.stream = std::make_shared<const std::function<void(std::string_view)>>(std::move(take));
    return send(std::move(out), endpoint, longest_ms, std::move(done));
}

std::shared_ptr<http::exchange> api::send(http::request request, endpoint target, std::int64_t longest_ms,
                                          std::function<void(reply)> done) const {
    result<http::request> prepared = std::move(request);
    if (result<void> ready = access_.authenticator.prepare(*prepared); !ready) prepared = std::move(ready).failure();
    return auth::send_question(
        loop_, access_.authenticator, std::move(prepared), loop_->steady_ms() + longest_ms,
        [target = std::move(target), done = std::move(done)](result<auth::exchanged> exchanged) {
            if (exchanged) return done(judge(std::move(exchanged->answer), target));
            reply out;
            out.why = std::move(exchanged).failure();
            out.verdict = out.why.status == status::auth || out.why.status == status::forbidden ? verdict::denied
                                                                                                : verdict::failed;
            done(std::move(out));
        },
        http::no_repeat());  // who asks knows what a repeat would mean
}

}  // namespace gputide::cluster
