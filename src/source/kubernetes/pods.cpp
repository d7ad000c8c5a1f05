// The questions behind a Pods or Resource metric, one after another.
#include "source/kubernetes/pods.hpp"

#include "source/exchange.hpp"
#include "source/kubernetes/access.hpp"
#include "source/kubernetes/metrics.hpp"
#include "source/kubernetes/objects.hpp"
#include "source/kubernetes/pod_list.hpp"
#include "source/kubernetes/version.hpp"
#include "source/reduce.hpp"
#include "source/steps.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace gputide::source::kubernetes {
namespace {

constexpr double thousandths = 1'000.0;
constexpr int most_pages = 1'000;  // a page may be empty and not the last one
constexpr std::int64_t ms_per_s = 1'000;
constexpr std::int64_t most_window_s = std::numeric_limits<std::int32_t>::max();

pod_value value_of(const metric_item& from) {
    pod_value out;
    out.pod = from.name;
    if (from.milli != nan_in_disguise_milli) out.value_milli = from.milli;
    out.time_ms = from.time_ms;
    if (from.window_s && *from.window_s <= most_window_s) out.window_s = static_cast<std::int32_t>(*from.window_s);
    return out;
}

// A pod without the resource has no value, as for the HPA; without the named container it is an error.
result<std::vector<pod_value>> values_of(const result<std::vector<pod_use>>& got, const pods_question& what) {
    if (!got) return got.failure();
    std::vector<pod_value> out;
    for (const pod_use& one : *got) {
        auto milli = use_of(one, what.metric, what.container);
        if (!milli) return std::move(milli).failure();
        pod_value value;
        value.pod = one.name;
        value.value_milli = *milli;
        value.time_ms = one.time_ms;
        if (one.window_ms && *one.window_ms / ms_per_s <= most_window_s) {
            value.window_s = static_cast<std::int32_t>(*one.window_ms / ms_per_s);
        }
        out.push_back(std::move(value));
    }
    return out;
}

result<std::vector<pod_value>> values_of(const result<std::vector<metric_item>>& got) {
    if (!got) return got.failure();
    std::vector<pod_value> out;
    for (const metric_item& one : *got) out.push_back(value_of(one));
    return out;
}

// Requests join the values by the pods' names; a listed pod without a value gets an entry for its request alone.
void add_requests(const std::vector<listed_pod>& pods, const pods_question& what, std::vector<pod_value>& to) {
    std::map<std::string_view, std::size_t> at;
    for (std::size_t i = 0; i < to.size(); ++i) at.emplace(to[i].pod, i);
    std::vector<pod_value> bare;
    for (const listed_pod& one : pods) {
        const auto wanted = one.request_of(what.metric, what.container);
        if (!wanted) continue;
        const auto found = at.find(one.state.name);
        if (found != at.end()) {
            to[found->second].request_milli = wanted;
        } else {
            bare.emplace_back();
            bare.back().pod = one.state.name;
            bare.back().request_milli = wanted;
        }
    }
    for (pod_value& one : bare) to.push_back(std::move(one));
}

fetched outcome_of(std::vector<listed_pod> pods, std::vector<pod_value> values) {
    auto all = std::make_shared<pod_reading>();
    fetched out;
    out.why.status = status::ok;
    out.sample.state = sample_state::ok;
    out.reading.result_type = "pods";
    for (listed_pod& one : pods) all->pods.push_back(std::move(one.state));
    for (const pod_value& one : values) {
        if (!one.value_milli) continue;
        const double value = static_cast<double>(*one.value_milli) / thousandths;
        out.sample.value += value;
        out.reading.series.push_back({{{"pod", one.pod}}, {{one.time_ms.value_or(0), value}}, {}});
    }
    all->values = std::move(values);
    out.pods = std::move(all);
    return out;
}

error too_many_pages() {
    return fail(error_class::limit, "the list of pods has more than " + std::to_string(most_pages) + " pages");
}

class pods_source;

// One fetch: a step's answer leads to the next step, or to the end.
class walk : public std::enable_shared_from_this<walk> {
  public:
    walk(std::shared_ptr<const pods_source> of, std::int64_t deadline_ms, std::function<void(fetched)> done)
        : of_(std::move(of)), deadline_ms_(deadline_ms), done_(std::move(done)) {}

    std::shared_ptr<http::exchange> start();

  private:
    using taken = std::function<result<void>(const http::answer&)>;  // reads the answer and asks what comes next

    void ask_for(const endpoint& what, taken how);
    void ask_version();
    void ask_scale();
    void ask_pods(const std::string& from);
    void ask_values();
    result<void> take_scale(const http::answer& got, const endpoint& asked);
    result<void> take_values(result<std::vector<pod_value>> got);
    void finish(fetched got);

    const std::shared_ptr<const pods_source> of_;
    const std::int64_t deadline_ms_;
    std::function<void(fetched)> done_;
    const std::shared_ptr<steps> all_ = std::make_shared<steps>();
    std::string selector_;
    std::vector<listed_pod> pods_;
    int pages_ = 0;
};

class pods_source final : public metric_source, public std::enable_shared_from_this<pods_source> {
  public:
    pods_source(pods_question asked, kubernetes::access reached, services with)
        : what(std::move(asked)),
          at(std::move(reached)),
          version(what.is_resource ? std::string(oldest_custom_version) : std::string()),
          with_(std::move(with)) {
        target_.metric_name = what.metric;
        if (what.is_resource) target_.resource = what.metric;
        target_.container = what.container;
    }

    const source::target& target() const override { return target_; }
    const auth::authenticator* access() const override { return &at.by; }

    std::string query_key() const override {
        return "kubernetes pods\n" + at.server + scale_endpoint().url() + "\n" +
               (what.is_resource ? "resource" : "custom") + "\n" + what.metric + "\n" + what.metric_selector + "\n" +
               what.container + "\n" + at.by.key();
    }

    result<http::request> request(std::int64_t) const override { return prepared(scale_endpoint()); }

    // The first of several answers says nothing about the metric.
    result<source::reading> read(const http::answer& got) const override {
        auto size = read_scale(got, scale_endpoint());
        if (!size) return std::move(size).failure();
        return source::reading();
    }
    fetched judge(result<source::reading> got) const override {
        if (!got) return judge_failure(std::move(got).failure());
        error why = fail_at(error_class::no_data, what.label, "values of pods come with a fetch alone");
        return judge_failure(std::move(why));
    }

    std::shared_ptr<http::exchange> fetch(std::int64_t, std::int64_t deadline_ms, std::function<void(fetched)> done,
                                          detail) override {
        return std::make_shared<walk>(shared_from_this(), deadline_ms, std::move(done))->start();
    }

    endpoint scale_endpoint() const {
        return scale_of(what.name_space, what.target_api_version, what.target_kind, what.target_name);
    }

    result<http::request> prepared(const endpoint& of) const {
        http::request out = request_for(at, of);
        if (auto ready = at.by.prepare(out); !ready) return std::move(ready).failure();
        return out;
    }

    const std::shared_ptr<http::loop>& loop() const { return with_.loop; }

    const pods_question what;
    const kubernetes::access at;
    mutable custom_version version;

  private:
    const services with_;
    source::target target_;
};

std::shared_ptr<http::exchange> walk::start() {
    if (of_->version.due(of_->loop()->steady_ms())) {
        ask_version();
    } else {
        ask_scale();
    }
    return all_;
}

void walk::ask_for(const endpoint& what, taken how) {
    all_->carry(ask(
        of_->loop(), of_->at.by, of_->prepared(what), deadline_ms_,
        [self = shared_from_this(), how = std::move(how)](const result<exchanged>& got) {
            const std::int64_t wall_ms = self->of_->loop()->wall_ms();
            const std::string& label = self->of_->what.label;
            if (!got) return self->finish(judge_failure(told(got.failure(), label, {}, wall_ms, 0)));
            auto next = how(got->got);
            if (next) return;
            self->finish(judge_failure(told(std::move(next).failure(), label, got->sent, wall_ms, got->retry_at_ms)));
        }));
}

void walk::ask_version() {
    ask_for(group_versions(custom_group), [this](const http::answer& got) -> result<void> {
        if (auto learnt = of_->version.learn(got, of_->loop()->steady_ms()); !learnt) return learnt;
        ask_scale();
        return {};
    });
}

void walk::ask_scale() {
    const endpoint asked = of_->scale_endpoint();
    ask_for(asked, [this, asked](const http::answer& got) { return take_scale(got, asked); });
}

result<void> walk::take_scale(const http::answer& got, const endpoint& asked) {
    auto size = read_scale(got, asked);
    if (!size) return std::move(size).failure();
    selector_ = std::move(size->selector);
    if (selector_.empty()) {
        return fail(error_class::selector, "the target's scale is missing a selector, so that its pods are not known");
    }
    ask_pods({});
    return {};
}

void walk::ask_pods(const std::string& from) {
    const endpoint asked = pod_page(of_->what.name_space, selector_, from);
    ask_for(asked, [this, asked](const http::answer& got) -> result<void> {
        auto next = read_pods(got, asked, pods_);
        if (!next) return std::move(next).failure();
        if (next->empty()) {
            ask_values();
            return {};
        }
        if (++pages_ > most_pages) return too_many_pages();
        ask_pods(*next);
        return {};
    });
}

void walk::ask_values() {
    const pods_question& what = of_->what;
    if (what.is_resource) {
        const endpoint asked = pod_metrics(what.name_space, selector_);
        return ask_for(asked, [this, asked](const http::answer& got) {
            return take_values(values_of(read_pod_metrics(got, asked), of_->what));
        });
    }
    const endpoint asked = custom_metric(
        {of_->version.now(), what.name_space, {"pods", "*", false}, what.metric, selector_, what.metric_selector});
    ask_for(asked, [this, asked](const http::answer& got) { return take_values(values_of(read_custom(got, asked))); });
}

result<void> walk::take_values(result<std::vector<pod_value>> got) {
    if (!got) return std::move(got).failure();
    if (of_->what.is_resource) add_requests(pods_, of_->what, *got);
    finish(outcome_of(std::move(pods_), *std::move(got)));
    return {};
}

void walk::finish(fetched got) {
    if (!of_->at.verified) got.reading.warnings.emplace_back(unverified_text);
    if (auto done = std::exchange(done_, nullptr)) done(std::move(got));
}

}  // namespace

result<std::shared_ptr<metric_source>> open_pods(const pods_question& what, const services& with,
                                                 config::report* findings) {
    auto at = open_access(with);
    if (!at) {
        error why = std::move(at).failure();
        if (why.where.empty()) why.where = named(what.label);
        return why;
    }
    warn_unverified(*at, {}, what.label, findings);
    return std::shared_ptr<metric_source>(std::make_shared<pods_source>(what, *std::move(at), with));
}

}  // namespace gputide::source::kubernetes
