#include "doctor/cluster/report.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "doctor/steps_text.hpp"

#include <algorithm>

namespace gputide::doctor {
namespace {

std::string cluster_conclusion(const cluster_report& of) {
    const std::string whose = of.server.empty() ? "the cluster: " : of.server + ": ";
    if (const step* found = first_step(of.steps, verdict::failed)) {
        return format_text("{}fails at step {}: {}", whose, title(found->name), found->seen);
    }
    const char* what = of.shadow ? "gputided run --kubernetes --shadow" : "gputided run --kubernetes";
    if (const step* found = first_step(of.steps, verdict::warning)) {
        return format_text("{}{} can work, but step {} warns: {}", whose, what, title(found->name), found->seen);
    }
    return format_text("{}all is well: {} has every right that it needs", whose, what);
}

}  // namespace

verdict worst_of(const cluster_report& of) {
    verdict worst = verdict::ok;
    for (const step& one : of.steps) worst = std::max(worst, one.verdict);
    return worst;
}

std::string report_json(const cluster_report& of) {
    json_writer json;
    json.begin_object().member("server", of.server).member("version", of.version).member("user", of.user);
    json.member("namespace", of.name_space).member("shadow", of.shadow);
    json.member("verdict", verdict_name(worst_of(of))).member("conclusion", cluster_conclusion(of));
    json.key("steps");
    write_steps(json, of.steps);
    json.key("rights").begin_array();
    for (const asked_right& one : of.rights) {
        json.begin_object().member("use", cluster::right_use_name(one.what.use)).member("group", one.what.group);
        json.member("resource", one.what.resource).member("verb", one.what.verb);
        json.member("namespace", one.what.name_space).member("name", one.what.name);
        json.member("allowed", one.is_allowed).member("needed", one.what.without.empty());
        json.member("reason", one.reason).end_object();
    }
    return json.end_array().end_object().take();
}

std::string report_lines(const cluster_report& of) {
    std::string out = wrapped(cluster_conclusion(of), 0, 2) + "\n\n";
    add_steps(out, of.steps);
    add_remedies(out, of.steps);
    return out;
}

}  // namespace gputide::doctor
