#include "manifest/load.hpp"

#include "base/format_text.hpp"
#include "manifest/authentication.hpp"
#include "manifest/scalers.hpp"
#include "text/environment.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gputide::manifest {

using namespace text;

namespace {

// Parses every document of every file; a text without a document is an error.
std::vector<document> read_files(const std::vector<text_file>& files, report& findings) {
    std::vector<document> out;
    for (const text_file& file : files) {
        const std::size_t errors = findings.count(severity::error);
        std::vector<document> read = read_documents(file.name, file.content, findings);
        if (read.empty() && findings.count(severity::error) == errors) {
            findings.add(severity::error, "empty", {file.name, 1, 1, ""}, "the text has no document",
                         "give a ScaledObject or a HorizontalPodAutoscaler");
        }
        for (document& entry : read) {
            entry.is_literal = file.is_literal;
            out.push_back(std::move(entry));
        }
    }
    return out;
}

// The documents of one load, sorted by kind, with the TriggerAuthentications read.
struct reading {
    reading(std::vector<document> given, const surroundings& host, report& findings)
        : documents(std::move(given)), found(collect(documents, host.environment, findings)) {
        authentications.reserve(found.authentications.size());
        for (const manifest& object : found.authentications)
            authentications.push_back(read_authentication(object, host, findings));
    }

    std::vector<document> documents;
    collection found;
    std::vector<written_authentication> authentications;
};

// Reports two scalers of one workload, which would work against each other; KEDA's webhook rejects the second.
void check_owners(const std::vector<spec>& specs, const collection& documents, report& findings) {
    std::map<std::string, std::size_t> owners;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const scaling& scaled = specs[i].scaling;
        if (scaled.target_name.empty()) continue;
        const std::string type = format_text("{}.{}", scaled.target_api_version, scaled.target_kind);
        const auto [at, fresh] =
            owners.emplace(format_text("{}/{}/{}", scaled.name_space, type, scaled.target_name), i);
        if (fresh) continue;
        const scaling& first = specs[at->second].scaling;
        const place there = documents.scalers[at->second].at.place_of("spec.scaleTargetRef");
        const char* const kind =
            first.kind == manifest_kind::scaled_object ? "ScaledObject" : "HorizontalPodAutoscaler";
        finding* added = findings.add(
            severity::error, "other-scaled-object", documents.scalers[i].at.place_of("spec.scaleTargetRef"),
            format_text("the workload '{}' of type '{}' is already managed by the {} '{}' of {}:{}", scaled.target_name,
                        type, kind, first.name, there.file, there.line),
            "remove one of the two");
        if (added == nullptr) continue;
        added->conflict = conflict{format_text("{}/{}", scaled.name_space, scaled.name),
                                   format_text("{}/{}", first.name_space, first.name), there.file};
    }
}

// Reports two ScaledObjects with one HPA name: KEDA names the HPA after the ScaledObject, or by
// horizontalPodAutoscalerConfig.
void check_hpa_names(const std::vector<spec>& specs, const collection& documents, report& findings) {
    std::map<std::string, std::size_t> owners;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const scaling& scaled = specs[i].scaling;
        const std::string& name = specs[i].hpa_name;
        if (name.empty()) continue;
        const auto [at, fresh] = owners.emplace(format_text("{}/{}", scaled.name_space, name), i);
        if (fresh || specs[at->second].scaling.name == scaled.name)
            continue;  // two objects with one name have another finding
        findings.add(severity::error, "other-scaled-object-hpa",
                     documents.scalers[i].at.place_of("spec.advanced.horizontalPodAutoscalerConfig.name"),
                     format_text("the HPA '{}' is already managed by the ScaledObject '{}'", name,
                                 specs[at->second].scaling.name),
                     "give each its own advanced.horizontalPodAutoscalerConfig.name, or none");
    }
}

}  // namespace

loaded load(const std::vector<text_file>& files, const surroundings& host) {
    loaded out;
    const reading all(read_files(files, out.report), host, out.report);
    const collection& found = all.found;
    const load_context context{found, all.authentications, host, out.report};
    for (const manifest& object : found.scalers) {
        out.specs.push_back(object.kind == document_kind::scaled_object
                                ? read_scaled_object(object, context)
                                : read_horizontal_pod_autoscaler(object, context));
        out.annotations.push_back(object.metadata.annotation_places);
        if (!out.specs.back().scaling.modifiers) continue;
        // The formula is compiled later, from its text alone; its errors use these paths.
        for (const auto& [named, path] :
             {std::pair("scalingModifiers.formula", "spec.advanced.scalingModifiers.formula"),
              std::pair("spec.advanced.scalingModifiers", "spec.advanced.scalingModifiers")}) {
            out.annotations.back()[named] = object.at.place_of(path);
        }
    }
    for (const manifest& entry : found.jobs) out.jobs.push_back(read_scaled_job(entry, context));
    check_owners(out.specs, found, out.report);
    check_hpa_names(out.specs, found, out.report);
    for (const spec& item : out.specs) check_requests(item, found, out.report);
    warn_of_watch_selector(found, host.environment, out.report);
    if (out.specs.empty() && out.jobs.empty() && out.report.count(severity::error) == 0) {
        out.report.add(severity::error, "no-scaler", {files.empty() ? "" : files.front().name, 0, 0, ""},
                       "no ScaledObject, ScaledJob or HorizontalPodAutoscaler is given", "add one");
    }
    for (spec& current : out.specs) current.values = out.report.values;
    if (out.report.count(severity::error) == 0) return out;
    out.drafts = std::exchange(out.specs, {});
    out.annotations.clear();
    out.jobs.clear();
    return out;
}

// A trigger or an identity without a manifest.

namespace {

// Removes and returns the first document without a kind and with `member`: the requested trigger or identity.
std::optional<document> take_part(std::vector<document>& documents, std::string_view member) {
    const auto at = std::ranges::find_if(documents, [&](const document& entry) {
        return entry.root.find("kind") == nullptr && entry.root.find(member) != nullptr;
    });
    if (at == documents.end()) return std::nullopt;
    document out = std::move(*at);
    documents.erase(at);
    return out;
}

// Replaces ${NAME} in a part; for whole manifests collect() does this.
cursor substituted(document& part, const surroundings& host, report& findings) {
    cursor at{&part.root, &part.file, ""};
    substitute(
        part.root, at, host.environment, [](std::string_view) { return false; }, findings);
    return at;
}

void missing_part(const std::vector<text_file>& files, std::string_view message, std::string_view remedy,
                  report& findings) {
    findings.add(severity::error, "missing-part", {files.empty() ? "" : files.front().name, 1, 1, ""}, message, remedy);
}

// Passes the findings to the caller; returns an error if one of them is an error.
std::optional<error> hand_over(report& from, report* findings) {
    error failure = from.as_error();
    if (findings != nullptr) *findings = std::move(from);
    if (failure.status == status::ok) return std::nullopt;
    return failure;
}

}  // namespace

result<trigger> load_trigger(const std::vector<text_file>& files, const surroundings& host, report* findings) {
    report found;
    trigger out;
    std::vector<document> documents = read_files(files, found);
    if (std::optional<document> part = take_part(documents, "type")) {
        const reading others(std::move(documents), host, found);
        const load_context context{others.found, others.authentications, host, found};
        mapping fields(substituted(*part, host, found), found);
        out = take_trigger(fields, 0, {"", "", host.strict, {}}, context);
        fields.finish();
    } else if (found.count(severity::error) == 0) {
        missing_part(files, "no trigger is given: a mapping with type and metadata",
                     "write type: prometheus, metadata: ...", found);
    }
    if (std::optional<error> failure = hand_over(found, findings)) return std::move(*failure);
    return out;
}

result<authentication> load_identity(const std::vector<text_file>& files, const surroundings& host, report* findings) {
    report found;
    authentication out;
    std::vector<document> documents = read_files(files, found);
    if (std::optional<document> part = take_part(documents, "provider")) {
        out = read_pod_identity(substituted(*part, host, found), host.kinds.identities, found);
    } else {
        const reading others(std::move(documents), host, found);
        const std::vector<written_authentication>& written = others.authentications;
        if (written.size() == 1) {
            const load_context context{others.found, written, host, found};
            const std::string file = files.empty() ? "" : files.front().name;
            out = resolve(written.front(), {file, 1, 1, ""}, written.front().name_space, host.strict, context);
        } else if (found.count(severity::error) == 0) {
            missing_part(files, format_text("{} identities are given; expected one", written.size()),
                         "give a podIdentity block (provider: azure-default) or one TriggerAuthentication", found);
        }
    }
    if (std::optional<error> failure = hand_over(found, findings)) return std::move(*failure);
    return out;
}

}  // namespace gputide::manifest
