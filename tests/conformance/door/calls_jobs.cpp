// Section 18 of plan.h: one poll of a ScaledJob.
#include "door/call.hpp"

namespace conformance {
namespace {

void decide_scaled_job(call& one) {
    const std::string manifest = one.text("text");
    const std::string seen = one.text("seen");
    gputide_text decision{nullptr, 0};
    if (one.works(gputide_scaled_job_decide, manifest.data(), static_cast<std::int64_t>(manifest.size()), one.options(),
                  seen.data(), static_cast<std::int64_t>(seen.size()), &decision)) {
        one.put_text("decision", decision);
    }
    gputide_text_free(&decision);
}

}  // namespace

std::vector<call_entry> jobs_calls() { return {{"scaled.job_decide", {}, &decide_scaled_job}}; }

}  // namespace conformance
