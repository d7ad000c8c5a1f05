// A trigger or an identity without a manifest around it.
#include "base/format_text.hpp"
#include "config/load.hpp"
#include "config/reading.hpp"
#include "config/substitute.hpp"
#include "config/trigger_reader.hpp"

#include <algorithm>
#include <utility>

namespace gputide::config {
namespace {

// Takes the one document without a kind out of the others; it is the part that was asked for.
std::optional<document> take_part(std::vector<document>& documents, std::string_view member) {
    const auto at = std::find_if(documents.begin(), documents.end(), [&](const document& one) {
        return one.root.find("kind") == nullptr && one.root.find(member) != nullptr;
    });
    if (at == documents.end()) return std::nullopt;
    document out = std::move(*at);
    documents.erase(at);
    return out;
}

// ${NAME} is replaced in whole manifests by collect(); a part needs it done on its own.
cursor substituted(document& part, const surroundings& host, report& findings) {
    cursor at{&part.root, &part.file, ""};
    substitute(
        part.root, at, host.environment, [](std::string_view) { return false; }, findings);
    return at;
}

void missing_part(const std::vector<text_file>& files, std::string message, std::string remedy, report& findings) {
    findings.add(severity::error, "missing-part", {files.empty() ? "" : files.front().name, 1, 1, ""},
                 std::move(message), std::move(remedy));
}

// Errors end a load; findings go to the caller in any case.
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
    std::vector<document> documents;
    read_files(files, documents, found);
    std::optional<document> part = take_part(documents, "type");
    if (part) {
        const collection others = collect(documents, host.environment, found);
        const std::vector<written_authentication> authentications = read_authentications(others, host, found);
        const load_context context{others, authentications, host, found};
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
    std::vector<document> documents;
    read_files(files, documents, found);
    if (std::optional<document> part = take_part(documents, "provider")) {
        out = read_pod_identity(substituted(*part, host, found), host.kinds.identities, found);
    } else {
        const collection others = collect(documents, host.environment, found);
        const std::vector<written_authentication> written = read_authentications(others, host, found);
        if (written.size() == 1) {
            const load_context context{others, written, host, found};
            const std::string file = files.empty() ? "" : files.front().name;
            out = resolve(written.front(), {file, 1, 1, ""}, written.front().name_space, host.strict, context);
        } else if (found.count(severity::error) == 0) {
            missing_part(files, format_text("{} identities are given, one is wanted", written.size()),
                         "give a podIdentity block (provider: azure-default) or one TriggerAuthentication", found);
        }
    }
    if (std::optional<error> failure = hand_over(found, findings)) return std::move(*failure);
    return out;
}

}  // namespace gputide::config
