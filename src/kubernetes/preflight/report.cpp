#include "kubernetes/preflight/report.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "doctor/steps_text.hpp"

#include <algorithm>

namespace gputide::doctor {
namespace {

std::string cluster_conclusion(const cluster_report& cluster_report) {
    const std::string whose = cluster_report.server.empty() ? "the cluster: " : cluster_report.server + ": ";
    if (const step* found = first_step(cluster_report.steps, verdict::failed)) {
        return format_text("{}fails at step {}: {}", whose, title(found->name), found->seen);
    }
    const char* what =
        cluster_report.settings.shadow ? "gputided run --kubernetes --shadow" : "gputided run --kubernetes";
    if (const step* found = first_step(cluster_report.steps, verdict::warning)) {
        return format_text("{}{} can work, but step {} warns: {}", whose, what, title(found->name), found->seen);
    }
    return format_text("{}all is well: {} has every right that it needs", whose, what);
}

}  // namespace

verdict worst_of(const cluster_report& cluster_report) {
    verdict worst = verdict::ok;
    for (const step& one : cluster_report.steps) worst = std::max(worst, one.verdict);
    return worst;
}

std::string report_json(const cluster_report& cluster_report) {
    json_writer json;
    json.begin_object()
        .member("server", cluster_report.server)
        .member("version", cluster_report.versions.kubernetes.text)
        .key("versions");
    kubernetes::write_versions(json, cluster_report.settings, cluster_report.versions);
    json.member("user", cluster_report.user);
    json.member("namespace", cluster_report.name_space).member("shadow", cluster_report.settings.shadow);
    json.member("verdict", verdict_name(worst_of(cluster_report)))
        .member("conclusion", cluster_conclusion(cluster_report));
    json.key("steps");
    write_steps(json, cluster_report.steps);
    json.key("rights").begin_array();
    for (const asked_right& one : cluster_report.rights) {
        json.begin_object().member("use", kubernetes::right_use_name(one.what.use)).member("group", one.what.group);
        json.member("resource", one.what.resource).member("verb", one.what.verb);
        json.member("namespace", one.what.name_space).member("name", one.what.name);
        json.member("allowed", one.is_allowed).member("needed", one.what.without.empty());
        json.member("reason", one.reason).end_object();
    }
    return json.end_array().end_object().take();
}

std::string report_lines(const cluster_report& cluster_report) {
    std::string out = wrapped(cluster_conclusion(cluster_report), 0, 2) + "\n\n";
    add_steps(out, cluster_report.steps);
    add_remedies(out, cluster_report.steps);
    return out;
}

}  // namespace gputide::doctor
