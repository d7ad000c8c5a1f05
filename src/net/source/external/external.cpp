// The calls of one poll, one after another, and the streams.
#include "source/external/external.hpp"

#include "auth/authenticator.hpp"
#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "http/client.hpp"
#include "http/exchange.hpp"
#include "source/access/access.hpp"
#include "source/description.hpp"
#include "source/grpc/grpc.hpp"
#include "source/source.hpp"

#include <memory>
#include <utility>

namespace gputide::source::external {
namespace {

using shared_settings = std::shared_ptr<const settings>;

constexpr std::int64_t minute_ms = 60'000;

// The end of a stream.
struct stream_outcome {
    error why{status::ok};
    http::outgoing sent;  // for redaction
    http::fault fault = http::fault::none;
    bool is_over_time = false;
};

// Callbacks for the messages of a stream.
struct stream_reader {
    callback<result<void>(std::string_view message)> read;
    callback<void()> on_arrival;  // after the messages that arrived together, if there were any
};

// Limits the bytes per minute, enough for thousands of messages a second; a server that sends more is disconnected.
class byte_allowance {
  public:
    bool takes(std::size_t bytes, std::int64_t now_ms) {
        if (now_ms - since_ms_ >= minute_ms) {
            since_ms_ = now_ms;
            used_ = 0;
        }
        used_ += bytes;
        return used_ <= grpc::max_answer_bytes;
    }

  private:
    std::int64_t since_ms_ = 0;
    std::size_t used_ = 0;
};

// A stream: a response of many messages (StreamIsActive, StreamMetricSpec).
class message_stream final : public http::operation<stream_outcome> {
  public:
    message_stream(std::shared_ptr<http::loop> loop, std::int64_t end_ms, stream_reader reader,
                   callback<void(stream_outcome)> done)
        : operation(*loop, end_ms, std::move(done)), reader_(std::move(reader)), kept_loop_(std::move(loop)) {}

    void start(const auth::authenticator& authenticator, result<http::request> request) {
        if (request) {
            request->stream = std::make_shared<const std::function<void(std::string_view)>>(
                [weak = weak_from_this()](std::string_view bytes) {
                    if (const auto here = weak.lock()) static_cast<message_stream&>(*here).take(bytes);
                });
        }
        question_ = auth::send_authenticated(
            kept_loop_, authenticator, std::move(request), deadline_ms(),
            [self = std::static_pointer_cast<message_stream>(shared_from_this())](result<auth::exchanged>&& exchanged) {
                self->end(std::move(exchanged));
            },
            http::no_repeat());
        carry(question_);
    }

  private:
    void take(std::string_view bytes) {
        if (over() || is_unreadable_) return;
        if (!allowance_.takes(bytes.size(), loop().steady_ms())) {
            return give_up(
                fail(error_class::limit, "the stream sent more than {} bytes in a minute", grpc::max_answer_bytes));
        }
        bool has_arrived = false;
        const auto read = messages_.feed(bytes, [&](std::string_view message) -> result<void> {
            auto out = reader_.read(message);
            has_arrived = has_arrived || out;
            return out;
        });
        if (has_arrived) reader_.on_arrival();
        if (!read) give_up(read.failure());
    }

    // Ends the stream in a later turn of the loop, because the caller may run inside the transfer.
    void give_up(error why) {
        is_unreadable_ = true;
        stream_outcome out;
        out.why = std::move(why);
        finish_soon(std::move(out));
        question_->cancel();
    }

    void end(result<auth::exchanged> exchanged) {
        stream_outcome out;
        out.is_over_time = loop().steady_ms() >= deadline_ms();
        if (exchanged) {
            out.fault = exchanged->answer.fault;
            auto good = grpc::grpc_end(exchanged->answer);
            if (good && messages_.has_rest()) good = grpc::damaged("the stream ended within a message");
            if (!good && !out.is_over_time) out.why = good.take_failure();
            out.sent = std::move(exchanged->sent);
        } else {
            out.why = exchanged.take_failure();
        }
        finish(std::move(out));
    }

    const stream_reader reader_;
    const std::shared_ptr<http::loop> kept_loop_;
    std::shared_ptr<http::exchange> question_;
    grpc::frame_cutter messages_;
    byte_allowance allowance_;
    bool is_unreadable_ = false;
};

// Returns the time limit of a stream, 10 to 15 minutes: a peer that vanished is noticed by then.  Random, so that streams that
// began together do not end together.
std::int64_t longest_stream_ms(double uniform) {
    return 10 * minute_ms + static_cast<std::int64_t>(uniform * 5 * static_cast<double>(minute_ms));
}

// The state of one poll: the metrics and their targets, the values of each, whether the workload is active.
struct external_state final : poll_state {
    bool has_metrics = false;
    std::vector<read_metric> metrics;
    std::size_t next = 0;  // index of the metric that is queried now
};

class external_source final : public metric_source {
  public:
    external_source(const description& described, shared_settings settings, auth::authenticator access,
                    std::shared_ptr<http::loop> loop)
        : metric_source(described, described.question, std::move(access), std::move(loop)),
          settings_(std::move(settings)),
          owner_(scaled_object_message(settings_->owner)) {}

    // Returns the first of the poll's calls.
    result<http::request> request(std::int64_t) const override { return call("GetMetricSpec", owner_); }

    // The first response contains no value.
    result<source::reading> read(const http::answer& answer) const override {
        const auto message = grpc::grpc_message(answer);
        if (!message) return message.failure();
        auto specs = read_specs(*message);
        if (!specs) return specs.take_failure();
        return source::reading();
    }

    step begin(poll& poll) override {
        poll.state = std::make_unique<external_state>();
        return metric_source::begin(poll);
    }

    step next(poll& poll, const std::vector<answered>& answers) override {
        const answered& answer = answers.front();
        if (!answer) return failed(redacted(answer.failure(), {}, http::fault::none, 0, poll.wall_ms));
        const auto message = grpc::grpc_message(answer->answer);
        has_answered_ = has_answered_ || message;
        auto taken =
            message ? take(static_cast<external_state&>(*poll.state), *message) : result<step>(message.failure());
        if (taken) return *std::move(taken);
        return failed(
            redacted(taken.take_failure(), answer->sent, answer->answer.fault, answer->retry_at_ms, poll.wall_ms));
    }

    std::shared_ptr<http::exchange> listen(const std::shared_ptr<http::loop>& over,
                                           std::function<void(stream_report)> on_report,
                                           callback<void(stream_end)> done) override;

  protected:
    http::retry_rule retry() const override {
        http::retry_rule out = metric_source::retry();
        out.again = [usual = out.again](const http::answer& answer) {
            return usual(answer) || grpc::is_passing(answer);
        };
        return out;
    }

  private:
    result<http::request> call(std::string_view method, std::string_view message) const {
        return ready(grpc::grpc_request(settings_->service + std::string(method), message));
    }
    result<http::request> ready(http::request request) const {
        request.carries_credential = !settings_->secrets.empty();
        return prepared(std::move(request));
    }

    fetched failed(error why) {
        streamed_.forget();
        return judge_failure(std::move(why));
    }
    result<step> take(external_state& of, std::string_view message);
    result<void> take_specs(external_state& of, std::string_view message);
    std::shared_ptr<http::exchange> open(const std::shared_ptr<http::loop>& over, const char* method,
                                         std::int64_t longest_ms, stream_reader reader,
                                         callback<void(stream_outcome)> done) const;
    stream_reader activity_reader(std::function<void(stream_report)> on_report);
    stream_reader target_reader(std::function<void(stream_report)> on_report);
    stream_end end_of(stream_outcome outcome, std::int64_t wall_ms) const;
    error redacted(error why, const http::request& sent, http::fault fault, std::int64_t retry_at_ms,
                   std::int64_t wall_ms) const;

    const shared_settings settings_;
    const std::string owner_;        // message with the scaled object's name
    bool has_answered_ = false;      // to a call, or on a stream; loop's thread only
    streamed_specs streamed_;        // loop's thread only
    std::vector<metric_spec> used_;  // by the last poll; loop's thread only
};

// Parses the response of the current round and returns the next request or the result.
result<step> external_source::take(external_state& of, std::string_view message) {
    if (!std::exchange(of.has_metrics, true)) {
        if (auto read = take_specs(of, message); !read) return read.take_failure();
    } else if (of.next < of.metrics.size()) {
        auto values = read_values(message);
        if (!values) return values.take_failure();
        of.metrics[of.next++].values = *std::move(values);
    } else {
        const auto active = read_activity(message);
        if (!active) return active.failure();
        return step(outcome_of(of.metrics, *active, settings_->index));
    }
    queries out;
    if (of.next < of.metrics.size()) {
        out.push_back({call("GetMetrics", metrics_message(owner_, of.metrics[of.next].spec.name)), retry()});
    } else {
        out.push_back({call("IsActive", owner_), retry()});
    }
    return step(std::move(out));
}

result<void> external_source::take_specs(external_state& of, std::string_view message) {
    auto asked = read_specs(message);
    if (!asked) return asked.take_failure();
    std::vector<metric_spec> specs = used_ = streamed_.or_else(*std::move(asked));
    if (specs.empty()) return fail(error_class::no_data, "the external scaler has no metric (an empty metric spec)");
    for (metric_spec& spec : specs) {
        if (spec.target_milli <= 0) {
            return fail(error_class::bad_value,
                        "the external scaler's metric {} has no target above 0, which an HPA requires",
                        in_quotes(spec.name));
        }
        of.metrics.push_back({std::move(spec), {}});
    }
    return {};
}

// Opens a stream that ends after longest_ms.  `done`: as in metric_source::listen().
std::shared_ptr<http::exchange> external_source::open(const std::shared_ptr<http::loop>& over, const char* method,
                                                      std::int64_t longest_ms, stream_reader reader,
                                                      callback<void(stream_outcome)> done) const {
    auto out =
        std::make_shared<message_stream>(over, over->steady_ms() + longest_ms, std::move(reader), std::move(done));
    out->start(*access(),
               ready(grpc::grpc_stream_request(settings_->service + std::string(method), owner_, longest_ms)));
    return out;
}

stream_reader external_source::activity_reader(std::function<void(stream_report)> on_report) {
    const auto last = std::make_shared<stream_report>(stream_report::inactive);
    const auto self = std::static_pointer_cast<external_source>(shared_from_this());
    return {[last](std::string_view message) -> result<void> {
                const auto is_active = read_activity(message);
                if (!is_active) return is_active.failure();
                *last = *is_active ? stream_report::active : stream_report::inactive;
                return {};
            },
            [self, last, on_report = std::move(on_report)] {
                self->has_answered_ = true;
                on_report(*last);
            }};
}

// Returns a reader of targets.  It does not report unchanged targets, which need no poll.
stream_reader external_source::target_reader(std::function<void(stream_report)> on_report) {
    const auto is_new = std::make_shared<bool>(false);
    const auto self = std::static_pointer_cast<external_source>(shared_from_this());
    return {[self, is_new](std::string_view message) -> result<void> {
                auto specs = read_specs(message);
                if (!specs) return specs.take_failure();
                const bool differs = *specs != self->streamed_.or_else(self->used_);
                *is_new = (self->streamed_.take(*std::move(specs)) && differs) || *is_new;
                return {};
            },
            [is_new, on_report = std::move(on_report)] {
                if (std::exchange(*is_new, false)) on_report(stream_report::targets);
            }};
}

// Opens the stream of targets together with that of the activity, which also ends it.  If only the stream of targets ends, polls
// read the targets until both streams are opened again, at the latest after 10 to 15 minutes.
std::shared_ptr<http::exchange> external_source::listen(const std::shared_ptr<http::loop>& over,
                                                        std::function<void(stream_report)> on_report,
                                                        callback<void(stream_end)> done) {
    const std::int64_t longest_ms = longest_stream_ms(over->uniform());
    const auto self = std::static_pointer_cast<external_source>(shared_from_this());
    const auto targets = std::make_shared<std::shared_ptr<http::exchange>>();
    const auto both = std::make_shared<http::gathering<stream_outcome>>(2, nullptr);  // no allocation after a start
    auto activity = open(over, "StreamIsActive", longest_ms, activity_reader(on_report),
                         [self, targets, done = std::move(done)](stream_outcome&& outcome) {
                             if (*targets) (*targets)->cancel();
                             done(self->end_of(std::move(outcome), self->loop()->wall_ms()));
                         });
    if (!settings_->reads_target_stream) return activity;
    both->carry(std::move(activity));
    try {
        *targets = open(over, "StreamMetricSpec", longest_ms, target_reader(std::move(on_report)),
                        [self](stream_outcome) { self->streamed_.forget(); });
    } catch (...) {
        both->cancel();
        throw;
    }
    both->carry(*targets);
    return both;
}

stream_end external_source::end_of(stream_outcome outcome, std::int64_t wall_ms) const {
    stream_end out;
    out.is_over_time = outcome.is_over_time;
    out.is_unserved = outcome.why.service_number == grpc::unimplemented;
    // A server that restarts breaks its streams; that does not mean that it requires TLS.
    const http::fault fault = has_answered_ ? http::fault::none : outcome.fault;
    if (outcome.why.status != status::ok) out.why = redacted(std::move(outcome.why), outcome.sent, fault, 0, wall_ms);
    return out;
}

// Removes secrets from an error, since the server may repeat what it received.
error external_source::redacted(error why, const http::request& sent, http::fault fault, std::int64_t retry_at_ms,
                                std::int64_t wall_ms) const {
    std::vector<std::string_view> secrets;
    for (const secret_text& secret : settings_->secrets) secrets.push_back(secret.reveal());
    why.message = redact(why.message, secrets);
    if (fault == http::fault::reset && !settings_->is_tls())
        why.message += "; set enableTLS: \"true\" in the trigger to use TLS";
    return auth::outward_error(std::move(why), label(), sent, wall_ms, retry_at_ms);
}

fetched no_value_without_fetch(const reading&, const settings&) {
    return judge_failure(fail(error_class::no_data, "an external scaler's value is available only from a fetch"));
}

std::string request_key(const settings& settings) {
    return format_text("external\n{}\n{}{}\n{}", settings.service,
                       settings.access.unsafe_ssl ? "unverified" : "verified", settings.index,
                       scaled_object_message(settings.owner));
}

}  // namespace

result<description> describe(trigger_reader& read) {
    return description_of(read, read_settings(read), {&no_value_without_fetch, &request_key, &settings::address});
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    if (!http::has_http2()) {
        return fail_at(
            error_class::unavailable, described.label,
            "external scalers require HTTP/2, and this libcurl was built without it; link a libcurl with nghttp2");
    }
    const auto settings = described.settings_as<external::settings>();
    auto access = access::open(settings->access, {}, services);
    if (!access) return access.take_failure();
    return std::shared_ptr<metric_source>(
        std::make_shared<external_source>(described, settings, *std::move(access), services.loop));
}

}  // namespace gputide::source::external
