// Implements runtime.h: the scalers of a runtime, their events, and the ways to drive it.
#include "gputide/runtime.h"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "capi/entry.hpp"
#include "capi/handles.hpp"
#include "capi/network_handles.hpp"
#include "capi/observation.hpp"
#include "capi/options.hpp"
#include "capi/structs.hpp"
#include "pipeline/host.hpp"

#include <cstring>
#include <limits>
#include <optional>

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

constexpr std::uint32_t known_flags = GPUTIDE_RUNTIME_EVERY_DECISION | GPUTIDE_RUNTIME_REPORTS |
                                      GPUTIDE_RUNTIME_NO_SHARING | GPUTIDE_RUNTIME_OBSERVE_FIRST;

error out_of_range(const char* member, std::int64_t given, const std::string& expected) {
    return fail(status::invalid, "options.{} is {}; expected {}", member, given, expected);
}

// Reads an option; 0 keeps the default.
template <class Number>
result<void> take(std::int32_t given, const char* member, Number& value) {
    if (given < 0) return out_of_range(member, given, "more than 0, or 0 for the default");
    if (given > 0) value = given;
    return {};
}

result<void> take_numbers(const gputide_runtime_options& given, runtime::fleet_options& options) {
    for (const result<void>& done : {take(given.poll_timeout_ms, "poll_timeout_ms", options.poll_timeout_ms),
                                     take(given.start_spread_ms, "start_spread_ms", options.start_spread_ms),
                                     take(given.share_window_ms, "share_window_ms", options.share_window_ms),
                                     take(given.max_in_flight, "max_in_flight", options.max_in_flight),
                                     take(given.max_per_endpoint, "max_per_endpoint", options.max_per_endpoint),
                                     take(given.breaker_failures, "breaker_failures", options.breaker_failures),
                                     take(given.breaker_base_ms, "breaker_base_ms", options.breaker_base_ms),
                                     take(given.breaker_cap_ms, "breaker_cap_ms", options.breaker_cap_ms),
                                     take(given.gather_ms, "gather_ms", options.gather_ms)}) {
        if (!done) return done;
    }
    if (options.breaker_cap_ms < options.breaker_base_ms) {
        return out_of_range("breaker_cap_ms", options.breaker_cap_ms,
                            format_text("at least breaker_base_ms, which is {}", options.breaker_base_ms));
    }
    if (options.gather_ms > runtime::on_time_ms) {
        return out_of_range("gather_ms", options.gather_ms,
                            format_text("at most {}, because polls can begin early by this time", runtime::on_time_ms));
    }
    return {};
}

result<runtime::fleet_options> read_options(const gputide_runtime_options* options) {
    runtime::fleet_options out;
    if (options == nullptr) return out;
    result<gputide_runtime_options> given = read_struct(options, "options");
    if (!given) return given.take_failure();
    if (result<void> ok = check_flags(given->flags, known_flags, "options.flags"); !ok) return ok.take_failure();
    out.every_decision = (given->flags & GPUTIDE_RUNTIME_EVERY_DECISION) != 0;
    out.reports = (given->flags & GPUTIDE_RUNTIME_REPORTS) != 0;
    out.observe_first = (given->flags & GPUTIDE_RUNTIME_OBSERVE_FIRST) != 0;
    out.share = (given->flags & GPUTIDE_RUNTIME_NO_SHARING) == 0;
    out.seed = given->seed;
    if (result<void> taken = take_numbers(*given, out); !taken) return taken.take_failure();
    return out;
}

// Calls body(fleet), for functions that only use the scalers.
gputide_status with_fleet(gputide_runtime* runtime, arguments needed, gputide_error* err,
                          function_ref<result<void>(runtime::fleet&)> body) {
    return inside_runtime(runtime, needed, err, [&](runtime::driver& driver) { return body(driver.scalers()); });
}

// Does the same for functions that return a text.
gputide_status give(gputide_runtime* runtime, gputide_text* out, gputide_error* err,
                    function_ref<result<std::string>(runtime::fleet&)> make) {
    return with_fleet(runtime, {{out, "out"}}, err,
                      [&](runtime::fleet& scalers) { return give_text_of(make(scalers), out); });
}

// Writes the id that was found.
result<void> give_id(const result<runtime::scaler_id>& found, uint64_t* id) {
    if (!found) return found.failure();
    *id = *found;
    return {};
}

// The parsed manifest for _add and _replace.
struct wanted_scaler {
    manifest::spec spec;
    pipeline::host_options host;
};

result<wanted_scaler> read_scaler(const char* manifest, int64_t size_bytes, const gputide_options* options) {
    result<host_input> input = read_input(manifest, size_bytes, options);
    if (!input) return input.take_failure();
    result<manifest::spec> spec = pipeline::load_spec(input->files, input->host, nullptr);
    if (!spec) return spec.take_failure();
    return wanted_scaler{*std::move(spec), std::move(input->host)};
}

}  // namespace

namespace gputide::capi {

gputide_status inside_runtime(gputide_runtime* runtime, arguments needed, gputide_error* err,
                              function_ref<result<void>(runtime::driver&)> body) noexcept {
    return guarded(err, {{runtime, "runtime"}}, [&]() -> result<void> {
        const runtime::call_count::call inside(runtime->driver->calls());
        if (!inside) return fail(status::state, "runtime: it was closed");
        if (result<void> ok = required(needed); !ok) return ok;
        return body(*runtime->driver);
    });
}

}  // namespace gputide::capi

gputide_status gputide_runtime_new(const gputide_runtime_options* options, gputide_runtime** out, gputide_error* err) {
    return guarded(err, {{out, "out"}}, [&]() -> result<void> {
        result<runtime::fleet_options> chosen = read_options(options);
        if (!chosen) return chosen.take_failure();
        result<std::unique_ptr<runtime::driver>> driver = runtime::driver::open(*chosen);
        if (!driver) return driver.take_failure();
        *out = make_handle<gputide_runtime>(*std::move(driver));
        return {};
    });
}

void gputide_runtime_free(gputide_runtime* runtime) { end(runtime); }

gputide_status gputide_runtime_add(gputide_runtime* runtime, const char* manifest, int64_t size_bytes,
                                   const gputide_options* options, uint64_t tag, uint64_t* id, gputide_error* err) {
    return with_fleet(runtime, {}, err, [&](runtime::fleet& scalers) -> result<void> {
        result<wanted_scaler> wanted = read_scaler(manifest, size_bytes, options);
        if (!wanted) return wanted.take_failure();
        result<runtime::scaler_id> added = scalers.add(wanted->spec, wanted->host, tag);
        if (!added) return added.take_failure();
        if (id != nullptr) *id = *added;
        return {};
    });
}

gputide_status gputide_runtime_replace(gputide_runtime* runtime, uint64_t id, const char* manifest, int64_t size_bytes,
                                       const gputide_options* options, const uint64_t* tag, gputide_error* err) {
    return with_fleet(runtime, {}, err, [&](runtime::fleet& scalers) -> result<void> {
        result<wanted_scaler> wanted = read_scaler(manifest, size_bytes, options);
        if (!wanted) return wanted.take_failure();
        return scalers.replace(id, wanted->spec, wanted->host,
                               tag != nullptr ? std::optional<std::uint64_t>(*tag) : std::nullopt);
    });
}

gputide_status gputide_runtime_remove(gputide_runtime* runtime, uint64_t id, gputide_error* err) {
    return with_fleet(runtime, {}, err, [&](runtime::fleet& scalers) { return scalers.remove(id); });
}

gputide_status gputide_runtime_find(gputide_runtime* runtime, const char* name, uint64_t* id, gputide_error* err) {
    return with_fleet(runtime, {{id, "id"}, {name, "name"}}, err,
                      [&](const runtime::fleet& scalers) { return give_id(scalers.find(name), id); });
}

gputide_status gputide_runtime_next_scaler(gputide_runtime* runtime, uint64_t after_id, uint64_t* id,
                                           gputide_error* err) {
    return with_fleet(runtime, {{id, "id"}}, err,
                      [&](const runtime::fleet& scalers) { return give_id(scalers.next_scaler(after_id), id); });
}

gputide_status gputide_runtime_observe(gputide_runtime* runtime, uint64_t id, const gputide_observation* observation,
                                       gputide_error* err) {
    return with_fleet(runtime, {}, err, [&](runtime::fleet& scalers) -> result<void> {
        observation_input input;
        if (result<void> ok = read_observation(observation, input); !ok) return ok;
        return scalers.observe(id, input.observation, input.messages());
    });
}

gputide_status gputide_runtime_push(gputide_runtime* runtime, uint64_t id, const gputide_sample* samples,
                                    uint32_t sample_size, uint32_t count, gputide_error* err) {
    return with_fleet(runtime, {}, err, [&](runtime::fleet& scalers) -> result<void> {
        gputide_observation pushed{};
        pushed.struct_size = sizeof pushed;
        pushed.now_ms = 1;  // any valid time; not used
        pushed.samples = samples;
        pushed.sample_size = sample_size;
        pushed.sample_count = count;
        observation_input input;
        if (result<void> ok = read_observation(&pushed, input); !ok) return ok;
        return scalers.push(id, input.observation.samples, input.messages());
    });
}

gputide_status gputide_runtime_record(gputide_runtime* runtime, uint64_t id, gputide_decision* decision,
                                      int32_t applied, int64_t now_ms, gputide_error* err) {
    return with_fleet(runtime, {}, err, [&](runtime::fleet& scalers) -> result<void> {
        if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok;
        result<returned_decision> returned = read_decision(decision);
        if (!returned) return returned.take_failure();
        auto& [recorded, message] = *returned;
        result<void> done = scalers.record(id, recorded, applied != 0, now_ms, message);
        if (!done) return done;
        write_decision(recorded, decision);
        return {};
    });
}

gputide_status gputide_runtime_save(gputide_runtime* runtime, uint64_t id, gputide_text* out, gputide_error* err) {
    return give(runtime, out, err, [&](const runtime::fleet& scalers) { return scalers.save(id); });
}

gputide_status gputide_runtime_load(gputide_runtime* runtime, uint64_t id, const char* text, int64_t size_bytes,
                                    gputide_error* err) {
    return with_fleet(runtime, {}, err, [&](runtime::fleet& scalers) -> result<void> {
        result<std::string_view> content = input_text(text, size_bytes, "text");
        if (!content) return content.take_failure();
        return scalers.load(id, *content);
    });
}

gputide_status gputide_runtime_describe(gputide_runtime* runtime, uint64_t id, gputide_text* json, gputide_error* err) {
    return give(runtime, json, err, [&](const runtime::fleet& scalers) { return scalers.describe(id); });
}

gputide_status gputide_runtime_stats(gputide_runtime* runtime, gputide_text* json, gputide_error* err) {
    return give(runtime, json, err, [](const runtime::fleet& scalers) {
        return result<std::string>(runtime::stats_json(scalers.stats()));
    });
}

namespace {

static_assert(GPUTIDE_FOREVER == runtime::forever_ms);

gputide_event event_to_c(const runtime::fleet_event& event) {
    gputide_event out{};
    out.kind = event.is_due ? GPUTIDE_EVENT_DUE : event.is_note ? GPUTIDE_EVENT_CLUSTER : GPUTIDE_EVENT_DECISION;
    out.id = event.id;
    out.tag = event.tag;
    out.sequence = event.sequence;
    out.observed_ms = event.observed_ms;
    out.replaced = event.replaced;
    const std::string_view name = cut_utf8(event.name, sizeof out.name - 1);
    std::memcpy(out.name, name.data(), name.size());
    return out;
}

}  // namespace

const char* gputide_event_kind_name(int32_t kind) {
    if (kind == GPUTIDE_EVENT_DECISION) return "decision";
    if (kind == GPUTIDE_EVENT_CLUSTER) return "cluster";
    return kind == GPUTIDE_EVENT_DUE ? "due" : "unknown";
}

gputide_status gputide_runtime_next_event(gputide_runtime* runtime, int32_t timeout_ms, const gputide_cancel* cancel,
                                          gputide_event* event, gputide_decision* decision, gputide_text* report,
                                          gputide_error* err) {
    return inside_runtime(runtime, {}, err, [&](runtime::driver& driver) -> result<void> {
        if (result<void> ok = check_timeout(timeout_ms, waiting::may_poll_or_last); !ok) return ok;
        if (result<void> ok = check_out(event, "event"); !ok) return ok;
        if (result<void> ok = optional(cancel, "cancel"); !ok) return ok;
        if (decision != nullptr) {
            if (result<void> ok = check_out(decision, "decision"); !ok) return ok;
        }
        auto next = driver.next_event(timeout_ms, cancel != nullptr ? &cancel->flag : nullptr);
        if (!next) return next.take_failure();
        if (!next->has_value()) return fail(status::no_data, "no event came in time");
        runtime::fleet_event& taken = **next;
        if (report != nullptr) {
            if (result<void> ok = give_text(taken.report, report); !ok) {
                driver.scalers().put_back(std::move(taken));
                return ok;
            }
        }
        write_struct(event, event_to_c(taken));
        if (decision != nullptr) write_decision(taken.decision, decision);
        return {};
    });
}

gputide_status gputide_runtime_start(gputide_runtime* runtime, gputide_error* err) {
    return inside_runtime(runtime, {}, err, [](runtime::driver& driver) { return driver.start(); });
}

gputide_status gputide_runtime_stop(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err) {
    return inside_runtime(runtime, {}, err, [&](runtime::driver& driver) -> result<void> {
        if (result<void> ok = check_timeout(timeout_ms, waiting::may_poll_or_last); !ok) return ok;
        return driver.stop(timeout_ms);
    });
}

gputide_status gputide_runtime_close(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err) {
    return guarded(err, {{runtime, "runtime"}}, [&]() -> result<void> {
        if (result<void> ok = check_timeout(timeout_ms, waiting::may_poll_or_last); !ok) return ok;
        return runtime->driver->close(timeout_ms);
    });
}

gputide_status gputide_runtime_step(gputide_runtime* runtime, int64_t now_ms, int64_t* next_ms, gputide_error* err) {
    return inside_runtime(runtime, {}, err, [&](runtime::driver& driver) -> result<void> {
        if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok;
        result<std::optional<std::int64_t>> next = driver.step(now_ms);
        if (!next) return next.take_failure();
        if (next_ms != nullptr) *next_ms = next->value_or(std::numeric_limits<std::int64_t>::max());
        return {};
    });
}

gputide_status gputide_runtime_wake_fd(gputide_runtime* runtime, int32_t* fd, gputide_error* err) {
    return inside_runtime(runtime, {{fd, "fd"}}, err, [&](runtime::driver& driver) -> result<void> {
        result<int> opened = driver.descriptor();
        if (!opened) return opened.take_failure();
        *fd = *opened;
        return {};
    });
}
