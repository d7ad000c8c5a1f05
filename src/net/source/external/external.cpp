// The questions of one poll, one after another: the metrics and their targets, each one's value, whether it is active.
#include "source/external/external.hpp"

#include "auth/asking.hpp"
#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "http/captured.hpp"
#include "source/access/open.hpp"
#include "source/external/outcome.hpp"
#include "source/external/settings.hpp"
#include "source/external/stream.hpp"
#include "source/grpc/grpc.hpp"
#include "source/judge.hpp"
#include "source/source.hpp"
#include "source/steps.hpp"

#include <memory>
#include <utility>

namespace gputide::source::external {
namespace {

using shared_settings = std::shared_ptr<const settings>;

http::retry_rule one_repeat() {
    http::retry_rule out = auth::one_safe_repeat();
    out.again = [usual = out.again](const http::answer& answer) { return usual(answer) || grpc::is_passing(answer); };
    return out;
}

class external_source final : public metric_source, public std::enable_shared_from_this<external_source> {
  public:
    external_source(const description& described, shared_settings settings, auth::authenticator access,
                    std::shared_ptr<http::loop> used)
        : metric_source(described, described.question, std::move(access)),
          configured(std::move(settings)),
          owner(scaled_object_message(configured->owner)),
          loop(std::move(used)) {}

    // The first of several questions.
    result<http::request> request(std::int64_t) const override { return call("GetMetricSpec", owner); }

    // Its answer says nothing about a value.
    result<source::reading> read(const http::answer& answer) const override {
        const auto message = grpc::grpc_message(answer);
        if (!message) return message.failure();
        auto specs = read_specs(*message);
        if (!specs) return std::move(specs).failure();
        return source::reading();
    }

    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                          std::function<void(fetched)> done, detail wanted) override;

    std::shared_ptr<http::exchange> listen(const std::shared_ptr<http::loop>& over,
                                           std::function<void(bool)> on_activity,
                                           std::function<void(stream_end)> done) override;

    result<http::request> call(std::string_view method, std::string_view message) const {
        return ready(grpc::grpc_request(configured->service + std::string(method), message));
    }
    // As it may leave the library: the peer may repeat what it was sent.
    error outward(error why, const http::request& sent, http::fault fault, std::int64_t retry_at_ms) const;
    using metric_source::at_label;
    using metric_source::authenticator;

    const shared_settings configured;
    const std::string owner;  // the message that says for whom
    const std::shared_ptr<http::loop> loop;
    bool has_spoken = false;  // answered a call or said something on a stream.  The loop's thread

  private:
    result<http::request> ready(http::request request) const {
        request.carries_credential = !configured->secrets.empty();
        return prepared(std::move(request));
    }
};

// One fetch: an answer leads to the next question, or to the end.
class poll : public std::enable_shared_from_this<poll> {
  public:
    poll(std::shared_ptr<external_source> source, std::int64_t deadline_ms, std::function<void(fetched)> done,
         detail wanted)
        : source_(std::move(source)), deadline_ms_(deadline_ms), done_(std::move(done)), wanted_(wanted) {}

    std::shared_ptr<http::exchange> start() {
        send("GetMetricSpec", source_->owner, [this](std::string_view message) { return take_specs(message); });
        return steps_;
    }

  private:
    using reader = std::function<result<void>(std::string_view)>;  // reads the message and asks what comes next

    void send(std::string_view method, std::string_view message, reader read);
    void send_next();
    result<void> take_specs(std::string_view message);
    result<void> take_values(std::string_view message);
    result<void> take_activity(std::string_view message);
    void finish(fetched fetched);

    const std::shared_ptr<external_source> source_;
    const std::int64_t deadline_ms_;
    std::function<void(fetched)> done_;
    const detail wanted_;
    const std::shared_ptr<steps> steps_ = std::make_shared<steps>();
    std::vector<read_metric> metrics_;
    std::size_t next_ = 0;  // of metrics_
};

std::shared_ptr<http::exchange> external_source::fetch(std::int64_t, std::int64_t deadline_ms,
                                                       std::function<void(fetched)> done, detail wanted) {
    return std::make_shared<poll>(shared_from_this(), deadline_ms, std::move(done), wanted)->start();
}

std::shared_ptr<http::exchange> external_source::listen(const std::shared_ptr<http::loop>& over,
                                                        std::function<void(bool)> on_activity,
                                                        std::function<void(stream_end)> done) {
    const std::int64_t longest_ms = longest_stream_ms(over->uniform());
    return open_stream(
        over, authenticator(),
        ready(grpc::grpc_stream_request(configured->service + "StreamIsActive", owner, longest_ms)), longest_ms,
        [self = shared_from_this(), on_activity = std::move(on_activity)](bool is_active) {
            self->has_spoken = true;
            on_activity(is_active);
        },
        [self = shared_from_this(), done = std::move(done)](stream_outcome outcome) {
            stream_end out;
            out.is_over_time = outcome.is_over_time;
            out.is_unserved = outcome.why.service_number == grpc::unimplemented;
            // Streams are long: who restarts breaks one, and has not come to want TLS.
            const http::fault fault = self->has_spoken ? http::fault::none : outcome.fault;
            if (outcome.why.status != status::ok)
                out.why = self->outward(std::move(outcome.why), outcome.sent, fault, 0);
            done(std::move(out));
        });
}

error external_source::outward(error why, const http::request& sent, http::fault fault,
                               std::int64_t retry_at_ms) const {
    std::vector<std::string_view> secrets;
    for (const secret_text& one : configured->secrets) secrets.push_back(one.reveal());
    why.message = redact(why.message, secrets);
    if (fault == http::fault::reset && !configured->is_tls())
        why.message += "; enableTLS: \"true\" in the trigger asks it over TLS";
    return auth::outward_error(std::move(why), label(), sent, loop->wall_ms(), retry_at_ms);
}

void poll::send(std::string_view method, std::string_view message, reader read) {
    steps_->carry(auth::send_question(
        source_->loop, source_->authenticator(), source_->call(method, message), deadline_ms_,
        [self = shared_from_this(), read = std::move(read)](const result<auth::exchanged>& exchanged) {
            external_source& source = *self->source_;
            if (!exchanged)
                return self->finish(judge_failure(source.outward(exchanged.failure(), {}, http::fault::none, 0)));
            const auto answer = grpc::grpc_message(exchanged->answer);
            source.has_spoken = source.has_spoken || answer;
            auto next = answer ? read(*answer) : result<void>(answer.failure());
            if (next) return;
            self->finish(judge_failure(source.outward(std::move(next).failure(), exchanged->sent,
                                                      exchanged->answer.fault, exchanged->retry_at_ms)));
        },
        one_repeat()));
}

result<void> poll::take_specs(std::string_view message) {
    auto specs = read_specs(message);
    if (!specs) return std::move(specs).failure();
    if (specs->empty())
        return fail(error_class::no_data, "the external scaler announces no metric (an empty metric spec)");
    for (metric_spec& one : *specs) {
        if (one.target_milli <= 0) {
            return fail(error_class::bad_value,
                        format_text("the external scaler's metric {} has no target above 0, which no HPA takes",
                                    in_quotes(one.name)));
        }
        metrics_.push_back({std::move(one), {}});
    }
    send_next();
    return {};
}

void poll::send_next() {
    if (next_ == metrics_.size())
        return send("IsActive", source_->owner, [this](std::string_view message) { return take_activity(message); });
    send("GetMetrics", metrics_message(source_->owner, metrics_[next_].spec.name),
         [this](std::string_view message) { return take_values(message); });
}

result<void> poll::take_values(std::string_view message) {
    auto values = read_values(message);
    if (!values) return std::move(values).failure();
    metrics_[next_++].values = *std::move(values);
    send_next();
    return {};
}

result<void> poll::take_activity(std::string_view message) {
    const auto active = read_activity(message);
    if (!active) return active.failure();
    finish(outcome_of(metrics_, *active, source_->configured->index));
    return {};
}

void poll::finish(fetched fetched) {
    if (fetched.why.status != status::ok) fetched.why = source_->at_label(std::move(fetched.why));
    if (wanted_ == detail::value) fetched.reading.series.clear();
    if (auto done = std::exchange(done_, nullptr)) done(std::move(fetched));
}

fetched no_value_without_fetch(const reading&) {
    return judge_failure(fail(error_class::no_data, "an external scaler's value comes with a fetch alone"));
}

std::string request_key(const settings& settings) {
    return format_text("external\n{}\n{}{}\n{}", settings.service,
                       settings.access.unsafe_ssl ? "unverified" : "verified", settings.index,
                       scaled_object_message(settings.owner));
}

}  // namespace

result<description> describe(const config::trigger& trigger, const config::trigger_rules&, config::profile,
                             config::report* findings) {
    description out;
    auto read = read_settings(trigger, findings, &out.lacking);
    if (!read) return std::move(read).failure();
    const shared_settings settings = std::make_shared<const external::settings>(*std::move(read));
    out.target = settings->target;
    out.asks = settings->address;
    out.question = request_key(*settings);
    out.to_sample = &no_value_without_fetch;
    out.typed_settings = settings;
    return out;
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    if (!http::has_http2()) {
        return fail_at(error_class::unavailable, described.label,
                       "an external scaler is asked over HTTP/2, and this libcurl was built without it; link one with "
                       "nghttp2");
    }
    const auto settings = described.settings_as<external::settings>();
    auto access = access::open(settings->access, {}, services);
    if (!access) return std::move(access).failure();
    return std::shared_ptr<metric_source>(
        std::make_shared<external_source>(described, settings, *std::move(access), services.loop));
}

}  // namespace gputide::source::external
