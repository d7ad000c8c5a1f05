// From texts to specs: documents, then what they are, then each scaling manifest, then what only all of them show.
#include "config/load.hpp"

#include "base/format_text.hpp"
#include "config/hpa.hpp"
#include "config/reading.hpp"
#include "config/requests.hpp"
#include "config/scaled_job_reader.hpp"
#include "config/scaled_object.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gputide::config {
namespace {

// Two that scale one workload work against each other; KEDA's webhook refuses the second one.
void check_owners(const std::vector<spec>& specs, const collection& documents, report& findings) {
    std::map<std::string, std::size_t> owners;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const scaling& one = specs[i].scaling;
        if (one.target_name.empty()) continue;
        const std::string type = format_text("{}.{}", one.target_api_version, one.target_kind);
        const auto [at, fresh] = owners.emplace(format_text("{}/{}/{}", one.name_space, type, one.target_name), i);
        if (fresh) continue;
        const scaling& first = specs[at->second].scaling;
        const place there = documents.scalers[at->second].at.place_of("spec.scaleTargetRef");
        const char* const kind =
            first.kind == manifest_kind::scaled_object ? "ScaledObject" : "HorizontalPodAutoscaler";
        finding* added = findings.add(
            severity::error, "other-scaled-object", documents.scalers[i].at.place_of("spec.scaleTargetRef"),
            format_text("the workload '{}' of type '{}' is already managed by the {} '{}' of {}:{}", one.target_name,
                        type, kind, first.name, there.file, there.line),
            "scale it with one of the two");
        if (added == nullptr) continue;
        added->conflict = conflict{format_text("{}/{}", one.name_space, one.name),
                                   format_text("{}/{}", first.name_space, first.name), there.file};
    }
}

// KEDA names one HPA after each ScaledObject, or as horizontalPodAutoscalerConfig says.
void check_hpa_names(const std::vector<spec>& specs, const collection& documents, report& findings) {
    std::map<std::string, std::size_t> owners;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const scaling& one = specs[i].scaling;
        if (one.hpa_name.empty()) continue;
        const auto [at, fresh] = owners.emplace(format_text("{}/{}", one.name_space, one.hpa_name), i);
        if (fresh || specs[at->second].scaling.name == one.name) continue;  // the same object twice is another finding
        findings.add(severity::error, "other-scaled-object-hpa",
                     documents.scalers[i].at.place_of("spec.advanced.horizontalPodAutoscalerConfig.name"),
                     format_text("the HPA '{}' is already managed by the ScaledObject '{}'", one.hpa_name,
                                 specs[at->second].scaling.name),
                     "give each its own advanced.horizontalPodAutoscalerConfig.name, or none");
    }
}

}  // namespace

loaded load(const std::vector<text_file>& files, const surroundings& host) {
    loaded out;
    std::vector<document> documents;
    read_files(files, documents, out.report);
    const collection found = collect(documents, host.environment, out.report);
    const std::vector<written_authentication> authentications = read_authentications(found, host, out.report);
    const load_context context{found, authentications, host, out.report};
    for (const manifest& one : found.scalers) {
        out.specs.push_back(one.kind == document_kind::scaled_object ? read_scaled_object(one, context)
                                                                     : read_horizontal_pod_autoscaler(one, context));
        out.annotations.push_back(one.metadata.annotation_places);
    }
    for (const manifest& one : found.jobs) out.jobs.push_back(read_scaled_job(one, context));
    check_owners(out.specs, found, out.report);
    check_hpa_names(out.specs, found, out.report);
    for (const spec& one : out.specs) check_requests(one, found, out.report);
    if (out.specs.empty() && out.jobs.empty() && out.report.count(severity::error) == 0) {
        out.report.add(severity::error, "no-scaler", {files.empty() ? "" : files.front().name, 0, 0, ""},
                       "no ScaledObject, ScaledJob or HorizontalPodAutoscaler is given", "add one");
    }
    for (spec& one : out.specs) one.values = out.report.values;
    if (out.report.count(severity::error) == 0) return out;
    out.drafts = std::exchange(out.specs, {});
    out.annotations.clear();
    out.jobs.clear();
    return out;
}

}  // namespace gputide::config
