#include "pipeline/trigger.hpp"

#include "auth/machine/surroundings.hpp"
#include "auth/open.hpp"

#include <utility>

namespace gputide::pipeline {

result<opened_trigger> open_trigger(const std::vector<config::text_file>& files, const host_options& host,
                                    const engine& shared) {
    config::report findings;
    auto loaded = config::load_trigger(files, surroundings_of(host), &findings);
    if (!loaded) return std::move(loaded).failure();
    const config::profile profile = host.strict ? config::profile::strict : config::profile::standard;
    auto described = source::describe(*loaded, loaded->rules, profile, &findings);
    if (!described) {
        error why = std::move(described).failure();
        why.message = config::without_values(why.message, findings.values);
        return why;
    }
    auto opened = source::open(*described, services_of(host, shared));
    if (!opened) return std::move(opened).failure();
    return opened_trigger{*std::move(opened), source::describe_json(*described, findings)};
}

result<std::shared_ptr<auth::credential>> open_credential(const std::vector<config::text_file>& files,
                                                          const host_options& host) {
    result<config::authentication> identity = config::load_identity(files, surroundings_of(host), nullptr);
    if (!identity) return std::move(identity).failure();
    return auth::open_identity(*identity, host.permissions, auth::process_surroundings());
}

}  // namespace gputide::pipeline
