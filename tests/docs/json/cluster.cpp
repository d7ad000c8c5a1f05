// A cluster that a runtime works on, of which json_test.py is the API server: one ScaledObject that is scaled, one with an error,
// a ScaledJob likewise, and in shadow an HPA that does otherwise.
#include "texts.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <set>
#include <thread>
#include <unistd.h>

namespace {

constexpr std::int32_t detach_timeout_ms = 5'000;
constexpr std::chrono::milliseconds old_ms(1'500);  // a description may be a second old

class kubeconfig {
  public:
    explicit kubeconfig(const surroundings& around) {
        const int file = ::mkstemp(path_.data());
        if (file < 0) throw std::runtime_error("cannot make a file for the kubeconfig");
        ::close(file);
        std::ofstream(path_.data()) << "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                                    << "clusters: [{name: c, cluster: {server: '" << around.cluster
                                    << "', certificate-authority: '" << around.ca_file << "'}}]\n"
                                    << "users: [{name: u, user: {}}]\n"
                                    << "contexts: [{name: c, context: {cluster: c, user: u, namespace: ml}}]\n";
    }
    ~kubeconfig() { ::unlink(path_.data()); }
    kubeconfig(const kubeconfig&) = delete;
    kubeconfig& operator=(const kubeconfig&) = delete;

    std::string path() const { return path_.data(); }

  private:
    std::array<char, 32> path_{"/tmp/gputide-docs-json.XXXXXX"};
};

// "write" of {"event":"write",...}.
std::string event_of(const std::string& report) {
    const std::size_t from = report.find(':') + 2;
    return report.substr(from, report.find('"', from) - from);
}

// Shows each kind of event once, until those that are awaited have come.
void show_events(gputide::runtime& on, std::set<std::string> awaited) {
    while (!awaited.empty()) {
        const auto event = on.next_event(timeout_ms);
        if (!event) throw std::runtime_error("the cluster told no " + *awaited.begin());
        if (!event->is_cluster()) continue;
        show("cluster_event", event->report);
        awaited.erase(event_of(event->report));
    }
}

}  // namespace

void show_cluster(const surroundings& around) {
    const kubeconfig config(around);
    const gputide::options options = gputide::options().kubeconfig(config.path(), "");
    show("cluster_doctor", gputide::doctor_cluster({}, options, timeout_ms).report);
    gputide::log_reader steps(GPUTIDE_LOG_INFO);
    show("cluster_handover",
         gputide::hand_over(R"({"namespace": "ml", "name": "llm", "to": "gputide"})", timeout_ms, options));
    while (const auto step = steps.next(0)) show("handover_step", step->text);
    gputide::runtime_options quick;
    quick.start_spread_ms(1);
    gputide::runtime acting(quick);
    acting.attach_cluster({}, options);
    acting.start();
    show_events(acting, {"added", "held", "lead", "write", "jobs_created", "jobs_deleted"});
    std::this_thread::sleep_for(old_ms);
    show("cluster_describe", acting.describe_cluster());
    acting.detach_cluster(detach_timeout_ms);
    show_events(acting, {"removed"});

    gputide::runtime watching(quick);
    watching.attach_cluster(R"({"shadow": true, "sync_s": 1})", options);
    watching.start();
    show_events(watching, {"difference", "jobs_wanted"});
    watching.detach_cluster(detach_timeout_ms);
}
