
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "pipeline/pipeline.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace gputide::pipeline {
namespace {

place place_of(const manifest::spec& spec) {
    if (!spec.triggers.empty()) return spec.triggers.front().at;
    return spec.metrics.empty() ? place{} : spec.metrics.front().at;
}

void add_failure(text::report& report, const manifest::spec& spec, const manifest::text_places& annotations,
                 const error& why) {
    place at = why.where;
    if (const auto written = annotations.find(at.path); written != annotations.end()) {
        at = written->second;
    } else if (at.line == 0) {  // a label such as "trigger 0 (prometheus)", or nothing
        at = place_of(spec);
        at.path = why.where.empty() ? format_text("{}/{}", spec.scaling.name_space, spec.scaling.name) : why.where.path;
    }
    const std::string_view word = class_word(why.error_class);
    report.add(text::severity::error, word.empty() ? "invalid" : std::string(word), at, why.message);
}

// Describes each trigger by its own rules, independent of errors in other parts of the manifest: a missing credential does not
// hide an error in a query.  A trigger that could not be parsed, or has an error, has no description.
described describe_triggers(const manifest::spec& spec, text::report& report, bool& all_well) {
    described out;
    for (const manifest::trigger& trigger : spec.triggers) {
        out.metrics.emplace_back();
        if (trigger.has_errors) continue;
        text::report beside;
        auto found = source::describe(trigger, trigger.rules, spec.scaling.extra.profile, &beside);
        if (found) {
            out.metrics.back() = *std::move(found);
        } else {  // its error first
            error why = found.failure();
            why.message = text::without_values(why.message, spec.values);
            add_failure(report, spec, {}, why);
            all_well = false;
        }
        for (text::finding& finding : beside.findings) {
            report.add(finding.severity, finding.code, std::move(finding.at), finding.message, finding.remedy,
                       finding.kind);
        }
    }
    return out;
}

// Adds a note about a ScaledJob, which is easily mistaken for a ScaledObject.
void note_job(const manifest::written_scaled_job& written, text::report& report) {
    report.add(
        text::severity::note, "scaled-job", written.at,
        format_text("ScaledJob {}/{} creates Jobs and has no replica count: only a controller in a cluster can run it",
                    written.job.name_space, written.job.name),
        "use KEDA or gputided run --kubernetes; gputided run -f cannot run it");
}

// Removes warnings about a key that has an error: that it is misspelled, or not relevant.
void remove_repeated(std::vector<text::finding>& findings) {
    constexpr std::array<std::string_view, 2> about_the_key = {"unknown-key", "not-relevant"};
    std::set<std::string> errors;
    for (const text::finding& finding : findings) {
        if (finding.severity == text::severity::error) errors.insert(finding.at.text());
    }
    std::erase_if(findings, [&](const text::finding& finding) {
        return finding.severity == text::severity::warning && errors.count(finding.at.text()) > 0 &&
               std::ranges::find(about_the_key, finding.code) != about_the_key.end();
    });
}

}  // namespace

checked check_manifest(const std::vector<manifest::text_file>& files, const host_options& host) {
    manifest::loaded loaded = manifest::load(files, surroundings_of(host));
    checked out{std::move(loaded.report), std::move(loaded.specs), std::move(loaded.jobs)};
    for (const manifest::written_scaled_job& written : out.jobs) note_job(written, out.report);
    for (const manifest::spec& spec : loaded.drafts) {
        bool all_well = true;
        add_metric_findings(spec, describe_triggers(spec, out.report, all_well), out.report);
    }
    for (std::size_t i = 0; i < out.specs.size(); ++i) {
        const manifest::spec& spec = out.specs[i];
        bool all_well = true;
        const described in_part = describe_triggers(spec, out.report, all_well);
        if (!all_well) {
            add_metric_findings(spec, in_part, out.report);
            continue;
        }
        const result<described> found = describe(spec, &out.report);
        if (!found) {
            add_failure(out.report, spec, loaded.annotations[i], found.failure());
            continue;
        }
        add_metric_findings(spec, *found, out.report);
        if (const error lacking = found->lacking(); lacking.status != status::ok)
            add_failure(out.report, spec, loaded.annotations[i], lacking);
    }
    remove_repeated(out.report.findings);
    return out;
}

std::string checked_json(const checked& checked) {
    json_writer json;
    json.begin_object();
    json.key("scalers").begin_array();
    for (const manifest::spec& spec : checked.specs) {
        const bool is_hpa = spec.scaling.kind == manifest::manifest_kind::horizontal_pod_autoscaler;
        json.begin_object().member("name", spec.scaling.name).member("namespace", spec.scaling.name_space);
        json.member("kind", std::string_view(is_hpa ? "HorizontalPodAutoscaler" : "ScaledObject"));
        json.member("file", place_of(spec).file).end_object();
    }
    json.end_array();
    json.key("jobs").begin_array();
    for (const manifest::written_scaled_job& written : checked.jobs) {
        json.begin_object().member("name", written.job.name).member("namespace", written.job.name_space);
        json.member("file", written.at.file).member("line", written.at.line).end_object();
    }
    json.end_array();
    json.key("report");
    write_json(json, checked.report);
    return json.end_object().take();
}

}  // namespace gputide::pipeline
