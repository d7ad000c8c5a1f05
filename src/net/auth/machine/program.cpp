// Waits for a program, for program.hpp.
#include "auth/machine/program.hpp"

#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace gputide::auth {
namespace {

constexpr std::int64_t between_looks_ms = 20;
constexpr std::size_t most_shown_bytes = 400;

// Polls the program from time to time.
class running final : public http::operation<result<secret_text>> {
  public:
    running(http::loop& loop, const program_call& call, std::int64_t limit_ms, program_done done)
        : operation(loop, loop.steady_ms() + limit_ms, std::move(done)),
          program_(call.arguments.front()),
          signed_out_mark_(call.signed_out_mark),
          limit_ms_(limit_ms) {}

    void start(const surroundings& host, const program_call& call) {
        auto started = host.start_program(call.arguments, call.variables);
        if (!started) return finish_soon(started.take_failure());
        child_ = *std::move(started);
        look_after(0);
    }

    void cancel() override {
        operation::cancel();
        child_.reset();  // kills it if it is still running
    }

  private:
    void look_after(std::int64_t delay_ms) {
        after(delay_ms, [this] { look(); });
    }

    void look() {
        auto outcome = outcome_of(*child_);
        if (!outcome) return look_after(between_looks_ms);
        child_.reset();
        finish(*std::move(outcome));
    }

    std::optional<result<secret_text>> outcome_of(child_program& child) const {
        auto ended = child.poll();
        if (ended && ended->ok) return result<secret_text>(std::move(ended->output));
        if (ended) {
            std::string text = format_text("{} ended with {}", program_, ended->how);
            const std::string words = redact(cut_utf8(trim(ended->complaint), most_shown_bytes));
            if (!words.empty()) text += ": " + words;
            const bool signed_out = !signed_out_mark_.empty() && words.find(signed_out_mark_) != std::string::npos;
            const error_class which = ended->missing ? error_class::unavailable
                                      : signed_out   ? error_class::signed_out
                                                     : error_class::permanent;
            return result<secret_text>(fail(which, std::move(text)));
        }
        if (loop().steady_ms() < deadline_ms()) return std::nullopt;
        return result<secret_text>(fail(error_class::transient, "{} was killed: it timed out after {}", program_,
                                        format_duration_ms(limit_ms_)));
    }

    const std::string program_;
    const std::string signed_out_mark_;
    const std::int64_t limit_ms_;
    std::unique_ptr<child_program> child_;
};

}  // namespace

result<void> check_program(const std::string& program, const std::vector<std::string>& allowed,
                           std::string_view option) {
    if (std::find(allowed.begin(), allowed.end(), program) != allowed.end()) return {};
    return fail(error_class::config,
                "the program {} is not run: the host program does not allow it. If it may be run, let the "
                "host name it ({})",
                in_quotes(program), option);
}

std::shared_ptr<http::exchange> run_program(http::loop& loop, const std::shared_ptr<const surroundings>& host,
                                            const program_call& call, std::int64_t deadline_ms, program_done done) {
    const std::int64_t left_ms = deadline_ms - loop.steady_ms();
    const std::int64_t limit_ms = std::max<std::int64_t>(0, std::min(call.limit_ms, left_ms));
    auto out = std::make_shared<running>(loop, call, limit_ms, std::move(done));
    out->start(*host, call);
    return out;
}

}  // namespace gputide::auth
