// Section 18 of plan.h: one poll of a ScaledJob.
#include "protocol/call.hpp"

namespace conformance {
namespace {

void decide_scaled_job(call& call) {
    const std::string manifest = call.text("text");
    const std::string seen = call.text("seen");
    gputide_text decision{nullptr, 0};
    if (call.works(gputide_scaled_job_decide, manifest.data(), static_cast<std::int64_t>(manifest.size()),
                   call.options(), seen.data(), static_cast<std::int64_t>(seen.size()), &decision)) {
        call.put_text("decision", decision);
    }
    gputide_text_free(&decision);
}

}  // namespace

std::vector<call_entry> jobs_calls() { return {{"scaled.job_decide", {}, &decide_scaled_job}}; }

}  // namespace conformance
