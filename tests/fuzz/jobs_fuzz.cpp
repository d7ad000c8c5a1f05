// Arbitrary bytes as what a host sees of a ScaledJob: nothing may crash or hang; what is decided is one JSON object, what is
// refused has its reason.  The last byte chooses the strategy and the profile.
#include "config/document.hpp"
#include "pipeline/scaled_job.hpp"
#include "require.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using gputide::fuzz::require;
using gputide::fuzz::require_reason;

namespace {

std::string manifest(const std::string& strategy) {
    return R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"a"},"spec":{)"
           R"("minReplicaCount":1,"maxReplicaCount":20,"failedJobsHistoryLimit":1,"scalingStrategy":{"strategy":")" +
           strategy +
           R"(","customScalingQueueLengthDeduction":1,"customScalingRunningJobPercentage":"0.5"},)"
           R"("jobTargetRef":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"a"}]}}},)"
           R"("triggers":[{"type":"metrics-api","metadata":{"url":"http://h/","valueLocation":"n","targetValue":"3"}},)"
           R"({"type":"metrics-api","metadata":{"url":"http://h/","valueLocation":"m","targetValue":"0.5"}}]}})";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const std::string manifests[] = {manifest("default"), manifest("custom"), manifest("accurate"),
                                            manifest("eager")};
    if (size == 0) return 0;
    const std::string_view seen(reinterpret_cast<const char*>(bytes), size - 1);
    gputide::pipeline::host_options host;
    host.strict = (bytes[size - 1] & 4) != 0;
    const auto made = gputide::pipeline::decide_scaled_job({{"a", manifests[bytes[size - 1] % 4]}}, host, seen);
    require_reason(made);
    if (!made) {
        // The manifest is good, and only what the input itself calls so is named in a refusal.
        require(made.failure().message.find("valueLocation") == std::string::npos ||
                seen.find("valueLocation") != std::string_view::npos);
        return 0;
    }
    const auto read = gputide::config::read_json(*made);
    require(!read.failure && read.roots.size() == 1);
    return 0;
}
