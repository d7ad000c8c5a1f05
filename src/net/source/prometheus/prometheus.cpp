// Joins the pure parts of the prometheus source: settings, request, access, reading, judgement.
#include "source/prometheus/prometheus.hpp"

#include "auth/azure/service_error.hpp"
#include "formats/query_api/parse.hpp"
#include "formats/reduce.hpp"
#include "source/access/open.hpp"
#include "source/prometheus/judge.hpp"
#include "source/prometheus/request.hpp"
#include "source/prometheus/settings.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

namespace gputide::source::prometheus {
namespace {

class prometheus_source final : public metric_source {
  public:
    prometheus_source(const description& described, std::shared_ptr<const query_settings> settings, bool is_azure,
                      auth::authenticator access, std::shared_ptr<http::loop> loop)
        : metric_source(described, described.question, std::move(access), std::move(loop)),
          settings_(std::move(settings)),
          is_azure_(is_azure) {}

    result<http::request> request(std::int64_t now_ms) const override { return request_for(settings_->query, now_ms); }

    result<source::reading> read(const http::answer& answer) const override {
        if (auto no = service_refusal(answer)) return *std::move(no);
        return explained(reads_as_keda() ? parse_as_keda(answer, settings_->query) : formats::query_api::parse(answer));
    }

    // The range, or the value and, if its age is limited, the age query beside it.
    step begin(poll& poll) override {
        queries out;
        if (poll.range) {
            out.push_back({prepared(build_range_request(*settings_, *poll.range))});
            return out;
        }
        out.push_back({request(poll.now_ms)});
        if (!settings_->age_query.empty()) out.push_back({request_for(settings_->age_query, poll.now_ms)});
        return out;
    }

    step next(poll& poll, const std::vector<answered>& answers) override {
        const answered& first = answers.front();
        if (!first) return failed(first.failure(), poll);
        if (poll.range) return range_in(*first, poll);
        fetched out = sample_of(first->answer, poll);
        if (out.why.status != status::ok) out.why = outward(std::move(out.why), poll, *first);
        if (answers.size() == 1) return out;
        return aged(std::move(out), age_in(answers.back(), poll), poll.now_ms, settings_->max_age_ms);
    }

  protected:
    fetched sample_of(const http::answer& answer, const poll& poll) const override {
        if (poll.wanted == detail::everything || reads_as_keda()) return judge(read(answer));
        auto read = numbers_in(answer);
        fetched out = prometheus::judge(read, *settings_);
        if (!read) return out;
        out.reading.result_type = std::move(read->result_type);
        out.reading.warnings = std::move(read->warnings);
        out.reading.infos = std::move(read->infos);
        out.reading.partial = read->partial;
        return out;
    }

  private:
    // A reducer needs all series, which KEDA's reading does not have.
    bool reads_as_keda() const { return settings_->strict && settings_->reduction.reduce.empty(); }

    result<http::request> request_for(std::string_view query, std::int64_t now_ms) const {
        return prepared(build_request(*settings_, query, now_ms));
    }

    // Azure's own message if its gateway refuses, in both of its shapes.
    std::optional<error> service_refusal(const http::answer& answer) const {
        if (!is_azure_) return std::nullopt;
        return auth::service_refusal(answer, settings_->server_address);
    }

    // A redirect is a matter of security if a credential was sent.
    template <class Value>
    result<Value> explained(result<Value> read) const {
        if (read || read.failure().error_class != error_class::redirect) return read;
        error why = std::move(read).failure();
        if (const auto sent = request(0); sent && sent->carries_credential) why.status = status::security;
        return why;
    }

    result<numbers> numbers_in(const http::answer& answer) const {
        if (auto no = service_refusal(answer)) return *std::move(no);
        return explained(formats::query_api::parse_numbers(answer));
    }

    result<numbers> age_in(const answered& answer, const poll& poll) const {
        if (!answer) return outward(answer.failure(), poll);
        auto out = numbers_in(answer->answer);
        if (!out) return outward(std::move(out).failure(), poll, *answer);
        return out;
    }

    // KEDA has no ranges: both profiles read them in the same way.
    fetched range_in(const auth::exchanged& answer, const poll& poll) const {
        if (auto no = service_refusal(answer.answer)) return failed(*std::move(no), poll, answer);
        auto read = explained(formats::query_api::parse(answer.answer));
        if (!read) return failed(std::move(read).failure(), poll, answer);
        fetched out;
        out.why.status = status::ok;
        out.reading = *std::move(read);
        return out;
    }

    const std::shared_ptr<const query_settings> settings_;
    const bool is_azure_;
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
