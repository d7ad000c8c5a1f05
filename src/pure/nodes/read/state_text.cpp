#include "nodes/read/state_text.hpp"

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "nodes/read/values.hpp"

namespace gputide::nodes {
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
    const auto list = reader.member(name);
    if (!list || !list->is_mapping()) {
        reader.error("missing", std::string(name));
        return out;
    }
    for (const text::node& node : list->here().at->children) out[node.key] = list->integer(node.key);
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
    const auto requests = reader.member("requests");
    const auto backoff = reader.member("backoff");
    const auto past = reader.member("past");
    if (!requests || !backoff || !past) {
        reader.error("missing", "a member is missing");
        return out;
    }
    for (const text::node& node : requests->here().at->children) {
        if (const auto each = requests->member(node.key))
            out.requests[node.key] = {each->integer("nodes"), each->integer("time_ms")};
    }
    for (const text::node& node : backoff->here().at->children) {
        if (const auto each = backoff->member(node.key))
            out.backoff[node.key] = {each->integer("duration_ms"), each->integer("until_ms"),
                                     each->integer("failed_ms")};
    }
    out.past = {read_time(*past, "add_ms"), read_time(*past, "failure_ms"), read_time(*past, "delete_ms")};
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
        const text::cursor root{&documents.front().root, &documents.front().file, ""};
        out = read_members(value_reader(root, dialect::own, findings));
    } else {
        return fail(status::state, "saved state of a node plan: no JSON object; start without one");
    }
    if (findings.findings.empty()) return out;
    return fail(status::state, "saved state of a node plan: {}; start without one",
                text::render(findings.findings.front()));
}

}  // namespace gputide::nodes
