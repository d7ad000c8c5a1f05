// Opening, listing, measuring; what NVML's codes mean.
#include "source/gpu/driver.hpp"

#include "base/format_text.hpp"
#include "base/process.hpp"
#include "source/gpu/power.hpp"
#include "source/gpu/vendor.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

namespace gputide::source::nvml {
namespace {

// Instances come and go while a program runs.
constexpr std::int64_t list_again_ms = 60'000;

// A handle that outlived its instance, a GPU that was reset, a driver that was shut down.
bool is_stale(code result_code) {
    return result_code == uninitialized || result_code == invalid_argument || result_code == not_found ||
           result_code == gpu_is_lost || result_code == gpu_not_found;
}

bool any_stale(const readings& readings) {
    return !readings.missing.empty() || std::any_of(readings.failures.begin(), readings.failures.end(),
                                                    [](const unmeasured& one) { return is_stale(one.said); });
}

}  // namespace

driver::~driver() { close(); }

// "GPU 3 (GPU-…): GPU is lost (NVML 15); it fell off the bus: drain and reboot the node"
error driver::failure(code result_code, const std::string& doing) const {
    const vendor& from = *library_.calls.of;
    const char* text = library_.calls.error_text == nullptr ? nullptr : library_.calls.error_text(result_code);
    const auto known = std::find_if(from.meanings.begin(), from.meanings.end(),
                                    [result_code](const code_meaning& one) { return one.said == result_code; });
    const bool is_known = known != from.meanings.end();
    const code own = from.own_code == nullptr ? result_code : from.own_code(result_code);
    std::string message =
        format_text("{}: {} ({} {})", doing, text == nullptr ? "unknown error" : text, from.library, own);
    if (is_known) message.append("; ").append(known->remedy);
    error out = fail(is_known ? known->kind : error_class::peer, std::move(message));
    out.service_code = std::to_string(own);
    return out;
}

result<void> driver::open() {
    if (library_.calls.init != nullptr) return {};
    auto loaded = load_();
    if (!loaded) return std::move(loaded).failure();
    library_ = *std::move(loaded);
    const code said = library_.calls.init();
    if (said == ok) {
        gpm_ = std::make_unique<gpm>(library_.calls, library_.loaded);
        health_ = std::make_unique<health>(library_.calls, library_.loaded);
        return {};
    }
    error why = failure(said, format_text("{} could not be opened", library_.calls.of->driver));
    library_ = {};
    return why;
}

void driver::forget() {
    gpm_ = nullptr;
    health_ = nullptr;
    library_ = {};
}

void driver::close() {
    gpm_ = nullptr;
    health_ = nullptr;  // frees its events while NVML is open
    if (library_.calls.init != nullptr) library_.calls.shutdown();
    forget();
    list_ = nullptr;
}

result<void> driver::list(std::int64_t now_ms) {
    gpu_list gpu_list = list_gpus(library_.calls);
    if (gpu_list.said == uninitialized) {  // somebody shut NVML down more often than it was opened
        forget();
        if (auto opened = open(); !opened) return opened;
        gpu_list = list_gpus(library_.calls);
    }
    if (gpu_list.said != ok) {
        error why = failure(gpu_list.said, "the GPUs could not be listed");
        close();
        return why;
    }
    list_ = std::make_shared<const std::vector<gpu>>(std::move(gpu_list.all));
    listed_ms_ = now_ms;
    gpm_->relisted(*list_);
    return {};
}

void driver::add(readings& to, const quantity& quantity, const gpu& gpu, measured_value value) const {
    if (value.said == ok) {
        to.values.push_back(
            {&gpu, value.value, value.read_by, value.interval_ms, std::move(value.note), std::move(value.labels)});
        return;
    }
    // A GPU in MIG mode, a board without NVLink: the number is not there, and the GPU is as it should be.
    const std::string doing = format_text("{}: {}", shown(gpu), quantity.name);
    to.failures.push_back({&gpu, value.said, failure(value.said, value.said == not_supported ? doing : shown(gpu))});
}

// Of every kind but `averaged`, which is read of all GPUs together.
std::vector<measured_value> driver::values_of(const reading_plan& plan, const gpu& gpu, past_reading& past) {
    const quantity& quantity = *plan.quantity;
    switch (quantity.kind) {
        case reading_kind::energy:
            return {average_power(library_.calls, quantity, gpu, clock_.steady_ms(), past)};
        case reading_kind::health:
            return {quantity.name == "throttled" ? health_->throttled(gpu) : health_->unhealthy(gpu)};
        case reading_kind::process:
            return process_values(
                library_.calls, quantity, gpu, plan.processes, [](unsigned pid) { return read_identity("/proc", pid); },
                past);
        case reading_kind::instant:
        case reading_kind::averaged:
            break;
    }
    measured_value out;
    out.said = gpu.problem == ok ? quantity.read(library_.calls, gpu.handle, out.value) : gpu.problem;
    return {out};
}

readings driver::measure(const reading_plan& plan) {
    readings out;
    out.list = list_;
    chosen_gpus chosen = choose(*list_, plan.devices, *plan.quantity);
    out.missing = std::move(chosen.missing);
    out.values.reserve(chosen.all.size());
    past_readings unkept;
    past_readings& past = plan.past == nullptr ? unkept : *plan.past;
    if (past.size() > list_->size()) past.clear();  // instances that are gone
    if (plan.quantity->kind == reading_kind::averaged) {
        std::vector<measured_value> values =
            averaged_values(library_.calls, *gpm_, clock_, *plan.quantity, chosen.all, past);
        for (std::size_t i = 0; i < values.size(); ++i) add(out, *plan.quantity, *chosen.all[i], std::move(values[i]));
        return out;
    }
    for (const gpu* gpu : chosen.all) {
        for (measured_value& value : values_of(plan, *gpu, past[gpu->uuid]))
            add(out, *plan.quantity, *gpu, std::move(value));
    }
    return out;
}

result<readings> driver::read(const reading_plan& plan) {
    const std::lock_guard hold(guard_);
    if (auto opened = open(); !opened) return std::move(opened).failure();
    const bool is_old = list_ == nullptr || plan.now_ms - listed_ms_ >= list_again_ms || plan.now_ms < listed_ms_;
    if (is_old) {
        if (auto listed = list(plan.now_ms); !listed) return std::move(listed).failure();
    }
    readings out = measure(plan);
    if (is_old || !any_stale(out)) return out;
    if (auto listed = list(plan.now_ms); !listed) return std::move(listed).failure();
    return measure(plan);
}

nvml_clock real_clock() {
    return {[] {
                const auto since = std::chrono::steady_clock::now().time_since_epoch();
                return static_cast<std::int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
            },
            [](std::int64_t pause_ms) { std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms)); }};
}

std::shared_ptr<driver> shared_driver() {
    static constinit process_wide<driver> drivers;
    return *drivers.get([] { return result<std::shared_ptr<driver>>(std::make_shared<driver>(&load_library)); });
}

}  // namespace gputide::source::nvml
