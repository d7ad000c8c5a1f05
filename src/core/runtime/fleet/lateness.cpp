#include "runtime/fleet/lateness.hpp"

#include <algorithm>
#include <limits>

namespace gputide::runtime {

namespace {

// Tells whether a pass knows the load; otherwise it neither begins nor ends a rise.  A pause drops an open rise, because its
// duration is not lateness.
bool tells_load(const decide::decision& decision) {
    return decision.limited_by != decide::limit::not_due && decision.limited_by != decide::limit::no_data &&
           decision.limited_by != decide::limit::paused;
}

bool is_above(const decide::decision& decision) {
    return std::max(decision.proposed_replicas, decision.desired_replicas) > decision.current_replicas;
}

}  // namespace

void lateness::reach(rise& current, rise_stage stage, std::int64_t now_ms) {
    std::int32_t& took_ms = current.took_ms[static_cast<std::size_t>(stage)];
    if (took_ms != rise::not_reached) return;
    const std::int64_t max_ms = std::numeric_limits<std::int32_t>::max();
    took_ms = static_cast<std::int32_t>(std::clamp<std::int64_t>(now_ms - current.began_ms, 0, max_ms));
    took_[static_cast<std::size_t>(stage)].add(took_ms);
}

void lateness::decided(rise& current, const decide::decision& decision, std::int64_t read_ms, std::int64_t now_ms) {
    if (decision.limited_by == decide::limit::paused && current.is_open) current = {};
    if (!tells_load(decision)) return;
    if (!is_above(decision)) {
        if (current.is_open) reach(current, rise_stage::below, now_ms);
        current.is_open = false;
        return;
    }
    if (!current.is_open) {
        current = {};
        current.began_ms = read_ms > 0 ? std::min(read_ms, now_ms) : now_ms;
        current.is_open = true;
        ++rises_;
    }
    if (decision.desired_replicas <= decision.current_replicas || current.wanted > 0) return;
    current.wanted = decision.desired_replicas;
    reach(current, rise_stage::decision, now_ms);
}

void lateness::written(rise& current, std::int64_t now_ms) {
    if (current.is_open && current.wanted > 0) reach(current, rise_stage::write, now_ms);
}

// Records ready pods.  After the load has fallen again they are not counted, because no request waits for them.
void lateness::observed(rise& current, std::int32_t ready, std::int64_t now_ms) {
    const bool is_written = current.took(rise_stage::write) != rise::not_reached;
    if (current.is_open && is_written && ready >= current.wanted) reach(current, rise_stage::ready, now_ms);
}

void lateness::write(json_writer& json) const {
    json.begin_object().member("rises", rises_);
    for (std::size_t stage = 0; stage < took_.size(); ++stage)
        write_histogram(json, rise_stage_names[stage], took_[stage]);
    json.end_object();
}

void write_rise(json_writer& json, const rise& rise) {
    json.begin_object().member("began_ms", rise.began_ms).member("open", rise.is_open);
    for (std::size_t stage = 0; stage < rise.took_ms.size(); ++stage) {
        if (rise.took_ms[stage] != rise::not_reached) json.member(rise_stage_names[stage], rise.took_ms[stage]);
    }
    json.end_object();
}

}  // namespace gputide::runtime
