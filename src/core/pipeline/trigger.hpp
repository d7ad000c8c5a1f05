// A metric or an identity alone, from text: what gputide_source_open and gputide_credential_open take.
#pragma once

#include "auth/credential.hpp"
#include "base/result.hpp"
#include "config/load.hpp"
#include "pipeline/engine.hpp"
#include "pipeline/host.hpp"
#include "source/source.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gputide::pipeline {

struct opened_trigger {
    std::shared_ptr<source::metric_source> source;
    std::string description;  // source::describe_json
};
result<opened_trigger> open_trigger(const std::vector<config::text_file>& files, const host_options& host,
                                    const engine& shared);

result<std::shared_ptr<auth::credential>> open_credential(const std::vector<config::text_file>& files,
                                                          const host_options& host);

}  // namespace gputide::pipeline
