#include "run/run.hpp"

#include "common/exit_status.hpp"
#include "common/log.hpp"
#include "run/daemon.hpp"
#include "run/kubernetes/cluster_daemon.hpp"
#include "run/output.hpp"
#include "run/pages/page_access.hpp"
#include "run/pages/web.hpp"
#include "run/signals.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace gputided {
namespace {

void log_listener(const web_server& server, const std::string& address, const page_access& access) {
    log_line("listening on " + server.place());
    if (server.from() != origin::network || access.has_token()) return;
    log_line("--listen " + address +
             ": other machines reach this address, so that it serves /metrics, /healthz and /readyz alone; "
             "--listen-token-file FILE opens the other pages to requests with its token, and a further --listen "
             "127.0.0.1:PORT or unix:/PATH to this machine");
}

// Runs the daemon with its pages until a stop is requested.
template <class Daemon>
int run_with_pages(const run_options& options, Daemon& daemon) {
    const page_access access(options.listen_token_file);
    const auto answer = [&](web_request request) {
        request.has_login = access.has_login(request);
        return is_open_page(request) || access.may_read(request) ? daemon.answer(request) : login_page(access);
    };
    std::deque<web_server> servers;
    for (const std::string& address : options.listen) {
        if (address.empty()) continue;
        servers.emplace_back(address, answer);
        log_listener(servers.back(), address, access);
    }
    std::optional<web_server> health;
    if (!options.health_listen.empty()) {
        health.emplace(options.health_listen, [&](const web_request& request) { return daemon.health(request); });
        log_line("listening for /healthz and /readyz on " + health->place());
    }
    daemon.run();
    return done;
}

int run(const run_options& options) {
    signals signals;
    run_output output;
    const library_log lines_of_library;
    if (options.cluster.kubernetes) {
        cluster_daemon daemon(options, signals, output);
        return run_with_pages(options, daemon);
    }
    scaling_daemon daemon(options, signals, output, start_files(options));
    return run_with_pages(options, daemon);
}

// "": it is NAME=NAMESPACE.  Which names there are is the library's to judge.
std::string why_not_a_grant(const std::string& text) {
    const std::size_t equals = text.find('=');
    const bool is_pair = equals != std::string::npos && equals > 0 && equals + 1 < text.size();
    return is_pair ? "" : "expected NAME=NAMESPACE, such as programs=ml, got " + text;
}

void add_kubernetes_flags(CLI::App& app, run_options& options) {
    CLI::Option* whole = add_cluster_flags(
        app, options.cluster, "instead of -f: the ScaledObjects of a cluster, written to it while a Lease is held");
    add_to_cluster_flags(
        whole,
        {app.add_option("--selector", options.selector, "only ScaledObjects with these labels, such as team=llm"),
         app.add_option("--lease-s", options.lease_s, "how long a Lease holds that nobody renews")
             ->check(CLI::Range(3, 3600))
             ->capture_default_str(),
         app.add_option("--identity", options.identity, "of this instance; default: the machine's name and a number"),
         app.add_option("--owner", options.owner, "the value of the annotation gputide.io/owner that means this one")
             ->capture_default_str(),
         app.add_option("--allow-tenant", options.tenants,
                        "NAME=NAMESPACE ('*': all): let the manifests there do what NAME says in docs/security.md: "
                        "secrets_dir, programs, environment, foreign_metrics, loopback_tokens, kubelet; repeatable")
             ->check(CLI::Validator(&why_not_a_grant, "")),
         app.add_option("--cluster-secret-host", options.cluster_secret_hosts,
                        "the only host that may get a ClusterTriggerAuthentication's secret; repeatable; default: any, "
                        "as in KEDA")});
}

void add_listen_flags(CLI::App& app, run_options& options) {
    app.add_option(
           "--listen", options.listen,
           "HOST:PORT or unix:/PATH for the pages; repeatable; \"\": none. An address that other machines reach "
           "serves /metrics, /healthz and /readyz alone without --listen-token-file")
        ->allow_extra_args(false)
        ->capture_default_str();
    app.add_option(
        "--listen-token-file", options.listen_token_file,
        "file with the bearer token that every other page needs then, on loopback too; a Unix socket needs none");
    app.add_option("--health-listen", options.health_listen,
                   "HOST:PORT for /healthz and /readyz alone, where /metrics is not for every reader either");
    app.add_option(
        "--allow-host", options.hosts,
        "a further name that the pages answer to, as a Service's; repeatable; they always answer to localhost, this "
        "machine's name and addresses");
}

void add_flags(CLI::App& app, run_options& options) {
    add_manifest_flags(app, options.shared);
    CLI::Option* files = app.get_option("--file")->required(false);
    add_kubernetes_flags(app, options);
    CLI::Option* dry = app.add_flag("--dry-run", options.dry_run, "decide and print, write nothing");
    CLI::Option* exec = app.add_option(
        "--exec", options.exec,
        "command for sh -c that writes a replica count; gets GPUTIDE_NAMESPACE, GPUTIDE_NAME (the scaler's), "
        "GPUTIDE_TARGET (kind/name of what it scales), GPUTIDE_CURRENT and GPUTIDE_DESIRED in its environment and the "
        "decision on its stdin; exit status 0: written");
    app.add_option("--observe", options.observe,
                   "command for sh -c that prints the replica count, or {\"spec\":N,\"status\":N,\"ready\":N}, before "
                   "each tick; without it the last written count is taken");
    add_count(app, "--current", options.current,
              "replicas at the start, where neither --observe nor --state tells; default: 1");
    add_listen_flags(app, options);
    add_choice<log_scope>(app, "--log", options.log, {{"changes", log_scope::changes}, {"all", log_scope::all}},
                          "changes: the decisions that differ from the one before; all: each, as replay --verify needs")
        ->default_str("changes");
    add_choice<log_form>(app, "--log-form", options.log_form,
                         {{"full", log_form::full}, {"compact", log_form::compact}},
                         "full: with the whole reason; compact: counts, limit and values alone")
        ->default_str("full");
    app.add_option("--state", options.state, "file that keeps windows, cooldowns and the last count over a restart");
    add_milliseconds(app, "--timeout-ms", options.timeout_ms, "for the tokens and queries of one tick");
    add_milliseconds(app, "--child-timeout-ms", options.child_timeout_ms, "for one --exec or --observe");
    app.add_option("--max-children", options.most_children, "--exec and --observe commands at a time, over all scalers")
        ->check(CLI::Range(1, 256))
        ->type_name("N")
        ->capture_default_str();
    add_trust_flags(app, options.shared);
    const CLI::Option* whole = app.get_option("--kubernetes");
    app.parse_complete_callback([dry, exec, files, whole] {
        if (files->empty() == whole->empty())
            throw CLI::ValidationError("one of --file and --kubernetes is needed, and one alone");
        if (!whole->empty() && !(dry->empty() && exec->empty())) {
            throw CLI::ValidationError("--kubernetes writes by itself, without --exec; --shadow writes nothing");
        }
        if (whole->empty() && dry->empty() == exec->empty()) {
            throw CLI::ValidationError("one of --dry-run and --exec is needed, and one alone");
        }
    });
}

}  // namespace

void add_run(subcommands& commands) {
    commands.add("run", "Long-running: poll, decide, write; one JSON line per change of a decision on stdout",
                 "gputided run -f so.yaml --observe 'curl -fsS http://fleet/scale' \\\n"
                 "      --exec 'curl -fsS -X PUT -d \"{\\\"replicas\\\": $GPUTIDE_DESIRED}\" http://fleet/scale'\n"
                 "Signals: SIGTERM and SIGINT end it, SIGHUP reads the manifests again.",
                 &run, &add_flags);
}

}  // namespace gputided
