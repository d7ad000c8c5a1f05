// keda-scaledjob, kind sequence: polls one after the other on a handful of jobs that start, end and are trimmed in between.
#include "base/text.hpp"
#include "frame/check.hpp"
#include "inside/scaledjob_json.hpp"

#include <algorithm>

namespace conformance::keda_scaledjob_sequence {
namespace {

using namespace gputide::jobs;
using gputide::config::profile;

class cluster {
  public:
    cluster(const json& one, profile profile) : job_(scaled_job_of(one, profile)), target_(one.at("target_milli")) {
        const json initial = one.value("initial", json::object());
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

    gputide::config::scaled_job job_;
    json target_;
    std::int64_t pending_ = 0, running_ = 0, complete_ = 0, failed_ = 0;
};

void run(differences& out, const json& one, const json& expect, profile profile, const std::string& name) {
    cluster here(one, profile);
    for (std::size_t i = 0; i < one.at("steps").size(); ++i) {
        const json got = here.step(one.at("steps").at(i));
        expect_equal(out, name + ".steps[" + std::to_string(i) + "]", expect.at("steps").at(i), got, {.subset = true});
    }
}

differences check(const json& one, const json&) {
    differences out;
    run(out, one, one.at("expect"), profile::strict, "strict");
    const json by_default = one.value("expect_default", json::object());
    run(out, one, by_default.contains("steps") ? by_default : one.at("expect"), profile::standard, "default");
    return out;
}

const registration sequence{"keda-scaledjob", {"sequence"}, &check};

}  // namespace
}  // namespace conformance::keda_scaledjob_sequence
