// The steps in their order.
#include "doctor/walk.hpp"

#include "auth/azure/token_file.hpp"
#include "auth/open.hpp"
#include "config/unfed.hpp"
#include "doctor/age.hpp"
#include "doctor/environment.hpp"
#include "doctor/pods.hpp"
#include "doctor/query.hpp"
#include "doctor/series.hpp"
#include "doctor/token.hpp"
#include "doctor/token_file.hpp"
#include "doctor/value.hpp"
#include "source/judge.hpp"

#include <utility>

namespace gputide::doctor {
namespace {

// Of a metric that is read from pods, or that somebody must bring.
step judge_unfed(const decide::metric_policy& metric, bool is_brought) {
    if (is_brought) return passed(step_name::value, "it comes with the host's observation; there is nothing to ask");
    const std::string& name = metric.resource.empty() ? metric.name : metric.resource;
    return broken(step_name::value, "nobody reads this metric", config::unfed_text(metric.kind, name),
                  config::unfed_remedy(metric.kind, name));
}

class walker {
  public:
    walker(const asker& asker, const way& along)
        : by_(asker), along_(along), whose_(along.whose), asked_(question_of(along.whose)) {}

    walked go() {
        introduce();
        auto opened = along_.open ? along_.open() : open(whose_.trigger, whose_.rules, whose_);
        if (!opened) {
            refuse(std::move(opened).failure());
            return std::move(out_);
        }
        source_ = *std::move(opened);
        if (source_->metric().traits->is_pushed) {
            take_pushed();
        } else if (prove_identity() && reach_endpoint() && ask()) {
            look_closer();
        }
        return std::move(out_);
    }

  private:
    std::string metadata(const char* key) const {
        const auto found = whose_.trigger.metadata.find(key);
        return found == whose_.trigger.metadata.end() ? std::string() : found->second;
    }

    // False: the walk ends here.
    bool add(step one) {
        const bool goes_on = one.verdict != verdict::failed;
        out_.report.steps.push_back(std::move(one));
        return goes_on;
    }
    // The same for a step before the query: what stopped it is why the trigger has no value.
    bool add(step one, const error& why) {
        if (add(std::move(one))) return true;
        out_.sample = source::judge_failure(why).sample;
        out_.read_error = why.message;
        return false;
    }

    void introduce() {
        out_.report.metric = along_.metric.label();
        out_.report.label = whose_.trigger.label();
        out_.report.index = whose_.trigger.index;
        out_.report.type = whose_.trigger.type;
        out_.report.asks = asked_.text;
        out_.sample.state = sample_state::failed;
        out_.sample.status = status::unavailable;
    }

    // The source opened before without a host to read from, so it is the credential that does not.
    void refuse(const error& why) {
        environment seen = environment_of({});
        seen.why = why;
        if (add(judge_environment(seen), why)) add(judge_authority_setting(why), why);
    }

    environment environment_of(const std::string& how) const {
        environment out;
        out.how = how;
        out.provider = whose_.trigger.auth.provider;
        if (!metadata("authModes").empty() || !metadata("authMode").empty()) return out;
        const config::authentication& identity = whose_.trigger.auth;
        for (const config::injected_setting& one : auth::injected_settings(out.provider)) {
            const auto written = one.written_as != nullptr ? identity.*one.written_as : std::nullopt;
            const bool from_key = written && !written->empty();
            const std::string variable(one.variable);
            out.settings.push_back({std::string(one.shown_as), variable, std::string(one.key),
                                    from_key ? *written : whose_.services.host->environment(variable).value_or(""),
                                    from_key, one.is_needed});
        }
        return out;
    }

    // Sources that ask Azure alone take an application of Entra from their own keys, too.
    bool is_of_azure() const {
        return auth::family_of(whose_.trigger.auth.provider) == config::identity_family::azure ||
               !source_->metric().traits->role.name.empty();
    }

    void take_pushed() {
        const bool resource = !source_->target().resource.empty();
        if (along_.pushed) {
            out_.sample = *along_.pushed;
            judge_number({}, {});
            return;
        }
        out_.sample = {};
        add(resource ? judge_unfed(along_.metric, along_.is_brought)
                     : passed(step_name::value, "the host pushes this number; there is nothing to ask"));
    }

    bool prove_identity() {
        if (source_->access() == nullptr) return true;  // this machine itself is asked
        const auth::access& how = source_->access()->how();
        if (!how.credential) {
            const std::string modes = metadata("authModes").empty() ? metadata("authMode") : metadata("authModes");
            return modes.empty() || add(judge_environment(environment_of("authModes " + modes +
                                                                         ", from the "
                                                                         "TriggerAuthentication")));
        }
        who_ = how.credential->about();
        std::string kind = who_.kind.empty() ? "a cloud credential" : who_.kind;
        if (!who_.client_id.empty()) kind += ": client " + who_.client_id;
        if (!who_.tenant.empty()) kind += ", tenant " + who_.tenant;
        return add(judge_environment(environment_of(kind))) && see_token_file() && reach_authority() && get_token(how);
    }

    bool see_token_file() {
        if (who_.token_file.empty()) return true;
        token_file seen;
        seen.path = who_.token_file;
        seen.now_ms = by_.wall_ms();
        const auto read = auth::read_token_file(*whose_.services.host, seen.path);
        auto claims = read ? auth::read_claims(read->reveal()) : result<auth::claims>(read.failure());
        if (claims) {
            seen.claims = *claims;
            assertion_ = *std::move(claims);
        } else {
            seen.why = std::move(claims).failure();
        }
        return add(judge_token_file(seen), seen.why);
    }

    bool reach_authority() {
        if (who_.authority.empty()) return true;
        const reach seen = by_.look_at(who_.authority, who_.tls);
        return add(judge_reach(step_name::authority, seen), http_error(seen));
    }

    bool get_token(const auth::access& how) {
        token seen;
        seen.who = who_;
        seen.scope = how.audience.scope;
        seen.assertion = assertion_;
        auto token = by_.token(*whose_.services.tokens, how.credential, how.audience.scope);
        seen.now_ms = by_.wall_ms();
        if (token) {
            seen.expires_at_ms = token->expires_at_ms;
            if (auto claims = auth::read_claims(token->value.reveal())) seen.claims = claims_ = *std::move(claims);
        } else {
            seen.why = std::move(token).failure();
        }
        return add(judge_token(seen), seen.why);
    }

    static error http_error(const reach& seen) { return fail(status::unavailable, seen.answer.fault_text); }

    bool reach_endpoint() {
        if (source_->access() == nullptr) return true;
        const std::vector<result<http::request>> requests = source_->requests(whose_.now_ms);
        std::string all;
        step first;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (!requests[i]) {
                return add(broken(step_name::endpoint, requests[i].failure().message,
                                  "The trigger's address may not be asked with what it would carry.",
                                  "Correct the address, or allow it in the host program as the text says."),
                           requests[i].failure());
            }
            const auto parts = http::parse_url(requests[i]->url);
            if (i == 0 && parts) host_ = parts->host;
            const reach seen = by_.look_at(requests[i]->url, requests[i]->tls, requests[i]->is_http2);
            step one = judge_reach(step_name::endpoint, seen);
            if (one.verdict == verdict::failed) return add(std::move(one), http_error(seen));
            if (i == 0 || one.verdict > first.verdict) first = std::move(one);
        }
        if (requests.size() > 1) first.seen += "; so do " + std::to_string(requests.size() - 1) + " more";
        return add(std::move(first));
    }

    bool ask() {
        const std::int64_t started_ms = by_.steady_ms();
        got_ = by_.fetch(*source_, whose_.now_ms);
        const std::int64_t took_ms = by_.steady_ms() - started_ms;
        constexpr std::int64_t again_ms = 1'500;
        // A counter's first reading gives no rate; the second does.
        if (got_.why.status == status::no_data && asked_.is_rate && by_.left_ms() > again_ms) {
            by_.pause(again_ms);
            got_ = by_.fetch(*source_, whose_.now_ms + again_ms);
        }
        out_.sample = got_.sample;
        out_.read_error = got_.why.message;
        out_.pods = got_.pods;
        query seen;
        seen.traits = *source_->metric().traits;
        seen.text = out_.report.asks;
        seen.host = host_;
        if (source_->access() != nullptr) {
            const auth::access& how = source_->access()->how();
            seen.with_credential = how.credential || how.header;
            seen.of_azure = how.credential && is_of_azure();
            seen.client = who_.client_id;
        }
        seen.claims = claims_;
        seen.took_ms = took_ms;
        seen.warnings = got_.reading.warnings;
        // An answer that gives no number is for the steps behind this one.
        const bool answered = gputide::answered(got_.sample.state) || got_.why.error_class == error_class::bad_type;
        const bool incomplete = got_.sample.state == sample_state::partial;
        seen.why = got_.why;
        if (answered && !incomplete) seen.why.status = status::ok;
        return add(judge_query(seen));
    }

    void look_closer() {
        if (got_.pods) return look_at_pods();
        const background behind = look_behind(by_, whose_, asked_);
        series counted;
        counted.inquiry = asked_.inquiry;
        counted.query = out_.report.asks;
        for (const source::series& one : got_.reading.series) counted.answer.push_back(one.labels);
        counted.sample = got_.sample;
        counted.said = got_.why.status == status::ok ? std::string() : got_.why.message;
        counted.selections = behind.selections;
        if (got_.reading.result_type == "string") counted.answer.emplace_back();
        if (!add(judge_series(counted))) return;
        const bool nothing = counted.answer.empty();
        if (nothing) return judge_activity();
        if (!judge_age(behind)) return;
        judge_number(behind.past, behind.metric);
    }

    // Each pod's value counts, and the HPA knows no activation: the steps are others.
    void look_at_pods() {
        const pods seen{along_.metric, *got_.pods};
        if (add(judge_pods(seen))) add(judge_use(seen));
    }

    bool judge_age(const background& behind) {
        age seen;
        seen.metric = out_.report.asks;
        seen.sample = got_.sample;
        seen.said = got_.why.message;
        seen.now_ms = whose_.now_ms;
        seen.max_age_ms = whose_.rules.max_age_ms;
        seen.oldest_ms = behind.oldest_ms;
        const bool by_query = asked_.inquiry == source::inquiry::query;
        const bool has_time = !by_query && got_.sample.time_ms != 0 && got_.sample.time_ms < whose_.now_ms;
        if (has_time) {
            seen.oldest_ms = got_.sample.time_ms;
        } else {
            seen.tempo = behind.tempo;
        }
        seen.by_query = by_query;
        seen.from_exporter = behind.metric.compare(0, 5, "DCGM_") == 0;
        return add(doctor::judge_age(seen));
    }

    void judge_number(const std::vector<source::series>& past, const std::string& metric) {
        value seen;
        seen.query = out_.report.asks;
        seen.metric = metric;
        seen.sample = out_.sample;
        seen.said = got_.why.message;
        seen.past = past;
        if (add(judge_value(seen))) judge_activity();
    }

    void judge_activity() {
        const source::target& target = source_->target();
        const std::int64_t own_milli = out_.sample.target_milli;
        add(judge_activation({out_.sample.value, target.activation_threshold,
                              own_milli != 0 ? static_cast<double>(own_milli) / 1000.0 : target.threshold,
                              target.type == config::target_type::average_value, along_.can_be_zero, along_.is_hpa,
                              out_.sample.activity}));
    }

    const asker& by_;
    const way& along_;
    const patient& whose_;
    const question asked_;
    walked out_;
    std::shared_ptr<source::metric_source> source_;
    auth::introduction who_;
    std::optional<auth::claims> assertion_;
    std::optional<auth::claims> claims_;
    std::string host_;
    source::fetched got_;
};

}  // namespace

walked walk(const asker& asker, const way& along) { return walker(asker, along).go(); }

walked walk_unfed(const decide::metric_policy& metric, std::size_t index, const std::optional<gputide::sample>& pushed,
                  bool is_brought) {
    walked out;
    out.report.type = config::metric_kind_word(metric.kind);
    out.report.label = "metric " + std::to_string(index) + " (" + out.report.type + " " + metric.label() + ")";
    out.report.index = static_cast<std::int32_t>(index);
    out.report.metric = metric.label();
    if (pushed) out.sample = *pushed;
    out.report.steps.push_back(judge_unfed(metric, pushed.has_value() || is_brought));
    return out;
}

}  // namespace gputide::doctor
