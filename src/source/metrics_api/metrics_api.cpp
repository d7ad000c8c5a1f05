// Joins the pure parts of the metrics-api source.
#include "source/metrics_api/metrics_api.hpp"

#include "base/redact.hpp"
#include "source/exchange.hpp"
#include "source/exposition/format.hpp"
#include "source/metrics_api/answer.hpp"
#include "source/metrics_api/settings.hpp"
#include "source/prometheus/access.hpp"
#include "source/question.hpp"
#include "source/target.hpp"

#include <memory>
#include <utility>

namespace gputide::source::metrics_api {
namespace {

http::request build_request(const settings& from) {
    http::request out;
    out.url = from.url;
    const auto parts = http::parse_url(out.url);
    out.carries_credential = (parts && parts->has_user_info) || !from.query_key.empty();
    if (!from.query_key.empty()) {
        out.url += (parts && parts->has_query ? "&" : "?") + std::string(from.query_key.reveal());
    }
    if (from.format == format::prometheus) out.set("Accept", std::string(exposition::accept));
    out.attempt_timeout_ms = from.timeout_ms;
    out.connect_timeout_ms = from.timeout_ms;
    return out;
}

std::string request_key(const settings& from) {
    return "metrics-api\n" + build_request(from).url + "\n" + from.location + "\n" +
           std::to_string(static_cast<std::int32_t>(from.format)) + from.reduction.reduce + "\n" +
           std::to_string(from.timeout_ms) + (from.access.unsafe_ssl ? " unverified" : " verified");
}

// Headers are kept out of every error later; a key in the URL, which an answer or a transport may repeat, here.
result<reading> read_untold(const http::answer& got, const settings& by) {
    auto out = read_answer(got, by);
    if (out || by.query_key.empty()) return out;
    error why = std::move(out).failure();
    why.message = redact(why.message, {by.access.access.api_key.reveal(), by.query_key.reveal()});
    return why;
}

}  // namespace

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings) {
    auto got = read_settings(from, rules, as, findings);
    if (!got) return std::move(got).failure();
    auto by = prometheus::open_access(got->access, from.auth, with);
    if (!by) return at_trigger(std::move(by).failure(), from);
    const auto what = std::make_shared<const settings>(*std::move(got));
    question asked;
    asked.target = what->target;
    asked.key = request_key(*what);
    asked.label = from.label();
    asked.retry = one_safe_repeat();
    asked.build = [what](std::int64_t) { return build_request(*what); };
    asked.read = [what](const http::answer& one) { return read_untold(one, *what); };
    asked.judge = [what](const reading& one) { return judge(one, *what); };
    asked.max_age_ms = what->max_age_ms;
    asked.age_remedy = "check whether the API still gets new values";
    return made(std::move(asked), *std::move(by), with);
}

}  // namespace gputide::source::metrics_api
