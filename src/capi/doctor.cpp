// gputide_doctor of section 8 of gputide.h, and section 18.
#include "doctor/doctor.hpp"

#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/observation.hpp"
#include "capi/options.hpp"
#include "kubernetes/preflight/examine.hpp"

using namespace gputide;        // NOLINT: the entry below is the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

template <class Report>
result<void> give_report(const Report& found, gputide_text* report, gputide_text* lines) {
    texts_to_give texts;
    if (result<void> ok = texts.prepare(doctor::report_json(found), report); !ok) return ok;
    if (result<void> ok = texts.prepare(doctor::report_lines(found), lines); !ok) return ok;
    texts.give();
    return {};
}

}  // namespace

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
        result<std::shared_ptr<pipeline::engine>> engine = pipeline::shared_engine();
        if (!engine) return std::move(engine).failure();
        result<patience> limits = read_patience(*(*engine)->client, timeout_ms, cancel);
        if (!limits) return std::move(limits).failure();
        doctor::circumstances under;
        under.seen = seen != nullptr ? &observed.observation : nullptr;
        under.deadline_ms = limits->deadline_ms;
        under.cancel = limits->cancel;
        result<doctor::report> found = doctor::examine(input->files, input->host, *engine, under);
        if (!found) return std::move(found).failure();
        return give_report(*found, report, lines);
    });
}

gputide_status gputide_doctor_cluster(const char* settings, int64_t size_bytes, const gputide_options* options,
                                      int32_t timeout_ms, const gputide_cancel* cancel, gputide_text* report,
                                      gputide_text* lines, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(report, "report"); !ok) return ok;
        result<cluster_input> input = read_cluster(settings, size_bytes, options);
        if (!input) return std::move(input).failure();
        result<std::shared_ptr<pipeline::engine>> engine = pipeline::shared_engine();
        if (!engine) return std::move(engine).failure();
        result<patience> limits = read_patience(*(*engine)->client, timeout_ms, cancel);
        if (!limits) return std::move(limits).failure();
        doctor::circumstances under;
        under.deadline_ms = limits->deadline_ms;
        under.cancel = limits->cancel;
        result<doctor::cluster_report> found = doctor::examine_cluster(input->settings, input->host, *engine, under);
        if (!found) return std::move(found).failure();
        return give_report(*found, report, lines);
    });
}
