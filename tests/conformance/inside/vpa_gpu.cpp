// vpa-recommend: GPU counts with their machines, and MIG profiles.
#include "inside/vpa_json.hpp"
#include "rightsize/gpu.hpp"

#include <deque>

namespace conformance::vpa_gpu {
namespace {

using namespace gputide::rightsize;

workload workload_of(const json& input) {
    workload out;
    out.gpus = input.value("gpus", 1);
    out.need = {static_cast<amount>(input.at("mem_target").get<double>()), input.at("util_target").get<double>()};
    out.goal_util_percent = input.value("goal_util", 80.0);
    out.replicated = input.value("replicated", true);
    out.splittable = input.value("splittable", false);
    out.min_gpus = input.value("min_gpus", 0);
    out.max_gpus = input.value("max_gpus", 0);
    return out;
}

std::vector<sku> machines_of(const json& list) {
    std::vector<sku> out;
    for (const json& one : list) {
        sku& to = out.emplace_back();
        to.name = one.at("name").get<std::string>();
        to.gpu_memory_bytes = static_cast<amount>(one.at("gpu_memory").get<double>());
        to.gpus = one.value("gpus", 1.0);
        if (one.contains("price")) to.price_per_hour = one.at("price").get<double>();
        to.speed = one.value("perf", 1.0);
    }
    return out;
}

differences check_machines(const json& one, const json&) {
    const json& input = one.at("input");
    const std::vector<sku> machines = machines_of(input.at("skus"));
    const std::vector<sku_fit> found = fitting(machines, workload_of(input));
    json got = {{"sku", nullptr}};
    if (!found.empty()) {
        const sku_fit& best = found.front();
        got = {{"sku", best.machine->name},
               {"gpus", best.gpus},
               {"nodes", best.nodes},
               {"bound_by", bound_by_name(best.bound)},
               {"uncapped", best.uncapped_gpus}};
        if (best.price_per_hour) got["price"] = *best.price_per_hour;
    }
    return vpa_compared(one, got);
}

differences check_profile(const json& one, const json&) {
    const json& input = one.at("input");
    std::deque<std::string> names;
    std::vector<mig_profile> profiles;
    for (const json& each : input.at("profiles"))
        profiles.push_back({names.emplace_back(each.at("name").get<std::string>()),
                            static_cast<amount>(each.at("memory").get<double>()), each.at("sm").get<std::int32_t>(),
                            each.at("per_gpu").get<std::int32_t>()});
    const workload load = workload_of(input);
    const mig_profile* found =
        smallest_profile(profiles, load.need, load.goal_util_percent, input.value("sm_total", slices_per_gpu));
    json got = {{"profile", nullptr}, {"per_gpu", 1}};
    if (found != nullptr) got = {{"profile", found->name}, {"per_gpu", found->per_gpu}};
    return vpa_compared(one, got);
}

const registration machines{"vpa-recommend", {"gpu_rightsize"}, &check_machines};
const registration profiles{"vpa-recommend", {"mig_fit"}, &check_profile};

}  // namespace
}  // namespace conformance::vpa_gpu
