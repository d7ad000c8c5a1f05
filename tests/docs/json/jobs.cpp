// A ScaledJob's poll: jobs that are created, one that goes, and events.
#include "texts.hpp"

void show_jobs() {
    const std::string manifest = R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"train"},
        "spec":{"jobTargetRef":{"template":{}},"successfulJobsHistoryLimit":0,
        "triggers":[{"type":"prometheus","metadata":{"serverAddress":"http://x","query":"q","threshold":"2"}}]}})";
    const std::string seen = R"({"values":[12.5],"was_active":false,
        "jobs":[{"name":"a","pending":true},{"name":"b","ended":"complete","ended_ms":1}]})";
    show("scaled_job_decide", gputide::decide_scaled_job(manifest, seen));
}
