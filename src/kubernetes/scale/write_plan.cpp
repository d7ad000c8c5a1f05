#include "kubernetes/scale/write_plan.hpp"

#include "base/json_writer.hpp"

#include <array>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int32_t most_puts = 3;
constexpr std::int64_t first_pause_ms = 50;  // doubling

// spec.replicas may be 0, and absence would mean 0 as well: it is always written.  uid and version: a workload that was made
// anew, or changed since, is a 409.
std::string body_of(const kube::scale& seen, const std::string& name_space, const std::string& name,
                    std::int32_t replicas) {
    json_writer out;
    out.begin_object().member("kind", "Scale").member("apiVersion", "autoscaling/v1").key("metadata").begin_object();
    out.member("name", name).member("namespace", name_space);
    if (!seen.uid.empty()) out.member("uid", seen.uid);
    out.member("resourceVersion", seen.resource_version).end_object();
    out.key("spec").begin_object().member("replicas", replicas).end_object();
    return out.end_object().take();
}

}  // namespace

const char* write_result_name(write_result write_result) noexcept {
    static constexpr std::array<const char*, write_results> names{
        "applied", "changed", "conflict", "held", "refused", "denied", "throttled", "failed", "no_lead", "late"};
    return names[static_cast<std::size_t>(write_result)];
}

write_plan::write_plan(wanted_size wanted, std::string name_space, std::string name)
    : wanted_(std::move(wanted)), name_space_(std::move(name_space)), name_(std::move(name)) {}

next_write write_plan::end(write_result write_result) const {
    next_write out = seen_;
    out.step = write_step::done;
    out.result = write_result;
    return out;
}

next_write write_plan::again() {
    next_write out = seen_;
    out.step = write_step::read;
    out.after_ms = first_pause_ms << (puts_ - 1);
    return out;
}

write_result write_plan::failure_of(const reply& reply) {
    switch (reply.verdict) {
        case verdict::missing:
            return write_result::held;
        case verdict::refused:
            return write_result::refused;
        case verdict::denied:
            return write_result::denied;
        case verdict::throttled:
            return write_result::throttled;
        default:
            return write_result::failed;
    }
}

next_write write_plan::begin(bool leads) {
    if (!leads) return end(write_result::no_lead);
    next_write out;
    out.step = write_step::read;
    return out;
}

// An absolute number over a size that another controller has set would undo it, and so would a write without the version.
next_write write_plan::read_came(const reply& reply, const result<kube::scale>& scale, bool leads) {
    if (reply.verdict != verdict::good) return end(failure_of(reply));
    if (!scale || scale->resource_version.empty()) return end(write_result::failed);
    seen_.saw_size = true;
    seen_.size = scale->spec_replicas;
    seen_.resource_version = scale->resource_version;
    const bool is_same = wanted_.uid.empty() || scale->uid.empty() || wanted_.uid == scale->uid;
    if (is_same && is_open_ && scale->spec_replicas == wanted_.to) return end(write_result::applied);
    if (!is_same || scale->spec_replicas != wanted_.from) return end(write_result::changed);
    if (puts_ == most_puts) return end(is_open_ ? write_result::failed : write_result::conflict);
    if (!leads) return end(write_result::no_lead);
    ++puts_;
    next_write out = seen_;
    out.step = write_step::put;
    out.body = body_of(*scale, name_space_, name_, wanted_.to);
    return out;
}

next_write write_plan::put_came(const reply& reply, const result<kube::scale>& scale, bool leads) {
    if (reply.verdict == verdict::good) {
        seen_.saw_size = true;
        seen_.size = wanted_.to;
        if (scale) seen_.resource_version = scale->resource_version;
        return end(leads ? write_result::applied : write_result::late);
    }
    if (reply.verdict == verdict::conflict) return again();
    if (reply.verdict == verdict::unknown) {
        is_open_ = true;
        return again();
    }
    return end(failure_of(reply));
}

}  // namespace gputide::kubernetes
