// The first steps that every load shares: texts to documents, documents to authentications.
#pragma once

#include "config/authentication.hpp"
#include "config/document.hpp"
#include "config/load.hpp"

#include <vector>

namespace gputide::config {

// Every document of every file; a text without one is an error.
void read_files(const std::vector<text_file>& files, std::vector<document>& documents, report& findings);

std::vector<written_authentication> read_authentications(const collection& documents, const surroundings& host,
                                                         report& findings);

}  // namespace gputide::config
