// Sources, what they answer and how they fail; a manifest that is checked and one that is diagnosed.
#include "texts.hpp"

namespace {

gputide::source open(const std::string& trigger) { return gputide::source::open(trigger); }

void show_errors(const surroundings& around) {
    show_error([] { open(R"({"type":"prometheus","metadata":{}})"); });
    show_error([] { gputide::policy::open("kind: ScaledObject"); });
    show_error([] { gputide::series().read(0, "time,value\n1,x\n"); });
    for (const char* query : {"refused", "throttled", "rejected"}) {
        show_error([&] { open(prometheus_trigger(around, query)).fetch(start_ms, timeout_ms); });
    }
    show_error([&] { open(prometheus_trigger(around, "slow")).fetch(start_ms, 200); });
}

void show_answers(const surroundings& around) {
    const gputide::source source =
        open(prometheus_trigger(around, "up", R"(,"queryParameters":"a=b","customHeaders":"X-A=b",
        "ignoreNullValues":"false","gputide.io/reduce":"max")"));
    show("source_describe", source.describe());
    show("source_request", source.request(start_ms));
    const auto parse = [&](const std::string& data, const std::string& more = "") {
        show("source_parse_all",
             source.parse_all(200, "", R"({"status":"success",)" + more + R"("data":)" + data + "}"));
    };
    parse(
        R"({"resultType":"vector","result":[{"metric":{"gpu":"0"},"value":[1,"1"]},{"metric":{},"value":[1,"NaN"]}]})",
        R"("warnings":["a warning"],"infos":["an info"],)");
    parse(
        R"({"resultType":"vector","result":[{"metric":{"gpu":"0"},"histogram":[1,{"count":"2","sum":"3","buckets":[]}]}]})");
    parse(R"({"resultType":"string","result":[1,"text"]})");
    show("source_describe",
         open(R"({"type":"cpu","metricType":"Utilization","metadata":{"value":"50","containerName":"main"}})")
             .describe());
}

void show_checks(const surroundings& around) {
    show("manifest_check", gputide::check(scaled_object("good", prometheus_trigger(around, "up"))).report);
    show("manifest_check", gputide::check("kind: ScaledObject").report);
    const std::string twice = scaled_object("twice", prometheus_trigger(around, "up"));
    show("manifest_check", gputide::check(twice, gputide::options().file("again.yaml", twice)).report);
    const std::string job =
        R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"train"},"spec":{"jobTargetRef":)"
        R"({"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]}}},"triggers":[)" +
        prometheus_trigger(around, "up") + "]}}";
    show("manifest_check", gputide::check(job).report);
    for (const char* query : {"up", "empty", "refused", "many"}) {
        show("doctor",
             gputide::doctor(scaled_object("sick", prometheus_trigger(around, query)), {}, nullptr, 20'000).report);
    }
    show("doctor", gputide::doctor(scaled_object("broken", prometheus_trigger({"http://127.0.0.1:1", ""}, "up")), {},
                                   nullptr, timeout_ms)
                       .report);
}

}  // namespace

void show_sources(const surroundings& around) {
    show_errors(around);
    show_answers(around);
    show_checks(around);
}
