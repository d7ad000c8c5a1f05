#include "base/json_writer.hpp"
#include "base/time.hpp"
#include "kubernetes/lease/elector.hpp"

#include <algorithm>

namespace gputide::kubernetes {
namespace {

// Maximum delay until a standby notices a released Lease or a new holder.
constexpr std::int64_t standby_retry_ms = 1'000;
constexpr std::int64_t longest_jitter_ms = 1'000;
constexpr std::int64_t us_per_ms = 1'000;

// Formats a MicroTime with exactly six fractional digits; the API server rejects any other number.
std::string micro_time(std::int64_t us) {
    std::string out = format_rfc3339_ms(us / us_per_ms);
    const std::string rest = std::to_string(us_per_ms + us % us_per_ms).substr(1);
    out.insert(out.size() - 1, rest);
    return out;
}

bool same_record(const kube::lease& a, const kube::lease& b) {
    return a.holder == b.holder && a.duration_s == b.duration_s && a.acquire_time_us == b.acquire_time_us &&
           a.renew_time_us == b.renew_time_us && a.transitions == b.transitions && a.shards == b.shards;
}

}  // namespace

std::string lease_plan::body(const std::string& holder, std::int64_t duration_ms, std::int64_t acquired_us,
                             std::int64_t transitions, const std::string& version, std::int64_t wall_ms) const {
    json_writer out;
    out.begin_object().member("apiVersion", "coordination.k8s.io/v1").member("kind", "Lease");
    out.key("metadata").begin_object().member("name", settings_.name).member("namespace", settings_.name_space);
    if (!version.empty()) out.member("resourceVersion", version);
    out.key("annotations").begin_object();
    out.member(kube::shards_annotation, std::to_string(settings_.shards)).end_object();
    out.end_object().key("spec").begin_object().member("holderIdentity", holder);
    out.member("leaseDurationSeconds", std::max<std::int64_t>(1, duration_ms / 1'000));
    out.member("acquireTime", micro_time(acquired_us)).member("renewTime", micro_time(wall_ms * us_per_ms));
    out.member("leaseTransitions", transitions).end_object();
    return out.end_object().take();
}

lease_request lease_plan::attempt(std::int64_t now_ms, std::int64_t wall_ms) const {
    const bool still_ours =
        holds_ && !is_stale_ && record_.holder == settings_.identity && now_ms - observed_ms_ < settings_.duration_ms;
    if (!still_ours) return {};
    return {lease_step::put, body(settings_.identity, settings_.duration_ms, record_.acquire_time_us,
                                  record_.transitions, record_.resource_version, wall_ms)};
}

// Returns the write that acquires the Lease.  Keeps acquireTime if the holder is an earlier process of the same name.
lease_request lease_plan::take_over(std::int64_t wall_ms) const {
    const bool was_ours = record_.holder == settings_.identity && record_.acquire_time_us != 0;
    return {lease_step::put,
            body(settings_.identity, settings_.duration_ms, was_ours ? record_.acquire_time_us : wall_ms * us_per_ms,
                 was_ours ? record_.transitions : record_.transitions + 1, record_.resource_version, wall_ms)};
}

void lease_plan::observe(const kube::lease& seen, std::int64_t now_ms) {
    if (!is_observed_ || !same_record(seen, record_)) observed_ms_ = now_ms;
    is_observed_ = true;
    is_stale_ = false;
    seen_ms_ = now_ms;
    record_ = seen;
}

std::optional<lease_request> lease_plan::read_came(const reply& reply, const std::optional<kube::lease>& record,
                                                   std::int64_t now_ms, std::int64_t wall_ms) {
    if (reply.verdict == verdict::missing) {
        return lease_request{lease_step::post,
                             body(settings_.identity, settings_.duration_ms, wall_ms * us_per_ms, 0, {}, wall_ms)};
    }
    if (reply.verdict != verdict::good || !record) return std::nullopt;
    observe(*record, now_ms);
    const bool is_anothers = !record_.holder.empty() && record_.holder != settings_.identity;
    if (is_anothers) holds_ = false;
    if (is_anothers && now_ms < observed_ms_ + record_.duration_s * 1'000) return std::nullopt;
    return take_over(wall_ms);
}

// Counts the renewal from the time of sending, because the server may have applied it immediately.
void lease_plan::wrote(const reply& reply, const std::optional<kube::lease>& record, std::int64_t sent_ms) {
    if (reply.verdict != verdict::good || !record || record->holder != settings_.identity) {
        if (reply.verdict == verdict::conflict)
            is_stale_ = true;  // another process has written: read the Lease before the next attempt
        return;
    }
    const bool was_otherwise = is_observed_ && !record_.shards.empty() && record_.shards != record->shards;
    if (was_otherwise) quiet_until_ms_ = sent_ms + settings_.duration_ms;
    observe(*record, sent_ms);
    observed_ms_ = sent_ms;
    renewed_ms_ = sent_ms;
    holds_ = true;
}

lease_request lease_plan::release(const kube::lease& record, std::int64_t wall_ms) const {
    return {lease_step::put,
            body({}, 1'000, wall_ms * us_per_ms, record.transitions, record.resource_version, wall_ms)};
}

bool lease_plan::holds(std::int64_t now_ms) const {
    return holds_ && now_ms < renewed_ms_ + settings_.renew_deadline_ms();
}

bool lease_plan::may_write(std::int64_t now_ms) const { return holds(now_ms + settings_.write_ms()); }

bool lease_plan::agrees(std::int64_t now_ms) const {
    const bool is_fresh = is_observed_ && now_ms < seen_ms_ + settings_.renew_deadline_ms();
    return is_fresh && now_ms >= quiet_until_ms_ && record_.shards == std::to_string(settings_.shards);
}

// Returns the delay until the next attempt.  A standby tries every second, and when the observed Lease expires.
std::int64_t lease_plan::wait_ms(std::int64_t now_ms, double uniform) const {
    if (holds(now_ms)) return settings_.retry_ms();
    const std::int64_t expiry_ms = observed_ms_ + record_.duration_s * 1'000;
    const auto jitter_ms = static_cast<std::int64_t>(static_cast<double>(longest_jitter_ms) * uniform);
    const bool waits = is_observed_ && expiry_ms > now_ms && !record_.holder.empty();
    return waits ? std::min(standby_retry_ms, expiry_ms - now_ms + jitter_ms) : standby_retry_ms / 2 + jitter_ms / 2;
}

}  // namespace gputide::kubernetes
