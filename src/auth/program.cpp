// Waiting for a program behind program.hpp.
#include "auth/program.hpp"

#include "base/redact.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace gputide::auth {
namespace {

constexpr std::int64_t between_looks_ms = 20;
constexpr std::size_t most_complaint_bytes = 400;

class running final : public http::exchange, public std::enable_shared_from_this<running> {
  public:
    running(http::loop& on, const program_call& call, std::int64_t until_ms, std::int64_t limit_ms, program_done done)
        : on_(on),
          program_(call.arguments.front()),
          signed_out_mark_(call.signed_out_mark),
          until_ms_(until_ms),
          limit_ms_(limit_ms),
          done_(std::move(done)) {}

    void start(const surroundings& host, const std::vector<std::string>& arguments) {
        auto started = host.start_program(arguments);
        if (started) {
            child_ = *std::move(started);
        } else {
            why_ = std::move(started).failure();
        }
        look_after(0);
    }

    void cancel() override {
        std::unique_ptr<child_program> child;
        program_done dropped;
        http::ticket timer = 0;
        {
            const std::lock_guard hold(guard_);
            dropped.swap(done_);
            child.swap(child_);
            std::swap(timer, timer_);
        }
        if (timer != 0) on_.cancel(timer);
    }

  private:
    void look_after(std::int64_t delay_ms) {
        const http::ticket timer = on_.after(delay_ms, [self = shared_from_this()] { self->look(); });
        const std::lock_guard hold(guard_);
        timer_ = timer;
    }

    void look() {
        std::optional<result<secret_text>> outcome;
        {
            const std::lock_guard hold(guard_);
            if (!done_) return;
            outcome = child_ ? outcome_of(*child_) : std::optional<result<secret_text>>(std::move(why_));
        }
        if (!outcome) return look_after(between_looks_ms);
        program_done done;
        std::unique_ptr<child_program> child;  // killed here where it still runs
        {
            const std::lock_guard hold(guard_);
            done.swap(done_);
            child.swap(child_);
        }
        if (done) done(*std::move(outcome));
    }

    std::optional<result<secret_text>> outcome_of(child_program& child) const {
        auto ended = child.poll();
        if (ended && ended->ok) return result<secret_text>(std::move(ended->output));
        if (ended) {
            std::string text = program_ + " ended with " + ended->how;
            const std::string words = redact(cut_utf8(trim(ended->complaint), most_complaint_bytes));
            if (!words.empty()) text += ": " + words;
            const bool signed_out = !signed_out_mark_.empty() && words.find(signed_out_mark_) != std::string::npos;
            return result<secret_text>(
                fail(signed_out ? error_class::signed_out : error_class::permanent, std::move(text)));
        }
        if (on_.steady_ms() < until_ms_) return std::nullopt;
        return result<secret_text>(fail(error_class::transient,
                                        program_ + " was killed: it timed out after " + format_duration_ms(limit_ms_)));
    }

    http::loop& on_;
    const std::string program_;
    const std::string signed_out_mark_;
    const std::int64_t until_ms_;
    const std::int64_t limit_ms_;

    std::mutex guard_;
    program_done done_;  // empty: finished or cancelled
    std::unique_ptr<child_program> child_;
    error why_;  // it could not be started
    http::ticket timer_ = 0;
};

}  // namespace

result<void> check_program(const std::string& program, const host_permissions& permissions) {
    const auto& allowed = permissions.allowed_programs;
    if (std::find(allowed.begin(), allowed.end(), program) != allowed.end()) return {};
    return fail(error_class::config,
                "the program " + quoted(program) +
                    " is not run: the host program does not allow it. If it may be run, let the host "
                    "name it (allowed_programs, gputided --allow-program)");
}

std::shared_ptr<http::exchange> run_program(http::loop& on, const std::shared_ptr<const surroundings>& host,
                                            const program_call& call, std::int64_t deadline_ms, program_done done) {
    const std::int64_t now = on.steady_ms();
    const std::int64_t limit = std::max<std::int64_t>(0, std::min(call.limit_ms, deadline_ms - now));
    auto out = std::make_shared<running>(on, call, now + limit, limit, std::move(done));
    out->start(*host, call.arguments);
    return out;
}

}  // namespace gputide::auth
