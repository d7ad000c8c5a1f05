#include "runtime/trigger.hpp"

#include "auth/machine/surroundings.hpp"
#include "auth/open.hpp"

#include <utility>

namespace gputide::runtime {

result<std::shared_ptr<source::metric_source>> open_trigger(const std::vector<config::text_file>& files,
                                                            const host_options& host, const engine& shared) {
    auto loaded = config::load_trigger(files, surroundings_of(host), nullptr);
    if (!loaded) return std::move(loaded).failure();
    const config::profile as = host.strict ? config::profile::strict : config::profile::standard;
    return source::open(*loaded, loaded->rules, as, services_of(host, shared), nullptr);
}

result<std::shared_ptr<auth::credential>> open_credential(const std::vector<config::text_file>& files,
                                                          const host_options& host) {
    result<config::authentication> identity = config::load_identity(files, surroundings_of(host), nullptr);
    if (!identity) return std::move(identity).failure();
    return auth::open_identity(*identity, host.permissions, auth::process_surroundings());
}

}  // namespace gputide::runtime
