#include "nodes/cluster.hpp"

#include "common/log.hpp"

namespace gputided {
namespace {

constexpr std::int32_t list_timeout_ms = 60'000;  // as long as an API server takes for a list by itself

}  // namespace

std::string read_cluster(const shared_options& shared) {
    const gputide::options options = library_options(shared, {{"--kubernetes", ""}});
    const auto list = [&](const char* path) { return gputide::list_cluster(path, list_timeout_ms, options); };
    std::string out = list("/api/v1/nodes");
    out += list("/api/v1/pods?fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed");
    try {
        out += list("/apis/policy/v1/poddisruptionbudgets");
    } catch (const gputide::failure& failed) {
        if (failed.status() != GPUTIDE_E_FORBIDDEN) throw;
        log_line("nodes that may go are planned without PodDisruptionBudgets: " + std::string(failed.what()));
    }
    return out;
}

}  // namespace gputided
