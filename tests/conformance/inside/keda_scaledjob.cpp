// keda-scaledjob: each case in the strict profile, and once more in the default one with what expect_default puts in the place of
// expect's members.

#include "auth/open.hpp"
#include "base/text.hpp"
#include "frame/check.hpp"
#include "inside/keda_spec.hpp"
#include "jobs/decide.hpp"
#include "jobs/job.hpp"
#include "manifest/load.hpp"
#include "manifest/scalers.hpp"
#include "source/source.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace conformance::keda_scaledjob {
namespace {

using namespace gputide::jobs;
using gputide::manifest::profile;

json float_json(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return value;
}

json bounds_result(const json& object, profile profile) {
    const bounds got = bounds_of(scaled_job_of(object, profile));
    return {{"min", got.min}, {"headroom", got.headroom}, {"cap", got.cap}};
}

json metrics_result(const json& object, profile) {
    json reading{{"reads", object.at("specs")}};
    reading["reads"][0]["values"] = object.at("values");
    const auto metrics = triggers_of(json::array({reading})).front().metrics;
    const demand got = demand_of(metrics, metrics.front().values, object.at("headroom").get<double>());
    return {{"queue_length", got.queue_length}, {"max_value", got.max_value}, {"target", got.target}};
}

json total_json(const total& got) {
    return {{"active", got.is_active},
            {"error", got.has_error},
            {"scale_to", got.scale_to},
            {"max_scale", got.max_scale},
            {"active_triggers", got.active_metrics}};
}

json combine_result(const json& object, profile profile) {
    std::vector<demand> demands;
    for (const json& at : object.at("scalers")) {
        demands.push_back({at.at("queue_length"), at.at("max_value"), 0.0, at.at("active")});
    }
    const bounds limits{object.at("min"), object.at("headroom"), 0};
    return total_json(combine(demands, object.value("calculation", ""), limits, profile));
}

json state_result(const json& object, profile profile) {
    return total_json(total_of(scaled_job_of(object, profile), triggers_of(object.at("triggers"))));
}

json percentage_result(const json& object, profile profile) {
    const auto got = running_fraction(object.at("text").get<std::string>(), profile);
    json out{{"ok", got.has_value()}};
    if (got) out["value"] = float_json(*got);
    return out;
}

json strategy_result(const json& test_case, profile profile) {
    const auto strategy = strategy_of(test_case.at("strategy"));
    const json& input = test_case.at("input");
    const auto got = answer_of(
        strategy,
        {input.at("max_scale"), input.at("running"), input.at("pending"), input.at("headroom"), input.at("scale_to")},
        profile);
    return {{"used", got.used}, {"effective", got.effective}, {"scale_to", got.scale_to}};
}

observation observation_of(const json& object) {
    const json& seen = object.at("observation");
    observation out;
    out.seen = {seen.value("running", std::int64_t{0}), seen.value("pending", std::int64_t{0})};
    out.unseen = seen.value("unseen", std::int64_t{0});
    out.is_unreadable = seen.value("unreadable", false);
    if (object.contains("was_active")) out.was_active = object.at("was_active").get<bool>();
    return out;
}

json counts_result(const json& object, profile profile) {
    if (object.value("unreadable", false)) {
        observation seen;
        seen.is_unreadable = true;
        const auto got = decide(scaled_job_of(json::object(), profile), seen, {});
        return {{"running", 0}, {"pending", 0}, {"hold", got.is_held}};
    }
    gputide::manifest::scaling_strategy strategy;
    strategy.pending_conditions = object.value("pendingPodConditions", std::vector<std::string>());
    const counts got = count(jobs_of(object), strategy, profile);
    return {{"running", got.running}, {"pending", got.pending}};
}

json decide_result(const json& test_case, profile profile) {
    const auto job = scaled_job_of(test_case, profile);
    const json& input = test_case.at("input");
    total asked;
    asked.is_active = input.at("active");
    asked.has_error = input.value("error", false);
    asked.answered = input.value("answered", 1);
    asked.scale_to = input.at("scale_to");
    asked.max_scale = input.at("max_scale");
    const observation seen = observation_of(test_case);
    const decision got = decide(job, seen, asked);
    const auto refusals = test_case.value("create_errors", std::vector<std::string>());
    return {{"effective", got.effective},
            {"create", got.create},
            {"hold", got.is_held},
            {"conditions",
             {{"Ready", verdict_json(ready_after(job, got, refusals))}, {"Active", verdict_json(got.active)}}},
            {"events", events_json(events_of(job, got, seen, refusals))},
            {"last_active_updated", got.is_active}};
}

json history_result(const json& object, profile profile) {
    recorded_deletions deletions(object);
    const bool ok = clean_history(scaled_job_of(object, profile), jobs_of(object), deletions.eraser());
    return {{"delete", deletions.names()}, {"error", !ok}};
}

json rollout_result_of(const json& object, profile profile) {
    recorded_deletions deletions(object);
    const auto job = scaled_job_of(object, profile);
    const rollout_result got = roll_out(job, jobs_of(object), deletions.eraser());
    return {{"delete", deletions.names()},
            {"propagation", propagation_of(job.rollout)},
            {"events", events_json(got.events)},
            {"ok", got.error.empty()},
            {"error", got.error}};
}

json pause_result(const json& object, profile profile) {
    return {{"paused", is_paused(scaled_job_of({{"object", {{"annotations", object.at("annotations")}}}}, profile))}};
}

json job_result(const json& object, profile profile) {
    const auto job = scaled_job_of(object, profile);
    const created_job got = job_of(job, object.at("version").get<std::string>());
    const json owner{{"apiVersion", "keda.sh/v1alpha1"},
                     {"kind", "ScaledJob"},
                     {"name", job.name},
                     {"uid", job.uid},
                     {"controller", true},
                     {"blockOwnerDeletion", true}};
    return {{"generateName", got.generate_name},
            {"namespace", job.name_space},
            {"labels", got.labels},
            {"annotations", got.annotations},
            {"ownerReferences", json::array({owner})},
            {"template_labels", got.template_labels},
            {"template_generate_name", got.generate_name},
            {"restartPolicy", got.restart_policy}};
}

json reconcile_result(const json& object, profile profile) {
    scaledjob_controller::inspection found;
    found.has_job_target = !object.value("no_job_target", false);
    found.scalers_can_be_built = !object.value("scaler_error", false);
    found.was_paused = object.value("paused_before", false);
    found.was_ready = object.value("ready_before", "Unknown") == "True";
    std::set<std::string> names;
    for (const json& trigger : object.at("spec").value("triggers", json::array())) {
        found.has_metric_type = found.has_metric_type || trigger.contains("metricType");
        const std::string name = trigger.value("name", "");
        if (!name.empty() && !names.insert(name).second) found.triggers_are_sound = false;
    }
    recorded_deletions deletions(object);
    const auto got =
        scaledjob_controller::reconcile(scaled_job_of(object, profile), found, jobs_of(object), deletions.eraser());
    static constexpr const char* loops[] = {"unchanged", "started", "stopped"};
    json out{{"delete", deletions.names()},
             {"loop", loops[static_cast<int>(got.loop)]},
             {"events", events_json(got.events)}};
    if (got.ready) out["ready"] = verdict_json(*got.ready);
    if (got.active) out["active"] = verdict_json(*got.active);
    if (got.paused) out["paused"] = verdict_json(*got.paused);
    return out;
}

// The manifest is read as any other.
json validation_result(const json& object, profile profile) {
    json manifest{{"apiVersion", "keda.sh/v1alpha1"}, {"kind", "ScaledJob"}, {"spec", object.at("spec")}};
    manifest["metadata"] = object.value("object", json{{"name", "train"}});
    if (!manifest["metadata"].contains("name")) manifest["metadata"]["name"] = "train";
    const std::string text = manifest.dump();
    gputide::manifest::surroundings host;
    host.kinds = {gputide::source::trigger_kinds(), gputide::auth::identity_kinds()};
    host.strict = profile == profile::strict;
    const auto got = gputide::manifest::load({{"case", text}}, host);
    json out{{"ok", true}};
    for (const auto& finding : got.report.findings) {
        if (finding.severity != gputide::text::severity::error) continue;
        const std::map<std::string, const char*> refuser{{gputide::manifest::webhook_code, "webhook"},
                                                         {gputide::manifest::reconciler_code, "reconcile"},
                                                         {gputide::manifest::own_code, "check"}};
        const auto who = refuser.find(finding.code);
        return {{"ok", false},
                {"where", who == refuser.end() ? "schema" : who->second},
                {"field", finding.at.path},
                {"error", finding.message}};
    }
    return out;
}

using checker = json (*)(const json& object, profile profile);
const std::map<std::string, checker>& checkers_by_kind() {
    static const std::map<std::string, checker> all{
        {"bounds", &bounds_result},       {"metrics", &metrics_result},       {"combine", &combine_result},
        {"state", &state_result},         {"percentage", &percentage_result}, {"strategy", &strategy_result},
        {"counts", &counts_result},       {"decide", &decide_result},         {"history", &history_result},
        {"rollout", &rollout_result_of},  {"pause", &pause_result},           {"job", &job_result},
        {"reconcile", &reconcile_result}, {"validation", &validation_result}};
    return all;
}

// Labels and annotations are compared whole, other objects by the members that the case names.
void compare(differences& out, const json& expect, const json& got, const std::string& profile) {
    for (const auto& [member, value] : expect.items()) {
        if (value.is_null()) continue;
        const bool is_whole = member == "labels" || member == "annotations" || member == "template_labels";
        expect_equal(out, profile + "." + member, value, got.value(member, json()),
                     {.tolerance = 1e-12, .subset = !is_whole});
    }
}

// The text that a manifest is refused by stands in its reading: a fraction that is not a number.
bool is_refused_when_read(const json& object, profile profile) {
    const auto strategy = strategy_of(object.value("strategy", json::object()));
    return strategy.name == "custom" && !strategy.running_job_fraction.empty() &&
           !running_fraction(strategy.running_job_fraction, profile);
}

differences check(const json& test_case, const json&) {
    differences out;
    const checker result_of = checkers_by_kind().at(test_case.at("kind").get<std::string>());
    compare(out, test_case.at("expect"), result_of(test_case, profile::strict), "strict");
    json expect = test_case.at("expect");
    expect.update(test_case.value("expect_default", json::object()));
    if (expect.value("config_error", false)) {
        if (!is_refused_when_read(test_case, profile::standard)) out.push_back("default: the manifest is not refused");
        return out;
    }
    compare(out, expect, result_of(test_case, profile::standard), "default");
    return out;
}

const registration kinds{"keda-scaledjob",
                         {"bounds", "metrics", "combine", "state", "percentage", "strategy", "counts", "decide",
                          "history", "rollout", "pause", "job", "reconcile", "validation"},
                         &check};

}  // namespace
}  // namespace conformance::keda_scaledjob

// keda-scaledjob, kind sequence: polls one after the other on a handful of jobs that start, end and are trimmed in between.

namespace conformance::keda_scaledjob_sequence {
namespace {

using namespace gputide::jobs;
using gputide::manifest::profile;

class cluster {
  public:
    cluster(const json& object, profile profile)
        : job_(scaled_job_of(object, profile)), target_(object.at("target_milli")) {
        const json initial = object.value("initial", json::object());
        pending_ = initial.value("pending", std::int64_t{0});
        running_ = initial.value("running", std::int64_t{0});
    }

    json step(const json& now) {
        move(pending_, running_, now.value("started", std::int64_t{0}));
        move(running_, complete_, now.value("completed", std::int64_t{0}));
        move(running_, failed_, now.value("failed", std::int64_t{0}));
        const total asked = asked_by(now);
        observation seen;
        seen.is_unreadable = now.value("unreadable", false);
        seen.unseen = std::min(now.value("unseen", std::int64_t{0}), pending_);
        seen.seen = {pending_ + running_ - seen.unseen, pending_ - seen.unseen};
        const decision made = decide(job_, seen, asked);
        const std::int64_t refused = std::min(now.value("refused", std::int64_t{0}), made.create);
        pending_ += made.create - refused;
        complete_ = std::min(complete_, std::int64_t{job_.successful_limit});
        failed_ = std::min(failed_, std::int64_t{job_.failed_limit});
        return {{"create", made.create},
                {"unfinished", pending_ + running_},
                {"pending", pending_},
                {"complete", complete_},
                {"failed", failed_}};
    }

  private:
    static void move(std::int64_t& from, std::int64_t& to, std::int64_t wanted) {
        const std::int64_t moved = std::min(from, wanted);
        from -= moved;
        to += moved;
    }

    total asked_by(const json& now) const {
        json reading{{"name", "s0-q"}, {"target_milli", target_}, {"value_milli", now.at("value_milli")}};
        reading["active"] = now.value("active", *gputide::parse_int64(now.at("value_milli").get<std::string>()) > 0);
        reading["error"] = now.value("error", false);
        return total_of(job_, triggers_of(json::array({reading})));
    }

    gputide::manifest::scaled_job job_;
    json target_;
    std::int64_t pending_ = 0, running_ = 0, complete_ = 0, failed_ = 0;
};

void run(differences& out, const json& test_case, const json& expect, profile profile, const std::string& name) {
    cluster here(test_case, profile);
    for (std::size_t i = 0; i < test_case.at("steps").size(); ++i) {
        const json got = here.step(test_case.at("steps").at(i));
        expect_equal(out, name + ".steps[" + std::to_string(i) + "]", expect.at("steps").at(i), got, {.subset = true});
    }
}

differences check(const json& test_case, const json&) {
    differences out;
    run(out, test_case, test_case.at("expect"), profile::strict, "strict");
    const json by_default = test_case.value("expect_default", json::object());
    run(out, test_case, by_default.contains("steps") ? by_default : test_case.at("expect"), profile::standard,
        "default");
    return out;
}

const registration sequence{"keda-scaledjob", {"sequence"}, &check};

}  // namespace
}  // namespace conformance::keda_scaledjob_sequence
