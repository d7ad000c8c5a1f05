// A rule of an API server or a webhook that a manifest breaks, before it has a place in a text.
#pragma once

#include <string>

namespace gputide::config {

// One thing that is refused: a path below the manifest's root, KEDA's or the API server's words, and a remedy.
struct violation {
    std::string path;
    std::string message;
    std::string remedy;
    std::string code = "invalid-value";
};

}  // namespace gputide::config
