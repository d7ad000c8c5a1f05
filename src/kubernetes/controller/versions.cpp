// Which releases of Kubernetes and KEDA the cluster runs, whose rules its manifests follow where they name none.
#include "kubernetes/controller/attached.hpp"
#include "runtime/log.hpp"

#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t versions_hold_for_ms = 600'000;  // a cluster is upgraded while this process runs
// An API server that has just started may refuse /version for a moment; the newest rules hold until it is found.
constexpr std::int64_t search_again_ms = 60'000;

// A version that was found before outlives a search that does not find it.
void keep_found(found_version& now, const found_version& before) {
    if (!now.minor && before.minor) now = before;
}

void log_versions(const settings& settings, const found_versions& found) {
    for (const config::original which : {config::original::kubernetes, config::original::keda}) {
        runtime::log(found.of(which).is_unknown ? runtime::log_level::warning : runtime::log_level::info,
                     "cluster: " + describe_version(which, settings, found));
    }
}

}  // namespace

// Sends the next request of a search that is due or under way, also where the last answer was lost.
void attached_cluster::look_for_versions() {
    const std::int64_t now_ms = loop_->steady_ms();
    if (is_ending_ || version_answer_.is_under_way(now_ms)) return;
    if (!search_) {
        if (now_ms < versions_due_ms_) return;
        search_.emplace(settings_);
    }
    const std::optional<api_request> request = search_->next();
    if (!request) return take_versions();
    version_answer_.begin(api_->send(request->target, always(*request), [self = weak_from_this()](const reply& reply) {
        if (const auto here = self.lock()) here->version_answer_came(reply);
    }));
}

void attached_cluster::version_answer_came(const reply& reply) {
    version_answer_.end();
    if (!search_) return;
    search_->take(reply);
    look_for_versions();
}

void attached_cluster::take_versions() {
    found_versions found = search_->found();
    if (versions_) {
        keep_found(found.kubernetes, versions_->kubernetes);
        keep_found(found.keda, versions_->keda);
    }
    const bool is_news = !versions_ || found.versions() != versions_->versions();
    host_.versions = versions_for(settings_, found);
    if (settings_.shadow) host_.compared_versions = found.versions();
    versions_ = std::move(found);
    versions_due_ms_ = loop_->steady_ms() + (versions_->kubernetes.minor ? versions_hold_for_ms : search_again_ms);
    search_.reset();
    if (!is_news) return;
    log_versions(settings_, *versions_);
    read_manifests_again();
}

void attached_cluster::read_manifests_again() {
    for (auto& [name, scaler] : entries_) scaler.texts = 0;
    changed_->mark_all();
    jobs_->read_manifests_again();
}

}  // namespace gputide::kubernetes
