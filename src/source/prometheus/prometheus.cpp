// Joins the pure parts of the prometheus source: settings, request, access, reading, judgement.
#include "source/prometheus/prometheus.hpp"

#include "source/azure/answer.hpp"
#include "source/exchange.hpp"
#include "source/prometheus/access.hpp"
#include "source/prometheus/fetch.hpp"
#include "source/prometheus/judge.hpp"
#include "source/prometheus/parse.hpp"
#include "source/prometheus/request.hpp"
#include "source/prometheus/settings.hpp"
#include "source/reduce.hpp"
#include "source/target.hpp"

namespace gputide::source::prometheus {
namespace {

class prometheus_source final : public metric_source,
                                public answer_reader,
                                public std::enable_shared_from_this<prometheus_source> {
  public:
    prometheus_source(query_settings what, bool is_azure, auth::authenticator by, std::shared_ptr<http::loop> on,
                      std::string label)
        : what_(std::move(what)),
          is_azure_(is_azure),
          by_(std::move(by)),
          on_(std::move(on)),
          label_(std::move(label)) {}

    const source::target& target() const override { return what_.target; }

    const auth::authenticator* access() const override { return &by_; }

    std::string query_key() const override { return request_key(what_) + "\n" + by_.key(); }

    result<http::request> request(std::int64_t now_ms) const override { return request_for(what_.query, now_ms); }

    result<source::reading> read(const http::answer& got) const override {
        if (auto no = service_refusal(got)) return *std::move(no);
        auto out = reads_as_keda() ? parse_as_keda(got, what_.query) : parse(got);
        if (!out) return explained(std::move(out).failure());
        return out;
    }

    fetched judge(result<source::reading> got) const override {
        if (!got) return judge_failure(std::move(got).failure());
        fetched out = prometheus::judge(numbers_of(*got), what_);
        out.reading = *std::move(got);
        return out;
    }

    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                          std::function<void(fetched)> done, detail wanted) override {
        std::optional<result<http::request>> age;
        if (!what_.age_query.empty()) age = request_for(what_.age_query, now_ms);
        return run_fetch(on_, by_, {shared_from_this(), wanted, what_.max_age_ms, now_ms}, request(now_ms),
                         std::move(age), deadline_ms, std::move(done));
    }

    const std::string& label() const override { return label_; }

    result<numbers> numbers_in(const http::answer& got) const override {
        if (auto no = service_refusal(got)) return *std::move(no);
        auto out = parse_numbers(got);
        if (!out) return explained(std::move(out).failure());
        return out;
    }

    fetched judged(const http::answer& got, detail wanted) const override {
        if (wanted == detail::everything || reads_as_keda()) return judge(read(got));
        auto read = numbers_in(got);
        fetched out = prometheus::judge(read, what_);
        if (!read) return out;
        out.reading.result_type = std::move(read->result_type);
        out.reading.warnings = std::move(read->warnings);
        out.reading.infos = std::move(read->infos);
        out.reading.partial = read->partial;
        return out;
    }

    bool has_range() const override { return true; }

    std::shared_ptr<http::exchange> fetch_range(const time_range& over, std::int64_t deadline_ms,
                                                std::function<void(result<source::reading>)> done) override {
        const auto self = shared_from_this();
        return ask(on_, by_, prepared(build_range_request(what_, over)), deadline_ms,
                   [self, done = std::move(done)](const result<exchanged>& got) { done(self->range_in(got)); });
    }

  private:
    // A reducer asks for all series, which KEDA's reading does not have.
    bool reads_as_keda() const { return what_.strict && what_.reduction.reduce.empty(); }

    result<http::request> request_for(std::string_view query, std::int64_t now_ms) const {
        return prepared(build_request(what_, query, now_ms));
    }

    result<http::request> prepared(result<http::request> out) const {
        if (!out) return out;
        if (auto prepared = by_.prepare(*out); !prepared) {
            error why = std::move(prepared).failure();
            why.where = named(label_);
            return why;
        }
        return out;
    }

    // Azure's own words for what its gateway refuses, in both of its shapes.
    std::optional<error> service_refusal(const http::answer& got) const {
        if (!is_azure_) return std::nullopt;
        return azure::refusal(got, what_.server_address);
    }

    // A redirect is a matter of security where a credential was on its way.
    error explained(error why) const {
        const auto sent = request(0);
        if (why.error_class == error_class::redirect && sent && sent->carries_credential) why.status = status::security;
        return why;
    }

    // KEDA knows no ranges: the whole reader reads them in both profiles.
    result<source::reading> range_in(const result<exchanged>& got) const {
        if (!got) return told(got.failure(), label_, {}, on_->wall_ms(), 0);
        auto out = [&]() -> result<source::reading> {
            if (auto no = service_refusal(got->got)) return *std::move(no);
            return parse(got->got);
        }();
        if (out) return out;
        return told(explained(std::move(out).failure()), label_, got->sent, on_->wall_ms(), got->retry_at_ms);
    }

    const query_settings what_;
    const bool is_azure_;
    const auth::authenticator by_;
    const std::shared_ptr<http::loop> on_;
    const std::string label_;
};

}  // namespace

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings) {
    auto what = read_settings(from, rules, as, findings);
    if (!what) return std::move(what).failure();
    if (auto read = read_key_file(from, with, what->identity); !read)
        return at_trigger(std::move(read).failure(), from);
    auto by = open_access(*what, what->identity, with);
    if (!by) return at_trigger(std::move(by).failure(), from);
    const bool is_azure = what->access.is_azure();
    query_settings& asked = *what;  // the rest is not kept
    return std::shared_ptr<metric_source>(
        std::make_shared<prometheus_source>(std::move(asked), is_azure, *std::move(by), with.loop, from.label()));
}

}  // namespace gputide::source::prometheus
