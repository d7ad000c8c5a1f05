// Triggers and a pod of a cluster for the tests of the kubernetes source.
#pragma once

#include "manifest/spec.hpp"
#include "source/kubernetes/kubernetes.hpp"
#include "unit/auth/fake_surroundings.hpp"
#include "unit/kube/support.hpp"

#include <map>
#include <memory>
#include <string>

namespace gputide::testing {

using metadata = std::map<std::string, std::string>;
namespace k8s = source::kubernetes;

// `more` adds and replaces keys; an empty value counts as absent.
inline manifest::trigger kubernetes_trigger(const metadata& more = {}) {
    manifest::trigger out;
    out.type = "kubernetes";
    out.name_space = "ml";
    out.metadata = {{"api", "external"}, {"metric", "queue"}, {"threshold", "5"}};
    for (const auto& [key, value] : more) out.metadata[key] = value;
    return out;
}

inline const std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount/";

inline std::shared_ptr<test::fake_surroundings> cluster_pod() {
    auto out = std::make_shared<test::fake_surroundings>();
    out->variables = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
    out->files = {{service_account + "token", "first-token\n"},
                  {service_account + "ca.crt", "-----BEGIN CERTIFICATE-----\n"},
                  {service_account + "namespace", "own"}};
    return out;
}

}  // namespace gputide::testing
