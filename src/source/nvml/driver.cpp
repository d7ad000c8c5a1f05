// Opening, listing, measuring; what NVML's codes mean.
#include "source/nvml/driver.hpp"

#include "base/format_text.hpp"
#include "base/process.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace gputide::source::nvml {
namespace {

// Instances come and go while a program runs.
constexpr std::int64_t list_again_ms = 60'000;

struct meaning {
    code said;
    error_class kind;
    std::string_view remedy;
};

constexpr meaning meanings[] = {
    // NOLINT(modernize-avoid-c-arrays)
    {not_supported, error_class::no_data, "this GPU does not have that number"},
    {no_permission, error_class::forbidden, "run as a user who may open /dev/nvidia*, or map the device in"},
    {not_found, error_class::no_data, "the GPU or instance is gone"},
    {driver_not_loaded, error_class::unavailable,
     "the library is there and the kernel module is not: load the nvidia module, or map the devices in"},
    {library_not_found, error_class::unavailable, "install the driver"},
    {gpu_is_lost, error_class::transient, "it fell off the bus: drain and reboot the node"},
    {reset_required, error_class::transient, "reset it (nvidia-smi --gpu-reset), or reboot the node"},
    {version_mismatch, error_class::transient,
     "the driver was upgraded under this process: reload the kernel module or reboot, then start it anew"},
    {gpu_not_found, error_class::no_data, "the GPU is gone"},
};

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
    const char* text = library_.calls.error_text == nullptr ? nullptr : library_.calls.error_text(result_code);
    const auto known = std::find_if(std::begin(meanings), std::end(meanings),
                                    [result_code](const meaning& one) { return one.said == result_code; });
    const bool is_known = known != std::end(meanings);
    std::string message = format_text("{}: {} (NVML {})", doing, text == nullptr ? "unknown error" : text, result_code);
    if (is_known) message.append("; ").append(known->remedy);
    error out = fail(is_known ? known->kind : error_class::peer, std::move(message));
    out.service_code = std::to_string(result_code);
    return out;
}

result<void> driver::open() {
    if (library_.calls.init != nullptr) return {};
    auto loaded = load_();
    if (!loaded) return std::move(loaded).failure();
    library_ = *std::move(loaded);
    const code said = library_.calls.init();
    if (said == ok) return {};
    error why = failure(said, "the NVIDIA driver could not be opened");
    library_ = {};
    return why;
}

void driver::close() {
    if (library_.calls.init != nullptr) library_.calls.shutdown();
    library_ = {};
    list_ = nullptr;
}

result<void> driver::list(std::int64_t now_ms) {
    gpu_list gpu_list = list_gpus(library_.calls);
    if (gpu_list.said == uninitialized) {  // somebody shut NVML down more often than it was opened
        library_ = {};
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
    return {};
}

readings driver::measure(const quantity& quantity, const std::vector<wanted_gpu>& wanted) const {
    readings out;
    out.list = list_;
    chosen_gpus chosen = choose(*list_, wanted, quantity);
    out.missing = std::move(chosen.missing);
    out.values.reserve(chosen.all.size());
    for (const gpu* one : chosen.all) {
        double value = 0.0;
        const code said = one->problem == ok ? quantity.read(library_.calls, one->handle, value) : one->problem;
        if (said == ok) {
            out.values.push_back({one, value});
        } else {
            out.failures.push_back({one, said, failure(said, shown(*one))});
        }
    }
    return out;
}

result<readings> driver::read(const quantity& quantity, const std::vector<wanted_gpu>& wanted, std::int64_t now_ms) {
    const std::lock_guard hold(guard_);
    if (auto opened = open(); !opened) return std::move(opened).failure();
    const bool is_old = list_ == nullptr || now_ms - listed_ms_ >= list_again_ms || now_ms < listed_ms_;
    if (is_old) {
        if (auto listed = list(now_ms); !listed) return std::move(listed).failure();
    }
    readings out = measure(quantity, wanted);
    if (is_old || !any_stale(out)) return out;
    if (auto listed = list(now_ms); !listed) return std::move(listed).failure();
    return measure(quantity, wanted);
}

std::shared_ptr<driver> shared_driver() {
    static constinit process_wide<driver> drivers;
    return *drivers.get([] { return result<std::shared_ptr<driver>>(std::make_shared<driver>(&load_library)); });
}

}  // namespace gputide::source::nvml
