#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "jobs/decide.hpp"
#include "pipeline/pipeline.hpp"
#include "source/source.hpp"
#include "text/document.hpp"
#include "text/mapping.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gputide::pipeline {
namespace {

const std::string seen_name = "seen";

struct seen_input {
    std::vector<std::optional<double>> values;  // one per trigger; nullopt: the read failed
    jobs::observation there;
    std::vector<jobs::job> jobs;
};

result<manifest::written_scaled_job> choose(std::vector<manifest::written_scaled_job> all, const std::string& wanted) {
    std::string names;
    for (manifest::written_scaled_job& written : all) {
        const std::string full = written.job.name_space + "/" + written.job.name;
        if (wanted == written.job.name || wanted == full || (wanted.empty() && all.size() == 1))
            return std::move(written);
        append_item(names, full);
    }
    if (all.empty()) return fail(status::invalid, "the manifest contains no ScaledJob; add one (keda.sh/v1alpha1)");
    if (wanted.empty())
        return fail(status::ambiguous, "the manifest contains several ScaledJobs ({}); select one by name", names);
    return fail(status::invalid, "no ScaledJob has the name {}; the manifest contains {}", in_quotes(wanted), names);
}

std::int64_t count_of(text::mapping& fields, std::string_view key) { return fields.integer(key, 0).value_or(0); }

// Parses {"name":"a-1","ended":"failed","ended_ms":1,"created_ms":1,"deleting":true,"pending":true}.
jobs::job job_of(const text::cursor& cursor, bool& is_pending, text::report& findings) {
    text::mapping fields(cursor, findings);
    const auto time_ms = [&](std::string_view key) -> std::optional<std::int64_t> {
        const auto written = fields.quantity(key);
        if (!written) return std::nullopt;
        const auto out = parse_int64(*written);
        if (!out) fields.error(key, "invalid-value", format_text("{}: expected Unix milliseconds", key));
        return out;
    };
    jobs::job out;
    out.name = fields.required_text("name");
    const std::string ended = fields.text("ended").value_or("");
    const auto ended_ms = time_ms("ended_ms");
    if (ended == "complete" || ended == "failed") {
        out.conditions.push_back({ended == "complete" ? "Complete" : "Failed", true, ended_ms});
        if (ended == "complete") out.completed_ms = ended_ms;
    } else if (!ended.empty()) {
        fields.error("ended", "invalid-value", "ended: expected complete or failed, got " + in_quotes(ended));
    }
    out.created_ms = time_ms("created_ms");
    out.is_deleting = fields.flag("deleting").value_or(false);
    is_pending = fields.flag("pending").value_or(false);
    fields.finish();
    return out;
}

void read_jobs(text::mapping& fields, seen_input& into, text::report& findings) {
    const auto items = fields.list("jobs");
    if (!items) {
        into.there.seen = {count_of(fields, "running"), count_of(fields, "pending")};
        return;
    }
    for (const text::cursor& item : *items) {
        bool is_pending = false;
        into.jobs.push_back(job_of(item, is_pending, findings));
        if (jobs::finish_of(into.jobs.back()).how != jobs::ending::none) continue;
        ++into.there.seen.running;
        into.there.seen.pending += is_pending ? 1 : 0;
    }
}

void read_values(text::mapping& fields, std::size_t triggers, seen_input& into) {
    const auto items = fields.list("values");
    if (!items || items->size() != triggers) {
        fields.error(
            "values", "invalid-value",
            format_text("values: expected {}, one for each trigger, got {}", triggers, items ? items->size() : 0));
        return;
    }
    for (const text::cursor& item : *items) {
        if (text::is_null(*item.at)) {
            into.values.emplace_back();
            continue;
        }
        const auto number = text::scalar_text(*item.at) ? parse_json_number(item.at->text) : std::nullopt;
        if (!number)
            fields.error("values", "invalid-value",
                         "values: expected a number or null, got " + in_quotes(item.at->text));
        into.values.push_back(number);
    }
}

result<seen_input> read_seen(std::string_view text, std::size_t triggers) {
    text::read_text read = text::read_json(text);
    if (read.failure || read.roots.size() != 1) {
        return fail_at(status::invalid, seen_name,
                       read.failure ? format_text("line {}: {}", read.failure->line, read.failure->message)
                                    : std::string("expected one JSON object"));
    }
    text::report findings;
    seen_input out;
    text::mapping fields({&read.roots.front(), &seen_name, ""}, findings);
    read_values(fields, triggers, out);
    read_jobs(fields, out, findings);
    out.there.unseen = count_of(fields, "unseen");
    out.there.is_unreadable = fields.flag("unreadable").value_or(false);
    out.there.was_active = fields.flag("was_active");
    fields.finish();
    error wrong = findings.as_error();
    if (wrong.status != status::ok) return wrong;
    return out;
}

// Returns a reading of each trigger: target and activation from the manifest, the value from the host.
result<std::vector<jobs::trigger_reading>> readings(const manifest::written_scaled_job& written,
                                                    const seen_input& seen) {
    std::vector<jobs::trigger_reading> out;
    for (std::size_t i = 0; i < written.triggers.size(); ++i) {
        const manifest::trigger& trigger = written.triggers[i];
        const auto described = source::describe(trigger, trigger.rules, written.job.profile, nullptr);
        if (!described) return described.failure();
        sample value;
        value.state = seen.values[i] ? sample_state::ok : sample_state::failed;
        value.value = seen.values[i].value_or(0.0);
        out.push_back(reading_of(described->target, value));
    }
    return out;
}

void write_condition(json_writer& json, std::string_view type, const jobs::verdict& verdict) {
    json.begin_object().member("type", type).member("status", verdict.status);
    json.member("reason", verdict.reason).member("message", verdict.message).end_object();
}

// Writes the finished jobs that exceed the history limits.
void write_deletions(json_writer& json, const manifest::scaled_job& job, const seen_input& seen, bool is_held) {
    json.key("delete").begin_array();
    const jobs::erase_job note = [&](const jobs::job& finished) -> jobs::deletion {
        json.string(finished.name);
        return {};
    };
    if (!is_held) static_cast<void>(jobs::clean_history(job, seen.jobs, note));
    json.end_array();
}

std::string decision_json(const manifest::scaled_job& job, const seen_input& seen, const jobs::total& asked,
                          const jobs::decision& decision) {
    json_writer json;
    json.begin_object().member("name", job.name).member("namespace", job.name_space);
    json.member("create", decision.create).member("held", decision.is_held).member("active", decision.is_active);
    write_deletions(json, job, seen, decision.is_held);
    json.key("conditions").begin_array();
    write_condition(json, "Ready", decision.ready);
    write_condition(json, "Active", decision.active);
    json.end_array().key("events").begin_array();
    for (const jobs::event& event : jobs::events_of(job, decision, seen.there, {})) {
        json.begin_object().member("type", std::string_view(event.is_warning ? "Warning" : "Normal"));
        json.member("reason", event.reason).member("message", event.message).end_object();
    }
    json.end_array().key("reasons").begin_object();
    json.member("scale_to", asked.scale_to).member("max_scale", asked.max_scale);
    json.member("running", seen.there.seen.running).member("pending", seen.there.seen.pending);
    json.member("unseen", seen.there.unseen).member("min", decision.min).member("headroom", decision.headroom);
    json.member("cap", decision.cap).member("strategy", decision.strategy).member("effective", decision.effective);
    return json.end_object().end_object().take();
}

}  // namespace

jobs::trigger_reading reading_of(const source::target& target, const sample& sample) {
    jobs::trigger_reading out;
    out.is_resource = !target.resource.empty();
    if (out.is_resource) return out;
    constexpr double max_value = 9e15;
    jobs::metric_reading metric;
    metric.name = target.metric_name;
    metric.target_milli = sample.target_milli != 0 ? sample.target_milli : target.target_milli;
    metric.failed = sample.state != sample_state::ok;
    metric.values.push_back({metric.name, static_cast<std::int64_t>(
                                              std::llround(std::clamp(sample.value, -max_value, max_value) * 1000.0))});
    metric.is_active = sample.activity == activity_word::none ? sample.value > target.activation_threshold
                                                              : sample.activity == activity_word::active;
    out.metrics.push_back(std::move(metric));
    return out;
}

result<std::string> decide_scaled_job(const std::vector<manifest::text_file>& files, const host_options& host,
                                      std::string_view seen) {
    manifest::surroundings surroundings = surroundings_of(host);
    surroundings.targets_only = true;
    manifest::loaded loaded = manifest::load(files, surroundings);
    if (loaded.report.count(text::severity::error) > 0) return loaded.report.as_error();
    const auto written = choose(std::move(loaded.jobs), host.scaler);
    if (!written) return written.failure();
    const auto input = read_seen(seen, written->triggers.size());
    if (!input) return input.failure();
    const auto read = readings(*written, *input);
    if (!read) return read.failure();
    const jobs::total asked = jobs::total_of(written->job, *read);
    const jobs::decision decision = jobs::decide(written->job, input->there, asked);
    return decision_json(written->job, *input, asked, decision);
}

}  // namespace gputide::pipeline
