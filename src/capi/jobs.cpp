// Section 15 of gputide.h: one poll of a ScaledJob.
#include "capi/guard.hpp"
#include "capi/options.hpp"
#include "capi/structs.hpp"
#include "pipeline/scaled_job.hpp"

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

gputide_status gputide_jobs_decide(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                   const char* seen, int64_t seen_bytes, gputide_text* decision, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(decision, "decision"); !ok) return ok;
        result<host_input> input = read_input(manifest, size_bytes, options);
        if (!input) return std::move(input).failure();
        result<std::string_view> text = input_text(seen, seen_bytes, "seen");
        if (!text) return std::move(text).failure();
        const result<std::string> made = pipeline::decide_scaled_job(input->files, input->host, *text);
        if (!made) return made.failure();
        return give_text(*made, decision);
    });
}
