// Section 9 of gputide.h, first half: the scalers of a runtime and what is known of them.
#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/structs.hpp"
#include "runtime/fleet.hpp"

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

constexpr std::uint32_t known_flags = GPUTIDE_RUNTIME_EVERY_DECISION | GPUTIDE_RUNTIME_REPORTS |
                                      GPUTIDE_RUNTIME_NO_SHARING | GPUTIDE_RUNTIME_OBSERVE_FIRST;

template <class Number>
result<void> take(std::int32_t given, const char* name, Number& into) {
    if (given < 0) {
        return fail(status::invalid, std::string("options.") + name + " is " + std::to_string(given) +
                                         "; expected more than 0, or 0 for the default");
    }
    if (given > 0) into = given;
    return {};
}

result<runtime::fleet_options> read_options(const gputide_runtime_options* options) {
    runtime::fleet_options out;
    if (options == nullptr) return out;
    result<gputide_runtime_options> given = read_struct(options, "options");
    if (!given) return std::move(given).failure();
    if ((given->flags & ~known_flags) != 0) {
        return fail(status::too_new, "options.flags: a flag is set that this library does not know");
    }
    out.every_decision = (given->flags & GPUTIDE_RUNTIME_EVERY_DECISION) != 0;
    out.reports = (given->flags & GPUTIDE_RUNTIME_REPORTS) != 0;
    out.observe_first = (given->flags & GPUTIDE_RUNTIME_OBSERVE_FIRST) != 0;
    out.share = (given->flags & GPUTIDE_RUNTIME_NO_SHARING) == 0;
    out.seed = given->seed;
    for (const result<void>& done : {take(given->poll_timeout_ms, "poll_timeout_ms", out.poll_timeout_ms),
                                     take(given->start_spread_ms, "start_spread_ms", out.start_spread_ms),
                                     take(given->share_window_ms, "share_window_ms", out.share_window_ms),
                                     take(given->most_in_flight, "most_in_flight", out.most_in_flight),
                                     take(given->most_per_endpoint, "most_per_endpoint", out.most_per_endpoint),
                                     take(given->breaker_failures, "breaker_failures", out.breaker_failures),
                                     take(given->breaker_base_ms, "breaker_base_ms", out.breaker_base_ms),
                                     take(given->breaker_cap_ms, "breaker_cap_ms", out.breaker_cap_ms),
                                     take(given->gather_ms, "gather_ms", out.gather_ms)}) {
        if (!done) return done.failure();
    }
    if (given->gather_ms > runtime::on_time_ms) {
        return fail(status::invalid, "options.gather_ms is " + std::to_string(given->gather_ms) +
                                         "; expected at most " + std::to_string(runtime::on_time_ms) +
                                         ", as polls would begin that much early");
    }
    return out;
}

// Calls body(fleet); most entries are that.
template <class Body>
gputide_status with_fleet(gputide_runtime* runtime, gputide_error* err, Body body) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(runtime, "runtime"); !ok) return ok;
        return body(runtime->drive->scalers());
    });
}

// The same for those that come to a text.
template <class Make>
gputide_status give(gputide_runtime* runtime, gputide_text* out, gputide_error* err, Make make) {
    return with_fleet(runtime, err, [&](runtime::fleet& of) -> result<void> {
        if (result<void> ok = required(out, "out"); !ok) return ok;
        result<std::string> text = make(of);
        if (!text) return std::move(text).failure();
        return give_text(*text, out);
    });
}

// The manifest that _add and _replace take, read.
struct wanted_scaler {
    config::spec spec;
    runtime::host_options host;
};

result<wanted_scaler> read_scaler(const char* manifest, int64_t size_bytes, const gputide_options* options) {
    result<host_input> input = read_input(manifest, size_bytes, options);
    if (!input) return std::move(input).failure();
    result<config::spec> spec = runtime::load_spec(input->files, input->host, nullptr);
    if (!spec) return std::move(spec).failure();
    return wanted_scaler{*std::move(spec), std::move(input->host)};
}

}  // namespace

gputide_status gputide_runtime_new(const gputide_runtime_options* options, gputide_runtime** out, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(out, "out"); !ok) return ok;
        result<runtime::fleet_options> with = read_options(options);
        if (!with) return std::move(with).failure();
        result<std::unique_ptr<runtime::drive>> drive = runtime::drive::open(*with);
        if (!drive) return std::move(drive).failure();
        *out = make_handle<gputide_runtime>(*std::move(drive));
        return {};
    });
}

void gputide_runtime_free(gputide_runtime* runtime) { end(runtime); }

gputide_status gputide_runtime_add(gputide_runtime* runtime, const char* manifest, int64_t size_bytes,
                                   const gputide_options* options, uint64_t* id, gputide_error* err) {
    return with_fleet(runtime, err, [&](runtime::fleet& of) -> result<void> {
        result<wanted_scaler> wanted = read_scaler(manifest, size_bytes, options);
        if (!wanted) return std::move(wanted).failure();
        result<runtime::scaler_id> added = of.add(wanted->spec, wanted->host.permissions);
        if (!added) return std::move(added).failure();
        if (id != nullptr) *id = *added;
        return {};
    });
}

gputide_status gputide_runtime_replace(gputide_runtime* runtime, uint64_t id, const char* manifest, int64_t size_bytes,
                                       const gputide_options* options, gputide_error* err) {
    return with_fleet(runtime, err, [&](runtime::fleet& of) -> result<void> {
        result<wanted_scaler> wanted = read_scaler(manifest, size_bytes, options);
        if (!wanted) return std::move(wanted).failure();
        return of.replace(id, wanted->spec, wanted->host.permissions);
    });
}

gputide_status gputide_runtime_remove(gputide_runtime* runtime, uint64_t id, gputide_error* err) {
    return with_fleet(runtime, err, [&](runtime::fleet& of) { return of.remove(id); });
}

gputide_status gputide_runtime_find(gputide_runtime* runtime, const char* name, uint64_t* id, gputide_error* err) {
    return with_fleet(runtime, err, [&](runtime::fleet& of) -> result<void> {
        if (result<void> ok = required(name, "name"); !ok) return ok;
        if (result<void> ok = required(id, "id"); !ok) return ok;
        result<runtime::scaler_id> found = of.find(name);
        if (!found) return std::move(found).failure();
        *id = *found;
        return {};
    });
}

gputide_status gputide_runtime_observe(gputide_runtime* runtime, uint64_t id, const gputide_observation* seen,
                                       gputide_error* err) {
    return with_fleet(runtime, err, [&](runtime::fleet& of) -> result<void> {
        seen_input input;
        if (result<void> ok = read_observation(seen, input); !ok) return ok;
        return of.observe(id, input.observation);
    });
}

gputide_status gputide_runtime_record(gputide_runtime* runtime, uint64_t id, gputide_decision* made, int32_t applied,
                                      int64_t now_ms, gputide_error* err) {
    return with_fleet(runtime, err, [&](runtime::fleet& of) -> result<void> {
        result<gputide_decision> given = read_struct(made, "made");
        if (!given) return std::move(given).failure();
        result<decide::decision> recorded = from_c(*given);
        if (!recorded) return std::move(recorded).failure();
        if (result<void> done = of.record(id, *recorded, applied != 0, now_ms); !done) return done;
        write_decision(*recorded, made);
        return {};
    });
}

gputide_status gputide_runtime_save(gputide_runtime* runtime, uint64_t id, gputide_text* out, gputide_error* err) {
    return give(runtime, out, err, [&](const runtime::fleet& of) { return of.save(id); });
}

gputide_status gputide_runtime_load(gputide_runtime* runtime, uint64_t id, const char* text, int64_t size_bytes,
                                    gputide_error* err) {
    return with_fleet(runtime, err, [&](runtime::fleet& of) -> result<void> {
        result<std::string_view> content = input_text(text, size_bytes, "text");
        if (!content) return std::move(content).failure();
        return of.load(id, *content);
    });
}

gputide_status gputide_runtime_describe(gputide_runtime* runtime, uint64_t id, gputide_text* json, gputide_error* err) {
    return give(runtime, json, err, [&](const runtime::fleet& of) { return of.describe(id); });
}

gputide_status gputide_runtime_stats(gputide_runtime* runtime, gputide_text* json, gputide_error* err) {
    return give(runtime, json, err,
                [](const runtime::fleet& of) { return result<std::string>(runtime::stats_json(of.stats())); });
}
