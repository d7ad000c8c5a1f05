// The questions behind a Pods or Resource metric, one after another.
#include "source/kubernetes/pods.hpp"

#include "source/api_server/access.hpp"
#include "source/api_server/objects.hpp"
#include "source/exchange.hpp"
#include "source/judge.hpp"
#include "source/kubernetes/metrics.hpp"
#include "source/kubernetes/pod_list.hpp"
#include "source/kubernetes/version.hpp"
#include "source/source.hpp"
#include "source/steps.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace gputide::source::kubernetes {
namespace {

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

endpoint scale_endpoint(const pods_question& asked) {
    return scale_of(asked.name_space, asked.target_api_version, asked.target_kind, asked.target_name);
}

class pods_source final : public metric_source, public std::enable_shared_from_this<pods_source> {
  public:
    pods_source(const description& described, pods_question question, const kubernetes::access& reached,
                std::shared_ptr<http::loop> used)
        : metric_source(described, described.question + "\n" + reached.server, reached.by),
          asked(std::move(question)),
          access(reached),
          version(asked.is_resource ? std::string(oldest_custom_version) : std::string()),
          loop(std::move(used)) {}

    result<http::request> request(std::int64_t) const override { return prepared(scale_endpoint(asked)); }

    // The first of several answers says nothing about the metric.
    result<source::reading> read(const http::answer& got) const override {
        auto size = read_scale(got, scale_endpoint(asked));
        if (!size) return std::move(size).failure();
        return source::reading();
    }

    std::shared_ptr<http::exchange> fetch(std::int64_t, std::int64_t deadline_ms, std::function<void(fetched)> done,
                                          detail) override {
        return std::make_shared<walk>(shared_from_this(), deadline_ms, std::move(done))->start();
    }

    result<http::request> prepared(const endpoint& endpoint) const {
        return metric_source::prepared(request_for(access, endpoint));
    }
    using metric_source::authenticator;
    using metric_source::label;

    const pods_question asked;
    const kubernetes::access access;
    mutable custom_version version;
    const std::shared_ptr<http::loop> loop;
};

std::shared_ptr<http::exchange> walk::start() {
    if (of_->version.due(of_->loop->steady_ms())) {
        ask_version();
    } else {
        ask_scale();
    }
    return all_;
}

void walk::ask_for(const endpoint& what, taken how) {
    all_->carry(ask(
        of_->loop, of_->authenticator(), of_->prepared(what), deadline_ms_,
        [self = shared_from_this(), how = std::move(how)](const result<exchanged>& got) {
            const std::int64_t wall_ms = self->of_->loop->wall_ms();
            const std::string& label = self->of_->label();
            if (!got) return self->finish(judge_failure(told(got.failure(), label, {}, wall_ms, 0)));
            auto next = how(got->got);
            if (next) return;
            self->finish(judge_failure(told(std::move(next).failure(), label, got->sent, wall_ms, got->retry_at_ms)));
        }));
}

void walk::ask_version() {
    ask_for(group_versions(custom_group), [this](const http::answer& got) -> result<void> {
        if (auto learnt = of_->version.learn(got, of_->loop->steady_ms()); !learnt) return learnt;
        ask_scale();
        return {};
    });
}

void walk::ask_scale() {
    const endpoint asked = scale_endpoint(of_->asked);
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
    const endpoint asked = pod_page(of_->asked.name_space, selector_, from);
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
    const pods_question& what = of_->asked;
    if (what.is_resource) {
        const endpoint asked = pod_metrics(what.name_space, selector_);
        return ask_for(asked, [this, asked](const http::answer& got) {
            return take_values(values_of(read_pod_metrics(got, asked), of_->asked));
        });
    }
    const endpoint asked = custom_metric(
        {of_->version.now(), what.name_space, {"pods", "*", false}, what.metric, selector_, what.metric_selector});
    ask_for(asked, [this, asked](const http::answer& got) { return take_values(values_of(read_custom(got, asked))); });
}

result<void> walk::take_values(result<std::vector<pod_value>> got) {
    if (!got) return std::move(got).failure();
    if (of_->asked.is_resource) add_requests(pods_, of_->asked, *got);
    finish(outcome_of(std::move(pods_), *std::move(got)));
    return {};
}

void walk::finish(fetched got) {
    if (!of_->access.verified) got.reading.warnings.emplace_back(unverified_text);
    if (auto done = std::exchange(done_, nullptr)) done(std::move(got));
}

constexpr traits traits_of_pods{.is_granted_by_cluster = true};

fetched no_value_without_fetch(const reading&) {
    return judge_failure(fail(error_class::no_data, "values of pods come with a fetch alone"));
}

}  // namespace

description describe_pods(const pods_question& asked) {
    description out;
    out.type = "kubernetes";
    out.label = asked.label;
    out.traits = &traits_of_pods;
    out.target.metric_name = asked.metric;
    if (asked.is_resource) out.target.resource = asked.metric;
    out.target.container = asked.container;
    out.asks = asked.metric;
    out.question = "kubernetes pods\n" + scale_endpoint(asked).url() + "\n" +
                   (asked.is_resource ? "resource" : "custom") + "\n" + asked.metric + "\n" + asked.metric_selector +
                   "\n" + asked.container;
    out.to_sample = &no_value_without_fetch;
    out.opener = [asked](const description& described,
                         const services& services) -> result<std::shared_ptr<metric_source>> {
        auto access = open_access(services);
        if (!access) return std::move(access).failure();
        return std::shared_ptr<metric_source>(std::make_shared<pods_source>(described, asked, *access, services.loop));
    };
    return out;
}

}  // namespace gputide::source::kubernetes
