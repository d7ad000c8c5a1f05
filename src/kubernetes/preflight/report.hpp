// A diagnosis of a cluster as a value, as JSON for a program and as lines for a person.  Pure.
#pragma once

#include "doctor/step.hpp"
#include "kubernetes/api/version_found.hpp"
#include "kubernetes/preflight/rights.hpp"

#include <string>
#include <vector>

namespace gputide::doctor {

struct asked_right {
    kubernetes::right what;
    bool is_allowed = false;
    std::string reason;     // the server's
    error why{status::ok};  // status ok: it was answered
};

struct cluster_report {
    std::string server;  // "": none is named
    kubernetes::settings settings;
    kubernetes::found_versions versions;
    std::string user;        // as the server calls the caller
    std::string name_space;  // the caller's own
    std::vector<step> steps;
    std::vector<asked_right> rights;
};

verdict worst_of(const cluster_report& cluster_report);

// {"server","version","versions":{"hpa":{},"keda":{}},"user","namespace","shadow","verdict","conclusion","steps":[...],"rights":[{"use","group","resource",
// "verb","namespace","name","allowed","needed","reason"}]}
std::string report_json(const cluster_report& cluster_report);

// The conclusion first, then the steps, then cause and fix of every step that is not well.
std::string report_lines(const cluster_report& cluster_report);

}  // namespace gputide::doctor
