// Clock reasons, ECC counters and XID events.
#include "source/gpu/health.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gputide::source::nvml {
namespace {

struct clock_reason {
    std::uint64_t bit;
    std::string_view name;
};

// nvml.h, nvmlClocksEventReason*.  Idle and clocks that were set by hand are not among them: nothing is wrong then.
constexpr std::array reasons = {
    clock_reason{0x04, "sw_power_cap"}, clock_reason{0x08, "hw_slowdown"},         clock_reason{0x10, "sync_boost"},
    clock_reason{0x20, "sw_thermal"},   clock_reason{0x40, "hw_thermal_slowdown"}, clock_reason{0x80, "hw_power_brake"},
};

// Faults of a program, after which the GPU works on (NVIDIA/k8s-device-plugin internal/rm/health.go, getHealthCheckXids).
constexpr std::array<std::uint64_t, 6> program_faults = {13, 31, 43, 45, 68, 109};

constexpr int max_events_at_once = 64;

void add_text(std::string& to, std::string_view text) {
    if (!to.empty()) to += ',';
    to += text;
}

measured_value flag_of(const gpu& gpu, const std::string& why, std::string_view what) {
    measured_value out;
    out.value = why.empty() ? 0.0 : 1.0;
    out.labels.emplace_back("reasons", why);
    if (!why.empty()) out.note = shown(gpu) + " is " + std::string(what) + ": " + why;
    return out;
}

}  // namespace

health::~health() {
    if (events_ != nullptr) calls_.free_event_set(events_);
}

measured_value health::throttled(const gpu& gpu) const {
    measured_value out;
    std::uint64_t mask = 0;
    out.said = gpu.problem != ok                 ? gpu.problem
               : calls_.clock_reasons == nullptr ? not_supported
                                                 : calls_.clock_reasons(gpu.handle, &mask);
    if (out.said != ok) return out;
    std::string why;
    for (const clock_reason& reason : reasons) {
        if ((mask & reason.bit) != 0) add_text(why, reason.name);
    }
    return flag_of(gpu, why, "throttled");
}

void health::listen(const gpu& gpu) {
    if (!calls_.has_events() || heard_.contains(gpu.handle)) return;
    if (events_ == nullptr && calls_.new_event_set(&events_) != ok) return;
    if (calls_.register_events(gpu.handle, xid_event, events_) == ok) heard_.insert(gpu.handle);
}

void health::hear() {
    event_data event;
    for (int i = 0; events_ != nullptr && i < max_events_at_once; ++i) {
        if (calls_.wait_event(events_, &event, 0) != ok) return;
        const bool is_program =
            std::find(program_faults.begin(), program_faults.end(), event.data) != program_faults.end();
        if (event.type == xid_event && !is_program) xids_[event.of].insert(event.data);
    }
}

measured_value health::unhealthy(const gpu& gpu) {
    if (gpu.problem == gpu_is_lost) return flag_of(gpu, "lost", "unhealthy");
    if (gpu.problem == reset_required) return flag_of(gpu, "reset_required", "unhealthy");
    measured_value out;
    out.said = gpu.problem;
    if (out.said != ok) return out;
    listen(gpu);
    hear();
    std::string why;
    std::uint64_t errors = 0;
    const code said = calls_.ecc_errors == nullptr
                          ? not_supported
                          : calls_.ecc_errors(gpu.handle, uncorrected_errors, volatile_counter, &errors);
    if (said == gpu_is_lost) add_text(why, "lost");
    if (said == reset_required) add_text(why, "reset_required");
    if (said == ok && errors > 0) add_text(why, "uncorrected_ecc=" + std::to_string(errors));
    for (const std::uint64_t xid : xids_[gpu.handle]) add_text(why, "xid=" + std::to_string(xid));
    if (why.empty() && said == not_supported && !heard_.contains(gpu.handle)) out.said = not_supported;
    return out.said == ok ? flag_of(gpu, why, "unhealthy") : out;
}

}  // namespace gputide::source::nvml
