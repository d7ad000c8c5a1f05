// The trigger type amd: the settings of nvml, with AMD SMI as the driver.
#include "source/gpu/amd/amd.hpp"

#include "base/process.hpp"
#include "source/gpu/nvml.hpp"

#include <memory>
#include <utility>

namespace gputide::source::amd {
namespace {

result<nvml::library> load_adapted() {
    auto loaded = load_library();
    if (!loaded) return loaded.take_failure();
    return adapted(*std::move(loaded));
}

// Returns the process's reader, which exists from the first open trigger to the last.
std::shared_ptr<nvml::reader> amd_reader() {
    static constinit process_wide<nvml::reader> readers;
    return *readers.get([] {
        return result<std::shared_ptr<nvml::reader>>(
            std::make_shared<nvml::reader>(std::make_shared<nvml::driver>(&load_adapted), vendor));
    });
}

}  // namespace

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules, manifest::profile,
                             text::report*) {
    return nvml::describe_gpus(trigger, rules, vendor);
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    return nvml::open_on(&amd_reader, described, services);
}

}  // namespace gputide::source::amd
