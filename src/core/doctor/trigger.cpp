// The steps in order.

#include "auth/open.hpp"
#include "doctor/examine.hpp"
#include "doctor/judge.hpp"
#include "doctor/selection.hpp"
#include "manifest/warnings.hpp"
#include "source/judge.hpp"

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
        : asker_(asker), input_(input), examined_(input.examined), question_(question_of(input.examined)) {}

    trigger_diagnosis go() {
        introduce();
        auto opened = input_.open ? input_.open() : open(examined_.trigger, examined_.rules, examined_);
        if (!opened) {
            take_identity(refused_identity(examined_, opened.failure()));
            return std::move(out_);
        }
        source_ = *std::move(opened);
        if (source_->metric().traits->is_pushed) {
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
        out_.report.asks = question_.text;
        out_.sample.state = sample_state::failed;
        out_.sample.status = status::unavailable;
    }

    // Tells whether the credential is Azure's.  Sources for Azure accept an Entra application from their own keys, too.
    bool is_of_azure() const {
        return auth::family_of(examined_.trigger.auth.provider) == manifest::identity_family::azure ||
               !source_->metric().traits->role.name.empty();
    }

    void take_pushed() {
        const bool resource = !source_->target().resource.empty();
        if (input_.pushed) {
            out_.sample = *input_.pushed;
            judge_number({});
            return;
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
            if (i == 0 && parts) host_ = parts->host;
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
        fetched_ = asker_.fetch(*source_, examined_.now_ms);
        const std::int64_t took_ms = asker_.steady_ms() - started_ms;
        if (question_.is_rate && fetched_.why.status == status::no_data) ask_again();
        out_.sample = fetched_.sample;
        out_.read_error = fetched_.why.message;
        out_.pods = fetched_.pods;
        return judge_answer(took_ms);
    }

    // Fetches again: a counter's first reading gives no rate, the second does.
    void ask_again() {
        constexpr std::int64_t again_ms = 1'500;
        if (asker_.left_ms() <= again_ms) return;
        asker_.pause(again_ms);
        fetched_ = asker_.fetch(*source_, examined_.now_ms + again_ms);
    }

    bool judge_answer(std::int64_t took_ms) {
        query seen;
        seen.traits = *source_->metric().traits;
        seen.text = out_.report.asks;
        seen.host = host_;
        if (source_->access() != nullptr) {
            const auth::access& how = source_->access()->how();
            seen.with_credential = how.credential || how.header;
            seen.of_azure = how.credential && is_of_azure();
            seen.client = identity_.who.client_id;
        }
        seen.claims = std::move(identity_.claims);
        seen.took_ms = took_ms;
        seen.warnings = std::move(fetched_.reading.warnings);
        seen.is_partial = fetched_.reading.partial;
        seen.sample = fetched_.sample;
        // A response without a usable value is for the following steps.
        const bool answered =
            gputide::answered(fetched_.sample.state) || fetched_.why.error_class == error_class::bad_type;
        const bool incomplete = fetched_.sample.state == sample_state::partial;
        seen.why = fetched_.why;
        if (answered && !incomplete) seen.why.status = status::ok;
        return add(judge_query(seen));
    }

    void look_closer() {
        if (fetched_.pods) return look_at_pods();
        background behind = look_behind(asker_, examined_, question_);
        series counted;
        counted.inquiry = question_.inquiry;
        counted.query = out_.report.asks;
        for (const source::series& series : fetched_.reading.series) counted.answer.push_back(series.labels);
        counted.sample = fetched_.sample;
        counted.type = source_->target().type;
        counted.said = fetched_.why.status == status::ok ? std::string() : fetched_.why.message;
        counted.selections = std::move(behind.selections);
        if (fetched_.reading.result_type == "string") counted.answer.emplace_back();
        counted.is_range = fetched_.reading.result_type == "matrix";
        if (!add(judge_series(counted))) return;
        const bool nothing = counted.answer.empty();
        if (nothing) return judge_activity();
        if (!judge_age(behind)) return;
        judge_number(behind);
    }

    // Each pod's value counts, and the HPA has no activation, so these metrics have other steps.
    void look_at_pods() {
        const pods seen{input_.metric, *fetched_.pods};
        if (add(judge_pods(seen))) add(check_usage(seen));
    }

    bool judge_age(const background& behind) {
        age seen;
        seen.sample = fetched_.sample;
        seen.said = fetched_.why.message;
        seen.now_ms = examined_.now_ms;
        seen.oldest_ms = behind.oldest_ms;
        const bool by_query = question_.inquiry == source::inquiry::query;
        const bool has_time = !by_query && fetched_.sample.time_ms != 0 && fetched_.sample.time_ms < examined_.now_ms;
        if (has_time) {
            seen.oldest_ms = fetched_.sample.time_ms;
        } else {
            seen.tempo = behind.tempo;
        }
        seen.by_query = by_query;
        seen.from_exporter = behind.metric.compare(0, 5, "DCGM_") == 0;
        return add(doctor::judge_age(seen));
    }

    void judge_number(const background& behind) {
        if (add(judge_value(out_.sample, fetched_.why.message, behind))) judge_activity();
    }

    void judge_activity() {
        const source::target& target = source_->target();
        const std::int64_t own_milli = out_.sample.target_milli;
        add(judge_activation({out_.sample.value, target.activation_threshold,
                              own_milli != 0 ? static_cast<double>(own_milli) / 1000.0 : target.threshold,
                              target.type == manifest::target_type::average_value, input_.can_be_zero, input_.is_hpa,
                              input_.is_variable, out_.sample.activity}));
    }

    const asker& asker_;
    const diagnosis_input& input_;
    const examined_trigger& examined_;
    const question question_;
    trigger_diagnosis out_;
    std::shared_ptr<source::metric_source> source_;
    identity identity_;
    std::string host_;
    source::fetched fetched_;
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
