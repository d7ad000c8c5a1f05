// Lists and chooses GPUs.
#include "source/gpu/gpus.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "source/gpu/meter.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace gputide::source::nvml {
namespace {

using text_call = code (*)(device, char*, unsigned);

std::string text_of(text_call call, device gpu) {
    std::array<char, text_size> buffer{};
    if (call(gpu, buffer.data(), text_size) != ok) return {};
    buffer.back() = '\0';
    return buffer.data();
}

bool is_in_mig_mode(const calls& calls, device gpu) {
    if (calls.mig_mode == nullptr || calls.max_instances == nullptr || calls.instance == nullptr) return false;
    unsigned now = 0;
    unsigned after_reset = 0;
    return calls.mig_mode(gpu, &now, &after_reset) == ok && now == 1;
}

// Adds a GPU's instances.  A position without an instance may be followed by others.
void add_instances(const calls& calls, const gpu& whole, std::vector<gpu>& gpus) {
    unsigned most = 0;
    if (calls.max_instances(whole.handle, &most) != ok) return;
    for (unsigned position = 0; position < most; ++position) {
        gpu gpu;
        if (calls.instance(whole.handle, position, &gpu.handle) != ok) continue;
        gpu.whole = whole.handle;
        gpu.index = whole.index;
        gpu.instance = position;
        gpu.uuid = text_of(calls.uuid, gpu.handle);
        gpu.name = whole.name;
        if (calls.instance_id != nullptr) calls.instance_id(gpu.handle, &gpu.instance_id);
        gpus.push_back(std::move(gpu));
    }
}

std::optional<unsigned> small_number(std::string_view text) {
    const bool digits = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    const auto number = digits ? parse_int64(text) : std::nullopt;
    if (!number || *number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return static_cast<unsigned>(*number);
}

// Tells whether it is a UUID without prefix, as AMD uses it: "29ff74a1-0000-1000-80b5-c2d1f5a0e8c4".
bool is_bare_uuid(std::string_view text) {
    constexpr std::size_t uuid_size = 36;
    return text.size() == uuid_size && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-';
}

bool fits(const gpu& gpu, const wanted_gpu& wanted) {
    if (!wanted.uuid.empty()) return equal_ignoring_case(gpu.uuid, wanted.uuid);
    return gpu.index == wanted.index && gpu.instance == wanted.instance;
}

const gpu* whole_gpu(const std::vector<gpu>& gpus, unsigned index) {
    const auto at = std::ranges::find_if(gpus, [index](const gpu& gpu) { return gpu.index == index && !gpu.instance; });
    return at == gpus.end() ? nullptr : &*at;
}

void add_once(const gpu* gpu, chosen_gpus& chosen_gpus) {
    if (gpu != nullptr && std::ranges::find(chosen_gpus.all, gpu) == chosen_gpus.all.end())
        chosen_gpus.all.push_back(gpu);
}

// Adds the GPU or instance from which the quantity is read.
void add(const std::vector<gpu>& from, const gpu& entry, const quantity& quantity, chosen_gpus& to) {
    if (!quantity.of_instance) return add_once(whole_gpu(from, entry.index), to);
    if (!entry.in_mig_mode) return add_once(&entry, to);
    for (const gpu& other : from) {
        if (other.index == entry.index && other.instance) add_once(&other, to);
    }
}

}  // namespace

gpu_list list_gpus(const calls& calls) {
    gpu_list out;
    unsigned count = 0;
    out.said = calls.count(&count);
    if (out.said != ok) return out;
    for (unsigned index = 0; index < count; ++index) {
        gpu gpu;
        gpu.index = index;
        gpu.problem = calls.by_index(index, &gpu.handle);
        if (gpu.problem == ok) {
            gpu.whole = gpu.handle;
            gpu.uuid = text_of(calls.uuid, gpu.handle);
            gpu.name = text_of(calls.name, gpu.handle);
            gpu.in_mig_mode = is_in_mig_mode(calls, gpu.handle);
        }
        out.all.push_back(gpu);
        if (gpu.in_mig_mode) add_instances(calls, gpu, out.all);
    }
    return out;
}

std::optional<wanted_gpu> parse_wanted(std::string_view text) {
    wanted_gpu out;
    out.text = text;
    if (starts_with_ignoring_case(text, "GPU-") || starts_with_ignoring_case(text, "MIG-") || is_bare_uuid(text)) {
        out.uuid = text;
        return out;
    }
    const std::size_t colon = text.find(':');
    out.index = small_number(text.substr(0, colon));
    if (colon != std::string_view::npos) out.instance = small_number(text.substr(colon + 1));
    if (!out.index || (colon != std::string_view::npos && !out.instance)) return std::nullopt;
    return out;
}

chosen_gpus choose(const std::vector<gpu>& gpus, const std::vector<wanted_gpu>& wanted, const quantity& quantity) {
    chosen_gpus out;
    if (wanted.empty()) {
        for (const gpu& gpu : gpus) {
            if (!gpu.instance) add(gpus, gpu, quantity, out);
        }
        return out;
    }
    for (const wanted_gpu& entry : wanted) {
        const auto at = std::ranges::find_if(gpus, [&entry](const gpu& here) { return fits(here, entry); });
        if (at == gpus.end()) {
            out.missing.push_back(entry.text);
        } else {
            add(gpus, *at, quantity, out);
        }
    }
    return out;
}

std::string shown(const gpu& gpu) {
    const std::string index = std::to_string(gpu.index);
    std::string out = gpu.instance ? format_text("MIG instance {}:{}", index, *gpu.instance) : "GPU " + index;
    if (!gpu.uuid.empty()) out += format_text(" ({})", gpu.uuid);
    return out;
}

namespace {

struct clock_reason {
    std::uint64_t bit;
    std::string_view name;
};

// nvml.h, nvmlClocksEventReason*.  Omits idle clocks and clocks set by an administrator, which are normal.
constexpr std::array reasons = {
    clock_reason{0x04, "sw_power_cap"}, clock_reason{0x08, "hw_slowdown"},         clock_reason{0x10, "sync_boost"},
    clock_reason{0x20, "sw_thermal"},   clock_reason{0x40, "hw_thermal_slowdown"}, clock_reason{0x80, "hw_power_brake"},
};

// XIDs caused by a program, after which the GPU works normally (NVIDIA/k8s-device-plugin internal/rm/health.go,
// getHealthCheckXids).
constexpr std::array<std::uint64_t, 6> program_faults = {13, 31, 43, 45, 68, 109};

constexpr int max_events_at_once = 64;

void add_text(std::string& to, std::string_view text) {
    if (!to.empty()) to += ',';
    to += text;
}

measured flag_of(const gpu& gpu, const std::string& why, std::string_view what) {
    measured out;
    out.value = why.empty() ? 0.0 : 1.0;
    out.labels.emplace_back("reasons", why);
    if (!why.empty()) out.note = format_text("{} is {}: {}", shown(gpu), what, why);
    return out;
}

}  // namespace

health::~health() {
    if (events_ != nullptr) calls_.free_event_set(events_);
}

measured health::throttled(const gpu& gpu) const {
    measured out;
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
        const bool is_program = std::ranges::find(program_faults, event.data) != program_faults.end();
        if (event.type == xid_event && !is_program) xids_[event.of].insert(event.data);
    }
}

measured health::unhealthy(const gpu& gpu) {
    if (gpu.problem == gpu_is_lost) return flag_of(gpu, "lost", "unhealthy");
    if (gpu.problem == reset_required) return flag_of(gpu, "reset_required", "unhealthy");
    measured out;
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
