#include "config/reading.hpp"

#include <utility>

namespace gputide::config {

void read_files(const std::vector<text_file>& files, std::vector<document>& documents, report& findings) {
    for (const text_file& file : files) {
        const std::size_t errors = findings.count(severity::error);
        std::vector<document> read = read_documents(file.name, file.content, findings);
        if (read.empty() && findings.count(severity::error) == errors) {
            findings.add(severity::error, "empty", {file.name, 1, 1, ""}, "the text holds no document",
                         "give a ScaledObject or a HorizontalPodAutoscaler");
        }
        for (document& one : read) {
            one.is_literal = file.is_literal;
            documents.push_back(std::move(one));
        }
    }
}

std::vector<written_authentication> read_authentications(const collection& documents, const surroundings& host,
                                                         report& findings) {
    std::vector<written_authentication> out;
    out.reserve(documents.authentications.size());
    for (const manifest& one : documents.authentications) out.push_back(read_authentication(one, host, findings));
    return out;
}

}  // namespace gputide::config
