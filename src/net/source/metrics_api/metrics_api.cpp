// Combines the pure parts of the metrics-api source.
#include "source/metrics_api/metrics_api.hpp"

#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "formats/exposition/page.hpp"
#include "source/access/access.hpp"
#include "source/judge.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <memory>
#include <utility>

namespace gputide::source::metrics_api {
namespace {

http::request build_request(const settings& settings) {
    http::request out;
    out.url = settings.url;
    const auto parts = http::parse_url(out.url);
    out.carries_credential = (parts && parts->has_user_info) || !settings.query_key.empty();
    if (!settings.query_key.empty()) {
        out.url += (parts && parts->has_query ? "&" : "?") + std::string(settings.query_key.reveal());
    }
    if (settings.format == format::prometheus) out.set("Accept", std::string(formats::exposition::accept));
    out.attempt_timeout_ms = settings.timeout_ms;
    out.connect_timeout_ms = settings.timeout_ms;
    return out;
}

std::string request_key(const settings& settings) {
    return format_text("metrics-api\n{}\n{}\n{}{}\n{}{}", build_request(settings).url, settings.location,
                       static_cast<std::int32_t>(settings.format), settings.reduction.reduce, settings.timeout_ms,
                       settings.access.unsafe_ssl ? " unverified" : " verified");
}

// Removes the key from errors here: it is part of the URL, which a response or the transport may repeat.  Headers are removed
// later.
result<reading> read_redacted(const http::answer& answer, const settings& settings) {
    auto out = read_answer(answer, settings);
    if (out || settings.query_key.empty()) return out;
    error why = out.take_failure();
    why.message = redact(why.message, {settings.access.api_key.reveal(), settings.query_key.reveal()});
    return why;
}

}  // namespace

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings) {
    error lacking{status::ok};
    auto out = description_of(read_settings(trigger, rules, profile, findings, &lacking), lacking,
                              {&judge, &request_key, &settings::location});
    if (!out) return out;
    const auto read = out->settings_as<settings>();
    if (read->format != format::prometheus || read->series.metrics.size() != 1) return out;
    series_use use;
    use.metric = read->series.metrics.front();
    use.reduce = read->reduction.reduce;
    out->shape = shape_of_series(use);
    return out;
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const auto settings = described.settings_as<metrics_api::settings>();
    auto access = access::open(settings->access, {}, services);
    if (!access) return access.take_failure();
    return make_request_source(
        described,
        {.request = [settings](std::int64_t) { return build_request(*settings); },
         .read = [settings](const http::answer& answer) { return read_redacted(answer, *settings); },
         .max_age_ms = settings->max_age_ms,
         .age_remedy = "check whether the API still gets new values"},
        *std::move(access), services.loop);
}

}  // namespace gputide::source::metrics_api
