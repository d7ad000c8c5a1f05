#include "base/json_writer.hpp"
#include "base/saturate.hpp"
#include "base/text.hpp"
#include "nodes/plan.hpp"
#include "nodes/read/values.hpp"

#include <algorithm>

namespace gputide::nodes {

void note_failure(backoffs& all, const std::string& pool, std::int64_t now_ms, const options& how) {
    const auto [at, is_new] = all.try_emplace(pool);
    backoff_entry& entry = at->second;
    if (is_new) {
        entry.duration_ms = how.backoff_initial_ms;
    } else if (entry.until_ms < now_ms) {
        entry.duration_ms = std::min(multiply_saturating(entry.duration_ms, 2), how.backoff_max_ms);
    }
    entry.until_ms = add_saturating(now_ms, entry.duration_ms);
    entry.failed_ms = now_ms;
}

bool is_backed_off(const backoffs& all, const std::string& pool, std::int64_t now_ms) {
    const auto found = all.find(pool);
    return found != all.end() && found->second.until_ms >= now_ms;
}

void forget_old(backoffs& all, std::int64_t now_ms, const options& how) {
    std::erase_if(
        all, [&](const auto& entry) { return add_saturating(entry.second.failed_ms, how.backoff_reset_ms) < now_ms; });
}

void record(state& state, event_kind kind, const std::string& pool, std::int64_t nodes, std::int64_t now_ms,
            const options& how) {
    switch (kind) {
        case event_kind::added: {
            scale_up_request& open = state.requests[pool];
            open.nodes = add_saturating(open.nodes, nodes);
            open.time_ms = now_ms;
            state.past.add_ms = now_ms;
            break;
        }
        case event_kind::failed:
            state.requests.erase(pool);
            note_failure(state.backoff, pool, now_ms, how);
            break;
        case event_kind::removed:
            (nodes > 0 ? state.past.delete_ms : state.past.failure_ms) = now_ms;
            break;
    }
}

namespace {

constexpr std::int64_t state_version = 1;

void write_times(json_writer& out, std::string_view name, const std::map<std::string, std::int64_t>& times) {
    out.key(name).begin_object();
    for (const auto& [key, time_ms] : times) out.member(key, time_ms);
    out.end_object();
}

void write_time(json_writer& out, std::string_view name, const std::optional<std::int64_t>& time_ms) {
    if (time_ms) out.member(name, *time_ms);
}

std::map<std::string, std::int64_t> read_times(const value_reader& reader, std::string_view name) {
    std::map<std::string, std::int64_t> out;
    const value_reader list = reader.member(name);
    if (!list.is_mapping()) reader.error("missing", name);
    for (const value_reader time : list.members()) out[std::string(time.name())] = time.own_integer();
    return out;
}

std::optional<std::int64_t> read_time(const value_reader& reader, std::string_view name) {
    return reader.has(name) ? std::optional(reader.integer(name)) : std::nullopt;
}

state read_members(const value_reader& reader) {
    reader.only({"version", "planned_ms", "unneeded_since_ms", "unremovable_since_ms", "requests", "backoff", "past"});
    state out;
    if (reader.integer("version") != state_version) reader.error("version", "another version");
    out.planned_ms = reader.integer("planned_ms");
    out.unneeded_since_ms = read_times(reader, "unneeded_since_ms");
    out.unremovable_since_ms = read_times(reader, "unremovable_since_ms");
    const value_reader past = reader.member("past");
    if (!reader.has("requests") || !reader.has("backoff") || !past) reader.error("missing", "a member is missing");
    for (const value_reader each : reader.member("requests").members()) {
        each.only({"nodes", "time_ms"});
        out.requests[std::string(each.name())] = {each.integer("nodes"), each.integer("time_ms")};
    }
    for (const value_reader each : reader.member("backoff").members()) {
        each.only({"duration_ms", "until_ms", "failed_ms"});
        out.backoff[std::string(each.name())] = {each.integer("duration_ms"), each.integer("until_ms"),
                                                 each.integer("failed_ms")};
    }
    out.past = {read_time(past, "add_ms"), read_time(past, "failure_ms"), read_time(past, "delete_ms")};
    return out;
}

}  // namespace

std::string save_state(const state& state) {
    json_writer out;
    out.begin_object().member("version", state_version).member("planned_ms", state.planned_ms);
    write_times(out, "unneeded_since_ms", state.unneeded_since_ms);
    write_times(out, "unremovable_since_ms", state.unremovable_since_ms);
    out.key("requests").begin_object();
    for (const auto& [pool, request] : state.requests) {
        out.key(pool).begin_object().member("nodes", request.nodes).member("time_ms", request.time_ms).end_object();
    }
    out.end_object().key("backoff").begin_object();
    for (const auto& [pool, entry] : state.backoff) {
        out.key(pool).begin_object().member("duration_ms", entry.duration_ms).member("until_ms", entry.until_ms);
        out.member("failed_ms", entry.failed_ms).end_object();
    }
    out.end_object().key("past").begin_object();
    write_time(out, "add_ms", state.past.add_ms);
    write_time(out, "failure_ms", state.past.failure_ms);
    write_time(out, "delete_ms", state.past.delete_ms);
    out.end_object().end_object();
    return out.take();
}

result<state> load_state(std::string_view text) {
    if (trim(text).empty()) return state{};
    text::report findings;
    const std::vector<text::document> documents = text::read_documents("state", text, findings);
    state out;
    if (documents.size() == 1 && documents.front().root.kind == text::node_kind::mapping) {
        const item_source source{{&documents.front().root, &documents.front().file, ""}, dialect::own, findings};
        out = read_members(value_reader(source));
    } else {
        return fail(status::state, "saved state of a node plan: no JSON object; start without one");
    }
    if (findings.findings.empty()) return out;
    return fail(status::state, "saved state of a node plan: {}; start without one",
                text::render(findings.findings.front()));
}

}  // namespace gputide::nodes
