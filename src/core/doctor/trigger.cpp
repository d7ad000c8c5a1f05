// The steps in order.

#include "auth/open.hpp"
#include "base/format_text.hpp"
#include "doctor/examine.hpp"
#include "doctor/judge.hpp"
#include "manifest/warnings.hpp"
#include "source/description.hpp"

#include <utility>

namespace gputide::doctor {
namespace {

// Explains a metric that is read from pods, or that the host must provide.
step judge_unfed(const examined_metric& of) {
    if (of.pushed || of.is_from_host)
        return passed(step_name::value, "the value is part of the host's observation; nothing is requested");
    return broken(step_name::value, "nothing reads this metric", manifest::unfed_text(of.metric.kind, of.metric.name),
                  manifest::unfed_remedy(of.metric.kind, of.metric.name));
}

class trigger_steps {
  public:
    trigger_steps(const examined_trigger& examined, const examined_metric& of, evidence known)
        : examined_(examined), of_(of) {
        seen() = std::move(known);
        seen().question = question_of(examined_);
        seen().now_ms = examined_.now_ms;
        seen().fetched.sample.state = sample_state::failed;
        seen().fetched.sample.status = status::unavailable;
        trigger_report& report = out_.report;
        report.metric = of.metric.label();
        report.label = examined.trigger.label();
        report.index = examined.trigger.index;
        report.type = examined.trigger.type;
        report.asks = seen().question.text;
    }

    trigger_diagnosis go(const opener& open_metric) {
        auto opened = open_metric ? open_metric() : open(examined_);
        if (!opened) {
            refuse_identity(examined_, opened.failure(), out_);
            return std::move(out_);
        }
        source_ = *std::move(opened);
        seen().traits = *source_->metric().traits;
        seen().target = source_->target();
        if (seen().traits.is_pushed) {
            take_pushed();
        } else if (reach_source() && ask()) {
            look_closer();
        }
        return std::move(out_);
    }

  private:
    evidence& seen() { return out_.seen; }
    bool add(step step) { return out_.add(std::move(step)); }

    // Tells whether the credential is Azure's.  Sources for Azure accept an Entra application from their own keys, too.
    bool is_of_azure() {
        return auth::family_of(examined_.trigger.auth.provider) == manifest::identity_family::azure ||
               !seen().traits.role.name.empty();
    }

    void take_pushed() {
        seen().fetched.sample = of_.pushed.value_or(sample());
        if (of_.pushed) return judge_number();
        add(seen().target.resource.empty()
                ? passed(step_name::value, "the host pushes this value; nothing is requested")
                : judge_unfed(of_));
    }

    bool reach_source() {
        if (source_->access() == nullptr) return true;  // reads this machine, without a network
        const auth::access& how = source_->access()->how();
        seen().with_credential = how.credential || how.header;
        seen().of_azure = how.credential && is_of_azure();
        return prove_identity(examined_, how, out_) && reach_endpoint();
    }

    bool reach_endpoint() {
        const std::vector<result<http::request>> requests = source_->requests(examined_.now_ms);
        step first;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (!requests[i]) {
                return out_.add(broken(step_name::endpoint, requests[i].failure().message,
                                       "The request to the trigger's address would be unsafe.",
                                       "Correct the address, or allow it in the host program as described above."),
                                requests[i].failure());
            }
            const auto parts = http::parse_url(requests[i]->url);
            if (i == 0 && parts) seen().host = parts->host;
            const reach found = examined_.by.look_at(requests[i]->url, requests[i]->tls, requests[i]->is_http2);
            std::optional<step> proxy = judge_proxy(found);
            if (proxy && proxy->verdict == verdict::failed) return out_.add(*std::move(proxy), failure_of(found));
            if (proxy && i == 0) add(*std::move(proxy));
            step reached = judge_reach(step_name::endpoint, found);
            if (reached.verdict == verdict::failed) return out_.add(std::move(reached), failure_of(found));
            if (i == 0 || reached.verdict > first.verdict) first = std::move(reached);
        }
        if (requests.size() > 1) first.seen += "; so do " + std::to_string(requests.size() - 1) + " more";
        return add(std::move(first));
    }

    bool ask() {
        const asker& by = examined_.by;
        const std::int64_t started_ms = by.steady_ms();
        source::fetched& fetched = seen().fetched;
        fetched = by.fetch(*source_, examined_.now_ms);
        seen().took_ms = by.steady_ms() - started_ms;
        // A counter's first reading gives no rate, the second does.
        constexpr std::int64_t again_ms = 1'500;
        if (seen().question.is_rate && fetched.why.status == status::no_data && by.left_ms() > again_ms) {
            by.pause(again_ms);
            fetched = by.fetch(*source_, examined_.now_ms + again_ms);
        }
        return add(judge_query(seen()));
    }

    void look_closer() {
        const source::fetched& fetched = seen().fetched;
        if (fetched.pods) return look_at_pods();
        seen().behind = look_behind(examined_, seen().question);
        if (!add(judge_series(seen()))) return;
        const bool nothing = fetched.reading.series.empty() && fetched.reading.result_type != "string";
        if (nothing) return judge_activity();
        if (add(judge_age(seen()))) judge_number();
    }

    // Each pod's value counts, and the HPA has no activation, so these metrics have other steps.
    void look_at_pods() {
        const pods read{of_.metric, *seen().fetched.pods};
        if (add(judge_pods(read))) add(check_usage(read));
    }

    void judge_number() {
        if (add(judge_value(seen()))) judge_activity();
    }

    void judge_activity() { add(judge_activation(seen())); }

    const examined_trigger& examined_;
    const examined_metric& of_;
    trigger_diagnosis out_;
    std::shared_ptr<source::metric_source> source_;
};

}  // namespace

bool trigger_diagnosis::add(step step) {
    const bool goes_on = step.verdict != verdict::failed;
    report.steps.push_back(std::move(step));
    return goes_on;
}

bool trigger_diagnosis::add(step step, const error& why) {
    if (add(std::move(step))) return true;
    seen.fetched = source::judge_failure(why);
    return false;
}

trigger_diagnosis diagnose(const examined_trigger& examined, const examined_metric& of, const opener& open,
                           evidence known) {
    return trigger_steps(examined, of, std::move(known)).go(open);
}

trigger_diagnosis diagnose_unread(const examined_metric& of, std::size_t index) {
    trigger_diagnosis out;
    out.report.type = manifest::metric_kind_word(of.metric.kind);
    out.report.metric = of.metric.label();
    out.report.label = format_text("metric {} ({} {})", index, out.report.type, out.report.metric);
    out.report.index = static_cast<std::int32_t>(index);
    out.seen.fetched.sample = of.pushed.value_or(sample());
    out.add(judge_unfed(of));
    return out;
}

}  // namespace gputide::doctor
