#include "kubernetes/controller/shadow.hpp"

namespace gputide::kubernetes {

const autoscaler* rival_of(const store<autoscaler>& rivals, const object_key& key, const target_reference& target) {
    const autoscaler* usual = rivals.find({key.name_space, "keda-hpa-" + key.name});
    if (usual != nullptr && is_same_target(usual->target, target)) return usual;
    const autoscaler* out = nullptr;
    rivals.each([&](const object_key& its, const autoscaler& rival) {
        if (its.name_space == key.name_space && is_same_target(rival.target, target)) out = &rival;
    });
    return out;
}

bool comparison::differs(const compared_sizes& sizes, std::int64_t now_ms, std::int64_t sync_ms) {
    if (!sizes.theirs_counts) return false;
    if (compared_++ == 0) first_ms_ = now_ms;
    const bool may_be_a_window = sizes.ours < sizes.theirs && now_ms - first_ms_ < longest_window_ms;
    if (sizes.ours == sizes.theirs || may_be_a_window) {
        since_ms_.reset();
        is_reported_ = false;
        return false;
    }
    if (!since_ms_) since_ms_ = now_ms;
    if (is_reported_ || now_ms - *since_ms_ <= sync_ms) return false;
    is_reported_ = true;
    return true;
}

}  // namespace gputide::kubernetes
