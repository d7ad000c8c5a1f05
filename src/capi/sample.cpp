// Samples through the door, and the sentences about those that may not pass.
#include "capi/sample.hpp"

#include "base/format_text.hpp"
#include "capi/same.hpp"

#include <utility>

namespace gputide::capi {

static_assert(same(GPUTIDE_SAMPLE_NOT_GIVEN, sample_state::not_given) && same(GPUTIDE_SAMPLE_OK, sample_state::ok));
static_assert(same(GPUTIDE_SAMPLE_EMPTY, sample_state::empty) && same(GPUTIDE_SAMPLE_STALE, sample_state::stale));
static_assert(same(GPUTIDE_SAMPLE_NOT_A_NUMBER, sample_state::not_a_number));
static_assert(same(GPUTIDE_SAMPLE_PARTIAL, sample_state::partial));
static_assert(same(GPUTIDE_SAMPLE_AMBIGUOUS, sample_state::ambiguous) && same(GPUTIDE_SAMPLE_AUTH, sample_state::auth));
static_assert(same(GPUTIDE_SAMPLE_TIMEOUT, sample_state::timeout) && same(GPUTIDE_SAMPLE_FAILED, sample_state::failed));

error wrong_sample(const gputide_sample& given) {
    if (given.state < GPUTIDE_SAMPLE_NOT_GIVEN || given.state > GPUTIDE_SAMPLE_FAILED) {
        return fail(status::invalid, format_text("state is {}; expected a GPUTIDE_SAMPLE_* number", given.state));
    }
    if (result<void> ok = check_flags(given.flags, GPUTIDE_SAMPLE_NULL_AS_ZERO, "flags"); !ok) {
        return std::move(ok).failure();
    }
    if (is_in_seconds(given.time_ms)) return is_no_time(given.time_ms, "time_ms");
    return fail(status::invalid, "value is not finite; say GPUTIDE_SAMPLE_NOT_A_NUMBER as its state");
}

result<sample> from_c(const gputide_sample& given) {
    if (!is_right(given)) return wrong_sample(given);
    sample out;
    read_sample(given, out);
    return out;
}

gputide_sample to_c(const sample& value) {
    gputide_sample out{};
    out.state = static_cast<gputide_sample_state>(value.state);
    out.status = static_cast<gputide_status>(value.status);
    out.flags = value.null_as_zero ? GPUTIDE_SAMPLE_NULL_AS_ZERO : 0;
    out.value = value.value;
    out.time_ms = value.time_ms;
    return out;
}

}  // namespace gputide::capi
