// The steps in order.

#include "auth/open.hpp"
#include "doctor/examine.hpp"
#include "doctor/judge.hpp"
#include "manifest/warnings.hpp"
#include "source/description.hpp"

#include <utility>

namespace gputide::doctor {
namespace {

// Explains a metric that is read from pods, or that the host must provide.
step judge_unfed(const decide::metric_policy& metric, bool is_from_host) {
    if (is_from_host)
        return passed(step_name::value, "the value is part of the host's observation; nothing is requested");
    return broken(step_name::value, "nothing reads this metric", manifest::unfed_text(metric.kind, metric.name),
                  manifest::unfed_remedy(metric.kind, metric.name));
}

class trigger_steps {
  public:
    trigger_steps(const asker& asker, const diagnosis_input& input)
        : asker_(asker), input_(input), examined_(input.examined) {
        seen_.question = question_of(examined_);
        seen_.now_ms = examined_.now_ms;
        seen_.can_be_zero = input.can_be_zero;
        seen_.is_hpa = input.is_hpa;
        seen_.is_variable = input.is_variable;
    }

    trigger_diagnosis go() {
        introduce();
        auto opened = input_.open ? input_.open() : open(examined_);
        if (!opened) {
            take_identity(refused_identity(examined_, opened.failure()));
            return std::move(out_);
        }
        source_ = *std::move(opened);
        seen_.traits = *source_->metric().traits;
        seen_.target = source_->target();
        if (seen_.traits.is_pushed) {
            take_pushed();
        } else if (see_identity() && reach_endpoint() && ask()) {
            look_closer();
        }
        return std::move(out_);
    }

  private:
    // Returns false if the diagnosis ends here.
    bool add(step step) {
        const bool goes_on = step.verdict != verdict::failed;
        out_.report.steps.push_back(std::move(step));
        return goes_on;
    }
    // Adds a step before the query.  If it ends the diagnosis, `why` is the reason why the trigger has no value.
    bool add(step step, const error& why) {
        if (add(std::move(step))) return true;
        lack_value(why);
        return false;
    }

    void lack_value(const error& why) {
        out_.sample = source::judge_failure(why).sample;
        out_.read_error = why.message;
    }

    void introduce() {
        out_.report.metric = input_.metric.label();
        out_.report.label = examined_.trigger.label();
        out_.report.index = examined_.trigger.index;
        out_.report.type = examined_.trigger.type;
        out_.report.asks = seen_.question.text;
        out_.sample.state = sample_state::failed;
        out_.sample.status = status::unavailable;
    }

    // Tells whether the credential is Azure's.  Sources for Azure accept an Entra application from their own keys, too.
    bool is_of_azure() const {
        return auth::family_of(examined_.trigger.auth.provider) == manifest::identity_family::azure ||
               !seen_.traits.role.name.empty();
    }

    void take_pushed() {
        const bool resource = !seen_.target.resource.empty();
        if (input_.pushed) {
            seen_.fetched.sample = out_.sample = *input_.pushed;
            return judge_number();
        }
        out_.sample = {};
        add(resource ? judge_unfed(input_.metric, input_.is_from_host)
                     : passed(step_name::value, "the host pushes this value; nothing is requested"));
    }

    bool see_identity() {
        if (source_->access() == nullptr) return true;  // reads this machine, without a network
        return take_identity(prove_identity(asker_, examined_, source_->access()->how()));
    }

    bool take_identity(identity found) {
        identity_ = std::move(found);
        out_.report.steps = identity_.steps;  // the first steps
        if (identity_.failure) lack_value(*identity_.failure);
        return identity_.holds();
    }

    bool reach_endpoint() {
        if (source_->access() == nullptr) return true;
        const std::vector<result<http::request>> requests = source_->requests(examined_.now_ms);
        step first;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (!requests[i]) {
                return add(broken(step_name::endpoint, requests[i].failure().message,
                                  "The request to the trigger's address would be unsafe.",
                                  "Correct the address, or allow it in the host program as described above."),
                           requests[i].failure());
            }
            const auto parts = http::parse_url(requests[i]->url);
            if (i == 0 && parts) seen_.host = parts->host;
            const reach seen = asker_.look_at(requests[i]->url, requests[i]->tls, requests[i]->is_http2);
            std::optional<step> proxy = judge_proxy(seen);
            if (proxy && proxy->verdict == verdict::failed) return add(*std::move(proxy), failure_of(seen));
            if (proxy && i == 0) add(*std::move(proxy));
            step reached = judge_reach(step_name::endpoint, seen);
            if (reached.verdict == verdict::failed) return add(std::move(reached), failure_of(seen));
            if (i == 0 || reached.verdict > first.verdict) first = std::move(reached);
        }
        if (requests.size() > 1) first.seen += "; so do " + std::to_string(requests.size() - 1) + " more";
        return add(std::move(first));
    }

    bool ask() {
        const std::int64_t started_ms = asker_.steady_ms();
        source::fetched& fetched = seen_.fetched;
        fetched = asker_.fetch(*source_, examined_.now_ms);
        seen_.took_ms = asker_.steady_ms() - started_ms;
        if (seen_.question.is_rate && fetched.why.status == status::no_data) ask_again();
        out_.sample = fetched.sample;
        out_.read_error = fetched.why.message;
        out_.pods = fetched.pods;
        if (source_->access() != nullptr) {
            const auth::access& how = source_->access()->how();
            seen_.with_credential = how.credential || how.header;
            seen_.of_azure = how.credential && is_of_azure();
            seen_.client = identity_.who.client_id;
        }
        seen_.claims = std::move(identity_.claims);
        return add(judge_query(seen_));
    }

    // Fetches again: a counter's first reading gives no rate, the second does.
    void ask_again() {
        constexpr std::int64_t again_ms = 1'500;
        if (asker_.left_ms() <= again_ms) return;
        asker_.pause(again_ms);
        seen_.fetched = asker_.fetch(*source_, examined_.now_ms + again_ms);
    }

    void look_closer() {
        const source::fetched& fetched = seen_.fetched;
        if (fetched.pods) return look_at_pods();
        seen_.behind = look_behind(asker_, examined_, seen_.question);
        if (!add(judge_series(seen_))) return;
        const bool nothing = fetched.reading.series.empty() && fetched.reading.result_type != "string";
        if (nothing) return judge_activity();
        if (add(judge_age(seen_))) judge_number();
    }

    // Each pod's value counts, and the HPA has no activation, so these metrics have other steps.
    void look_at_pods() {
        const pods seen{input_.metric, *seen_.fetched.pods};
        if (add(judge_pods(seen))) add(check_usage(seen));
    }

    void judge_number() {
        if (add(judge_value(seen_))) judge_activity();
    }

    void judge_activity() { add(judge_activation(seen_)); }

    const asker& asker_;
    const diagnosis_input& input_;
    const examined_trigger& examined_;
    trigger_diagnosis out_;
    std::shared_ptr<source::metric_source> source_;
    identity identity_;
    evidence seen_;
};

}  // namespace

trigger_diagnosis diagnose(const asker& asker, const diagnosis_input& input) {
    return trigger_steps(asker, input).go();
}

trigger_diagnosis diagnose_unread(const decide::metric_policy& metric, std::size_t index,
                                  const std::optional<gputide::sample>& pushed, bool is_from_host) {
    trigger_diagnosis out;
    out.report.type = manifest::metric_kind_word(metric.kind);
    out.report.label = "metric " + std::to_string(index) + " (" + out.report.type + " " + metric.label() + ")";
    out.report.index = static_cast<std::int32_t>(index);
    out.report.metric = metric.label();
    if (pushed) out.sample = *pushed;
    out.report.steps.push_back(judge_unfed(metric, pushed.has_value() || is_from_host));
    return out;
}

}  // namespace gputide::doctor
