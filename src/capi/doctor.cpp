// gputide_doctor of section 8 of gputide.h.
#include "doctor/doctor.hpp"

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"

using namespace gputide;        // NOLINT: the entry below is the C side of these names
using namespace gputide::capi;  // NOLINT: as above

gputide_status gputide_doctor(const char* manifest, int64_t size_bytes, const gputide_options* options,
                              const gputide_observation* seen, int32_t timeout_ms, const gputide_cancel* cancel,
                              gputide_text* report, gputide_text* lines, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(report, "report"); !ok) return ok;
        result<host_input> input = read_input(manifest, size_bytes, options);
        if (!input) return std::move(input).failure();
        seen_input observed;
        if (seen != nullptr) {
            if (result<void> ok = read_observation(seen, observed); !ok) return ok;
        }
        result<std::shared_ptr<runtime::engine>> engine = runtime::shared_engine();
        if (!engine) return std::move(engine).failure();
        result<patience> limits = read_patience(*(*engine)->client, timeout_ms, cancel);
        if (!limits) return std::move(limits).failure();
        doctor::circumstances under;
        under.seen = seen != nullptr ? &observed.observation : nullptr;
        under.deadline_ms = limits->deadline_ms;
        under.cancel = limits->cancel;
        result<doctor::report> found = doctor::examine(input->files, input->host, *engine, under);
        if (!found) return std::move(found).failure();
        texts_to_give texts;
        if (result<void> ok = texts.prepare(doctor::report_json(*found), report); !ok) return ok;
        if (result<void> ok = texts.prepare(doctor::report_lines(*found), lines); !ok) return ok;
        texts.give();
        return {};
    });
}
