#include "support/nvml_library/script.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

namespace gputide::testing {
namespace {

using nlohmann::json;

void fill(fake_gpu& to, const json& from) {
    to.name = from.value("name", to.name);
    to.load = {from.value("period_ms", std::int64_t{0}) * 1'000, from.value("duty", 0.0)};
    to.busy = from.value("busy", 0U);
    to.total = from.value("memory_total", std::uint64_t{85'000'000'000});
    to.reserved = from.value("memory_reserved", std::uint64_t{600'000'000});
    to.used = from.value("memory_used", std::uint64_t{0});
    to.milliwatts = from.value("watts", 0U) * 1'000;
    to.idle_milliwatts = from.value("idle_watts", 0U) * 1'000;
    to.has_gpm = from.value("gpm", true);
    to.has_samples = from.value("samples", true);
    to.says = from.value("says", 0);
    to.gpm_says = from.value("gpm_says", 0);
    to.hangs_ms = from.value("hangs_ms", std::int64_t{0});
    const json processes = from.value("processes", json::array());
    for (const json& process : processes)
        to.processes.push_back(
            {process["pid"], process.value("memory", std::uint64_t{0}), process.value("share", 1.0)});
}

}  // namespace

void read_script(fake_nvml& into) {
    into.is_real_time = true;
    const char* path = std::getenv("GPUTIDE_NVML_SCRIPT");
    if (path == nullptr) return;
    std::ifstream file(path);
    const json script = json::parse(file);
    for (const json& gpu : script["gpus"]) {
        fake_gpu& to = into.add(gpu["uuid"]);
        fill(to, gpu);
        unsigned position = 0;
        const json instances = gpu.value("instances", json::array());
        for (const json& instance : instances)
            fill(into.add_instance(to, position++, instance["uuid"], instance["id"]), instance);
    }
}

}  // namespace gputide::testing
