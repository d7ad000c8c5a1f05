// Converts a manifest and gputide_options to host_options and manifest files.
#pragma once

#include "base/result.hpp"
#include "gputide/gputide.h"
#include "kubernetes/api/settings.hpp"
#include "manifest/load.hpp"
#include "pipeline/host.hpp"

#include <cstdint>
#include <vector>

namespace gputide::capi {

struct host_input {
    pipeline::host_options host;
    std::vector<manifest::text_file> files;  // the main text first; views of the caller's memory
};

// Reads text and options. options may be NULL: then the defaults apply, without permissions and additional texts.
result<host_input> read_input(const char* text, std::int64_t size_bytes, const gputide_options* options);

}  // namespace gputide::capi
