#include "auth/authenticator.hpp"
#include "source/external/external.hpp"
#include "source/grpc/grpc.hpp"

#include <string_view>
#include <utility>

namespace gputide::source::external {
namespace {

constexpr std::int64_t minute_ms = 60'000;

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
            [self = std::static_pointer_cast<message_stream>(shared_from_this())](result<auth::exchanged> exchanged) {
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

}  // namespace

std::int64_t longest_stream_ms(double uniform) {
    return 10 * minute_ms + static_cast<std::int64_t>(uniform * 5 * static_cast<double>(minute_ms));
}

std::shared_ptr<http::exchange> open_stream(const std::shared_ptr<http::loop>& loop,
                                            const auth::authenticator& authenticator, result<http::request> request,
                                            std::int64_t longest_ms, stream_reader reader,
                                            callback<void(stream_outcome)> done) {
    auto out =
        std::make_shared<message_stream>(loop, loop->steady_ms() + longest_ms, std::move(reader), std::move(done));
    out->start(authenticator, std::move(request));
    return out;
}

}  // namespace gputide::source::external
