// Joins the pure parts of the prometheus source: settings, request, access, reading, judgement.
#include "source/prometheus/prometheus.hpp"

#include "auth/asking.hpp"
#include "auth/azure/service_error.hpp"
#include "formats/query_api/parse.hpp"
#include "formats/reduce.hpp"
#include "source/access/open.hpp"
#include "source/prometheus/fetch.hpp"
#include "source/prometheus/judge.hpp"
#include "source/prometheus/request.hpp"
#include "source/prometheus/settings.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

namespace gputide::source::prometheus {
namespace {

class prometheus_source final : public metric_source,
                                public answer_reader,
                                public std::enable_shared_from_this<prometheus_source> {
  public:
    prometheus_source(const description& described, std::shared_ptr<const query_settings> settings, bool is_azure,
                      auth::authenticator access, std::shared_ptr<http::loop> loop)
        : metric_source(described, described.question, std::move(access)),
          settings_(std::move(settings)),
          is_azure_(is_azure),
          loop_(std::move(loop)) {}

    result<http::request> request(std::int64_t now_ms) const override { return request_for(settings_->query, now_ms); }

    result<source::reading> read(const http::answer& answer) const override {
        if (auto no = service_refusal(answer)) return *std::move(no);
        auto out = reads_as_keda() ? parse_as_keda(answer, settings_->query) : formats::query_api::parse(answer);
        if (!out) return explained(std::move(out).failure());
        return out;
    }

    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                          std::function<void(fetched)> done, detail wanted) override {
        std::optional<result<http::request>> age;
        if (!settings_->age_query.empty()) age = request_for(settings_->age_query, now_ms);
        return run_fetch(loop_, authenticator(), {shared_from_this(), wanted, settings_->max_age_ms, now_ms},
                         request(now_ms), std::move(age), deadline_ms, std::move(done));
    }

    const std::string& label() const override { return metric_source::label(); }

    result<numbers> numbers_in(const http::answer& answer) const override {
        if (auto no = service_refusal(answer)) return *std::move(no);
        auto out = formats::query_api::parse_numbers(answer);
        if (!out) return explained(std::move(out).failure());
        return out;
    }

    fetched judged(const http::answer& answer, detail wanted) const override {
        if (wanted == detail::everything || reads_as_keda()) return judge(read(answer));
        auto read = numbers_in(answer);
        fetched out = prometheus::judge(read, *settings_);
        if (!read) return out;
        out.reading.result_type = std::move(read->result_type);
        out.reading.warnings = std::move(read->warnings);
        out.reading.infos = std::move(read->infos);
        out.reading.partial = read->partial;
        return out;
    }

    std::shared_ptr<http::exchange> fetch_range(const time_range& over, std::int64_t deadline_ms,
                                                std::function<void(result<source::reading>)> done) override {
        const auto self = shared_from_this();
        return auth::send_question(loop_, authenticator(), prepared(build_range_request(*settings_, over)), deadline_ms,
                                   [self, done = std::move(done)](const result<auth::exchanged>& exchanged) {
                                       done(self->range_in(exchanged));
                                   });
    }

  private:
    // A reducer asks for all series, which KEDA's reading does not have.
    bool reads_as_keda() const { return settings_->strict && settings_->reduction.reduce.empty(); }

    result<http::request> request_for(std::string_view query, std::int64_t now_ms) const {
        return prepared(build_request(*settings_, query, now_ms));
    }

    // Azure's own words for what its gateway refuses, in both of its shapes.
    std::optional<error> service_refusal(const http::answer& answer) const {
        if (!is_azure_) return std::nullopt;
        return auth::service_refusal(answer, settings_->server_address);
    }

    // A redirect is a matter of security where a credential was on its way.
    error explained(error why) const {
        const auto sent = request(0);
        if (why.error_class == error_class::redirect && sent && sent->carries_credential) why.status = status::security;
        return why;
    }

    // KEDA knows no ranges: the whole reader reads them in both profiles.
    result<source::reading> range_in(const result<auth::exchanged>& exchanged) const {
        if (!exchanged) return auth::outward_error(exchanged.failure(), label(), {}, loop_->wall_ms(), 0);
        auto out = [&]() -> result<source::reading> {
            if (auto no = service_refusal(exchanged->answer)) return *std::move(no);
            return formats::query_api::parse(exchanged->answer);
        }();
        if (out) return out;
        return auth::outward_error(explained(std::move(out).failure()), label(), exchanged->sent, loop_->wall_ms(),
                                   exchanged->retry_at_ms);
    }

    const std::shared_ptr<const query_settings> settings_;
    const bool is_azure_;
    const std::shared_ptr<http::loop> loop_;
};

// What open() needs: of an open source only the query's settings are kept, and no credential as it was written.
struct trigger_settings {
    std::shared_ptr<const query_settings> query;
    access::settings access;
};

}  // namespace

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings) {
    description out;
    auto read = read_settings(trigger, rules, profile, findings, &out.lacking);
    if (!read) return std::move(read).failure();
    auto cloud = access::check_cloud(read->access);
    if (!cloud && out.lacking.status == status::ok) out.lacking = at_trigger(std::move(cloud).failure(), trigger);
    // Of an open source only these are kept: no credential as it was written.
    const auto asked = std::make_shared<const query_settings>(*read);
    out.target = std::move(read->target);
    out.asks = asked->query;
    out.shape = shape_of_query(asked->query, asked->reduction.reduce);
    out.question = request_key(*asked);
    out.to_sample = [asked](const reading& whole) { return judge(formats::numbers_of(whole), *asked); };
    out.typed_settings = std::make_shared<const trigger_settings>(trigger_settings{asked, std::move(read->access)});
    return out;
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const auto settings = described.settings_as<trigger_settings>();
    auto authenticator = access::open(settings->access, settings->query->server_address, services);
    if (!authenticator) return std::move(authenticator).failure();
    return std::shared_ptr<metric_source>(std::make_shared<prometheus_source>(
        described, settings->query, settings->access.is_azure(), *std::move(authenticator), services.loop));
}

}  // namespace gputide::source::prometheus
