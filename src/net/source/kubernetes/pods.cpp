// The questions behind a Pods or Resource metric, one after another.
#include "source/kubernetes/pods.hpp"

#include "auth/asking.hpp"
#include "kube/access.hpp"
#include "kube/objects.hpp"
#include "source/access/api_server.hpp"
#include "source/judge.hpp"
#include "source/kubernetes/metrics.hpp"
#include "source/kubernetes/pod_list.hpp"
#include "source/kubernetes/pod_values.hpp"
#include "source/kubernetes/version.hpp"
#include "source/source.hpp"
#include "source/steps.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gputide::source::kubernetes {
namespace {

using auth::exchanged;
using auth::outward_error;
using auth::send_question;
using kube::custom_group;
using kube::custom_metric;
using kube::endpoint;
using kube::group_versions;
using kube::pod_metrics;
using kube::read_scale;
using kube::request_for;
using kube::scale_of;
using kube::unverified_text;

constexpr int most_pages = 1'000;  // a page may be empty and not the last one

error too_many_pages() {
    return fail(error_class::limit, "the list of pods has more than " + std::to_string(most_pages) + " pages");
}

class pods_source;

// One fetch: a step's answer leads to the next step, or to the end.
class walk : public std::enable_shared_from_this<walk> {
  public:
    walk(std::shared_ptr<const pods_source> source, std::int64_t deadline_ms, std::function<void(fetched)> done)
        : source_(std::move(source)), deadline_ms_(deadline_ms), done_(std::move(done)) {}

    std::shared_ptr<http::exchange> start();

  private:
    using taken = std::function<result<void>(const http::answer&)>;  // reads the answer and asks what comes next

    void ask_for(const endpoint& endpoint, taken how);
    void ask_version();
    void ask_scale();
    void ask_pods(const std::string& from);
    void ask_values();
    result<void> take_scale(const http::answer& answer, const endpoint& endpoint);
    result<void> take_values(result<std::vector<pod_value>> values);
    void finish(fetched fetched);

    const std::shared_ptr<const pods_source> source_;
    const std::int64_t deadline_ms_;
    std::function<void(fetched)> done_;
    const std::shared_ptr<steps> steps_ = std::make_shared<steps>();
    std::string selector_;
    std::vector<listed_pod> pods_;
    int pages_ = 0;
};

endpoint scale_endpoint(const pods_question& question) {
    return scale_of(question.name_space, question.target_api_version, question.target_kind, question.target_name);
}

class pods_source final : public metric_source, public std::enable_shared_from_this<pods_source> {
  public:
    pods_source(const description& described, pods_question question, const kube::access& reached,
                std::shared_ptr<http::loop> used)
        : metric_source(described, described.question + "\n" + reached.server, reached.authenticator),
          asked(std::move(question)),
          access(reached),
          version(asked.is_resource ? std::string(oldest_custom_version) : std::string()),
          loop(std::move(used)) {}

    result<http::request> request(std::int64_t) const override { return prepared(scale_endpoint(asked)); }

    // The first of several answers says nothing about the metric.
    result<source::reading> read(const http::answer& answer) const override {
        auto size = read_scale(answer, scale_endpoint(asked));
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
    const kube::access access;
    mutable custom_version version;
    const std::shared_ptr<http::loop> loop;
};

std::shared_ptr<http::exchange> walk::start() {
    if (source_->version.due(source_->loop->steady_ms())) {
        ask_version();
    } else {
        ask_scale();
    }
    return steps_;
}

void walk::ask_for(const endpoint& endpoint, taken how) {
    steps_->carry(send_question(
        source_->loop, source_->authenticator(), source_->prepared(endpoint), deadline_ms_,
        [self = shared_from_this(), how = std::move(how)](const result<exchanged>& exchanged) {
            const std::int64_t wall_ms = self->source_->loop->wall_ms();
            const std::string& label = self->source_->label();
            if (!exchanged)
                return self->finish(judge_failure(outward_error(exchanged.failure(), label, {}, wall_ms, 0)));
            auto next = how(exchanged->answer);
            if (next) return;
            self->finish(judge_failure(
                outward_error(std::move(next).failure(), label, exchanged->sent, wall_ms, exchanged->retry_at_ms)));
        }));
}

void walk::ask_version() {
    ask_for(group_versions(custom_group), [this](const http::answer& answer) -> result<void> {
        if (auto learnt = source_->version.learn(answer, source_->loop->steady_ms()); !learnt) return learnt;
        ask_scale();
        return {};
    });
}

void walk::ask_scale() {
    const endpoint asked = scale_endpoint(source_->asked);
    ask_for(asked, [this, asked](const http::answer& answer) { return take_scale(answer, asked); });
}

result<void> walk::take_scale(const http::answer& answer, const endpoint& endpoint) {
    auto size = read_scale(answer, endpoint);
    if (!size) return std::move(size).failure();
    selector_ = std::move(size->selector);
    if (selector_.empty()) {
        return fail(error_class::selector, "the target's scale is missing a selector, so that its pods are not known");
    }
    ask_pods({});
    return {};
}

void walk::ask_pods(const std::string& from) {
    const endpoint asked = pod_page(source_->asked.name_space, selector_, from);
    ask_for(asked, [this, asked](const http::answer& answer) -> result<void> {
        auto next = read_pods(answer, asked, pods_);
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
    const pods_question& question = source_->asked;
    if (question.is_resource) {
        const endpoint asked = pod_metrics(question.name_space, selector_);
        return ask_for(asked, [this, asked](const http::answer& answer) {
            return take_values(values_of(read_pod_metrics(answer, asked), source_->asked));
        });
    }
    const endpoint asked = custom_metric({source_->version.now(),
                                          question.name_space,
                                          {"pods", "*", false},
                                          question.metric,
                                          selector_,
                                          question.metric_selector});
    ask_for(asked,
            [this, asked](const http::answer& answer) { return take_values(values_of(read_custom(answer, asked))); });
}

result<void> walk::take_values(result<std::vector<pod_value>> values) {
    if (!values) return std::move(values).failure();
    if (source_->asked.is_resource) add_requests(pods_, source_->asked, *values);
    finish(outcome_of(std::move(pods_), *std::move(values)));
    return {};
}

void walk::finish(fetched fetched) {
    if (!source_->access.verified) fetched.reading.warnings.emplace_back(unverified_text);
    if (auto done = std::exchange(done_, nullptr)) done(std::move(fetched));
}

fetched no_value_without_fetch(const reading&) {
    return judge_failure(fail(error_class::no_data, "values of pods come with a fetch alone"));
}

}  // namespace

description describe_pods(const pods_question& question) {
    description out;
    out.type = "kubernetes";
    out.label = question.label;
    out.traits = &traits_of_pods;
    out.target.metric_name = question.metric;
    if (question.is_resource) out.target.resource = question.metric;
    out.target.container = question.container;
    out.asks = question.metric;
    out.question = "kubernetes pods\n" + scale_endpoint(question).url() + "\n" +
                   (question.is_resource ? "resource" : "custom") + "\n" + question.metric + "\n" +
                   question.metric_selector + "\n" + question.container;
    out.to_sample = &no_value_without_fetch;
    out.typed_settings = std::make_shared<const pods_question>(question);
    return out;
}

result<std::shared_ptr<metric_source>> open_pods(const description& described, const services& services) {
    auto access = access::open_api_server(services);
    if (!access) return std::move(access).failure();
    return std::shared_ptr<metric_source>(
        std::make_shared<pods_source>(described, *described.settings_as<pods_question>(), *access, services.loop));
}

}  // namespace gputide::source::kubernetes
