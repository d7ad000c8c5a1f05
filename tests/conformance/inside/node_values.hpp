// What the cases of node-estimate say, as the room's own values: a case's spelling becomes that of docs/json.md, which the
// room then reads itself.  Cases count in seconds; a moment of theirs is that many seconds after `case_epoch_ms`.
#pragma once

#include "frame/check.hpp"
#include "nodes/plan.hpp"

#include <cstdint>

namespace conformance {

inline constexpr std::int64_t case_epoch_ms = 1'800'000'000'000;

std::int64_t case_time_ms(const json& seconds);

// With defaults of the cases: a pod on a node runs, and is a ReplicaSet's where it names no owner.
json own_pod(const json& one, std::int64_t now_ms);
json own_shape(const json& one);

gputide::nodes::pod pod_of(const json& one, std::int64_t now_ms = case_epoch_ms);
gputide::nodes::node_shape shape_of(const json& one);
gputide::nodes::node node_of(const json& one, const json& pods, std::int64_t now_ms = case_epoch_ms);

// {"cpu":500,"memory":1048576000,"name":"p"}: every number of it.
gputide::nodes::resource_list amounts_of(const json& one);

// expect against what came, as the case's `match` and `tol` say.
differences compare_case(const json& one, const json& actual);

}  // namespace conformance
