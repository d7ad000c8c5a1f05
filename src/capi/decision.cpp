// Copies decisions member by member, and their conditions in one block.
#include "capi/entry.hpp"
#include "capi/observation.hpp"
#include "capi/structs.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gputide::capi {
namespace {

static_assert(same(GPUTIDE_LIMIT_NONE, decide::limit::none) && same(GPUTIDE_LIMIT_COOLDOWN, decide::limit::cooldown));
static_assert(same(GPUTIDE_LIMIT_BUDGET, decide::limit::budget) &&
              same(GPUTIDE_LIMIT_FORECAST, decide::limit::forecast) &&
              same(GPUTIDE_LIMIT_NO_CAPACITY, decide::limit::no_capacity));
static_assert(same(GPUTIDE_SOURCE_HPA, decide::origin::hpa) && same(GPUTIDE_SOURCE_EXECUTOR, decide::origin::executor));
static_assert(same(GPUTIDE_ACTIVATED, decide::event::activated));
static_assert(same(GPUTIDE_DEACTIVATION_FAILED, decide::event::deactivation_failed));
static_assert(same(GPUTIDE_CONDITION_PAUSED, decide::condition_type::paused));
static_assert(decide::condition_count <= GPUTIDE_MAX_CONDITIONS);
static_assert(GPUTIDE_FORMULA == decide::composite_metric);
static_assert(same(GPUTIDE_ABSENT, decide::truth::absent) && same(GPUTIDE_UNKNOWN, decide::truth::unknown));

// fill() copies conditions as one block.
static_assert(sizeof(gputide_condition) == sizeof(decide::condition));
static_assert(offsetof(gputide_condition, truth) == offsetof(decide::condition, truth));
static_assert(offsetof(gputide_condition, reason) == offsetof(decide::condition, reason));
static_assert(offsetof(gputide_condition, since_ms) == offsetof(decide::condition, since_ms));

constexpr std::uint32_t decision_flags =
    GPUTIDE_DECIDED_ACTIVE | GPUTIDE_DECIDED_ERROR | GPUTIDE_DECIDED_EXECUTOR | GPUTIDE_DECIDED_HPA;

std::uint32_t flag(bool set, std::uint32_t bit) { return set ? bit : 0; }

// Sets each member except struct_size.
void fill(const decide::decision& decision, gputide_decision& out) {
    out.flags = flag(decision.active, GPUTIDE_DECIDED_ACTIVE) | flag(decision.error, GPUTIDE_DECIDED_ERROR) |
                flag(decision.executor_ran, GPUTIDE_DECIDED_EXECUTOR) | flag(decision.hpa_ran, GPUTIDE_DECIDED_HPA);
    out.id = decision.id;
    out.now_ms = decision.now_ms;
    out.next_due_ms = decision.next_due_ms;
    out.current_replicas = decision.current_replicas;
    out.desired_replicas = decision.desired_replicas;
    out.proposed_replicas = decision.proposed_replicas;
    out.limited_by = static_cast<std::int32_t>(decision.limited_by);
    out.source = static_cast<std::int32_t>(decision.origin);
    out.winner = decision.winner;
    out.failed_metric = decision.failed_metric;
    out.event = static_cast<std::int32_t>(decision.event);
    std::memcpy(out.conditions, decision.conditions.data(), sizeof decision.conditions);
    // Copied, because clearing them would become a string instruction, which is slow for so few bytes.
    static constexpr gputide_condition unused[GPUTIDE_MAX_CONDITIONS - decide::condition_count] = {};
    std::memcpy(out.conditions + decide::condition_count, unused, sizeof unused);
    out.forecast_state = static_cast<std::int32_t>(decision.forecast_state);
    out.forecast_need = decision.forecast_need;
    out.message = nullptr;
}

}  // namespace

void write_decision(const decide::decision& decision, gputide_decision* out) {
    const bool is_usual = out->struct_size == sizeof *out;
    gputide_decision buffer;
    buffer.struct_size = sizeof buffer;  // the only member that fill() does not set
    fill(decision, is_usual ? *out : buffer);
    if (!is_usual) write_struct(out, buffer);
}

result<returned_decision> read_decision(const gputide_decision* returned) {
    result<gputide_decision> read = read_struct(returned, "decision");
    if (!read) return read.take_failure();
    const gputide_decision& given = *read;
    if (result<void> ok = check_flags(given.flags, decision_flags, "decision.flags"); !ok) {
        return ok.take_failure();
    }
    const auto has = [&](std::uint32_t flag) { return (given.flags & flag) != 0; };
    returned_decision all;
    decide::decision& out = all.decision;
    out.active = has(GPUTIDE_DECIDED_ACTIVE);
    out.error = has(GPUTIDE_DECIDED_ERROR);
    out.executor_ran = has(GPUTIDE_DECIDED_EXECUTOR);
    out.hpa_ran = has(GPUTIDE_DECIDED_HPA);
    out.id = given.id;
    out.now_ms = given.now_ms;
    out.next_due_ms = given.next_due_ms;
    out.current_replicas = given.current_replicas;
    out.desired_replicas = given.desired_replicas;
    out.proposed_replicas = given.proposed_replicas;
    out.limited_by = static_cast<decide::limit>(given.limited_by);
    out.origin = static_cast<decide::origin>(given.source);
    out.winner = given.winner;
    out.failed_metric = given.failed_metric;
    out.event = static_cast<decide::event>(given.event);
    for (std::size_t i = 0; i < decide::condition_count; ++i) {
        const gputide_condition& condition = given.conditions[i];
        out.conditions[i] = {static_cast<decide::truth>(condition.truth), static_cast<decide::reason>(condition.reason),
                             condition.since_ms};
    }
    all.message = text_or_empty(given.message);
    return all;
}

}  // namespace gputide::capi
