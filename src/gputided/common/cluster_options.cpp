#include "common/cluster_options.hpp"

namespace gputided {
namespace {

constexpr const char* group = "A Kubernetes cluster";

}  // namespace

CLI::Option* add_cluster_flags(CLI::App& app, cluster_options& options, const char* what) {
    CLI::Option* whole = app.add_flag("--kubernetes", options.kubernetes, what);
    whole->group(group);
    add_to_cluster_flags(
        whole,
        {app.add_flag("--shadow", options.shadow, "write nothing, and tell where KEDA and the HPA do otherwise"),
         app.add_option("--namespace", options.namespaces, "only this one; repeatable; default: all"),
         app.add_option("--lease", options.lease, "NAME or NAMESPACE/NAME; instances with one Lease take turns")
             ->capture_default_str(),
         app.add_option("--shards", options.shards, "Leases over which instances share the ScaledObjects")
             ->check(CLI::Range(1, 256))
             ->capture_default_str(),
         app.add_option("--hpa-version", options.hpa_version,
                        "whose HPA rules hold for manifests that name none, such as 1.36; default: the cluster's"),
         app.add_option("--keda-version", options.keda_version,
                        "whose KEDA rules hold likewise, such as 2.20; default: the cluster's")});
    return whole;
}

void add_to_cluster_flags(CLI::Option* whole, const std::vector<CLI::Option*>& parts) {
    for (CLI::Option* one : parts) one->group(group)->needs(whole);
}

nlohmann::ordered_json cluster_settings(const cluster_options& options) {
    const std::size_t slash = options.lease.find('/');
    nlohmann::ordered_json lease{{"name", options.lease.substr(slash == std::string::npos ? 0 : slash + 1)}};
    if (slash != std::string::npos) lease["namespace"] = options.lease.substr(0, slash);
    nlohmann::ordered_json out{{"shadow", options.shadow}, {"shards", options.shards}, {"lease", lease}};
    if (!options.namespaces.empty()) out["namespaces"] = options.namespaces;
    if (!options.hpa_version.empty()) out["hpa_version"] = options.hpa_version;
    if (!options.keda_version.empty()) out["keda_version"] = options.keda_version;
    return out;
}

}  // namespace gputided
