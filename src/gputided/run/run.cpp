#include "run/run.hpp"

#include "run/output.hpp"
#include "run/pages/pages.hpp"

namespace gputided {

namespace {

int run(const run_options& options) {
    signals signals;
    run_output output(options);
    const library_log lines_of_library(
        [&output](const char* line, log_level level) { output.gather_line(line, level); });
    const auto open = options.cluster.kubernetes ? &open_cluster_daemon : &open_scaling_daemon;
    open(options, signals, output)->run_with_pages();
    return done;
}

// Returns "" for NAME=NAMESPACE, otherwise the error; the library validates the name.
std::string why_not_a_grant(const std::string& text) {
    const std::size_t equals = text.find('=');
    const bool is_pair = equals != std::string::npos && equals > 0 && equals + 1 < text.size();
    return is_pair ? "" : "expected NAME=NAMESPACE, such as programs=ml, got " + text;
}

void add_kubernetes_options(CLI::App& app, run_options& options) {
    option_list add =
        add_cluster_options(app, options.cluster,
                            "instead of -f: the ScaledObjects of a cluster, written while this instance holds a Lease");
    add("--selector LABELS", options.selector, "only ScaledObjects with these labels, such as team=llm");
    add("--lease-s S", options.lease_s, "duration of a Lease in seconds, without a renewal").range(3, 3600);
    add("--identity NAME", options.identity, "name of this instance; default: the machine's name and a number");
    add("--owner NAME", options.owner, "the value of the annotation gputide.io/owner for this instance");
    add("--allow-tenant NAME=NAMESPACE", options.tenants,
        "NAME=NAMESPACE ('*': all): a permission of docs/security.md for the manifests there: secrets_dir, "
        "programs, environment, foreign_metrics, loopback_tokens, kubelet; repeatable")
        .checked(why_not_a_grant);
    add("--cluster-secret-host HOST", options.cluster_secret_hosts,
        "the only host that may get a ClusterTriggerAuthentication's secret; repeatable; default: any, as in KEDA");
    add("--ask-back", options.ask_back,
        "do not request replicas that get no node; request them again after --start-delay-s");
    add("--start-delay-s S", options.start_delay_s, "a pod that waits longer for a node gets none").range(1, 86'400);
}

void add_write_options(CLI::App& app, run_options& options) {
    option_list add(app, "Reading and writing replicas");
    add("--dry-run", options.dry_run, "decide and print, write nothing");
    add("--exec COMMAND", options.exec,
        "command for sh -c that writes a replica count; gets GPUTIDE_NAMESPACE, GPUTIDE_NAME (the "
        "scaler's), GPUTIDE_TARGET (kind/name of its target), GPUTIDE_CURRENT and GPUTIDE_DESIRED in its "
        "environment and the decision on its stdin; exit status 0: written");
    add("--observe COMMAND", options.observe,
        "command for sh -c that prints the replica count, or {\"spec\":N,\"status\":N,\"ready\":N}, before "
        "each tick; default: the last written count");
    add("--current N", options.current, "replicas at the start without --observe and --state; default: 1").range(0);
    add("--state FILE", options.state, "file that keeps windows, cooldowns and the last count over a restart");
    add_timeout(add, options.timeout_ms, "for the tokens and queries of one tick");
    add("--child-timeout-ms MS", options.child_timeout_ms, "for one --exec or --observe").range(1);
    add("--max-children N", options.max_children, "--exec and --observe commands at a time, over all scalers")
        .range(1, 256);
}

void add_output_options(CLI::App& app, run_options& options) {
    option_list add(app, "Output and pages");
    add("-o,--output", options.shared.output,
        "json: also print an error at the start as JSON on stdout; decisions are always JSON")
        .one_of({"text", "json"});
    add("--log", options.log,
        "changes: decisions that differ from the last one; all: each decision, as replay --verify needs")
        .one_of({"all", "changes"});
    add("--log-form", options.log_form, "full: with all reasons; compact: only counts, limit and values")
        .one_of({"compact", "full"});
    add("--listen ADDRESS", options.listen,
        "HOST:PORT or unix:/PATH for the pages; repeatable; \"\": none. An address that other machines "
        "reach serves only /metrics, /healthz and /readyz without --listen-token-file")
        .single();
    add("--listen-token-file FILE", options.listen_token_file,
        "file with a bearer token, which all other pages then require, also on loopback; a Unix socket needs none");
    add("--audit-log FILE", options.audit_log,
        "file to which a line of JSON is appended for each write and each change of the configuration");
    add("--audit-log-mib MIB", options.audit_log_mib,
        "size at which the audit log is renamed to FILE.1; FILE.1 to FILE.5 are kept")
        .range(1);
    add("--health-listen HOST:PORT", options.health_listen,
        "HOST:PORT only for /healthz and /readyz, if /metrics must not be public");
    add("--allow-host HOST", options.hosts,
        "another host name of the pages, such as a Service's; repeatable; localhost, this machine's name "
        "and its addresses are always accepted");
}

void check_options_fit(const run_options& options) {
    const bool kubernetes = options.cluster.kubernetes;
    check_files_or_cluster(options.shared, kubernetes);
    if (kubernetes && (options.dry_run || !options.exec.empty())) {
        throw CLI::ValidationError("--kubernetes writes by itself, without --exec; --shadow writes nothing");
    }
    if (!kubernetes && options.dry_run != options.exec.empty()) {
        throw CLI::ValidationError("give either --dry-run or --exec");
    }
}

}  // namespace

void add_run(subcommands& commands) {
    run_options& options =
        commands.add("run", "Long-running: poll, decide, write; one JSON line per change of a decision on stdout",
                     "gputided run -f so.yaml --observe 'curl -fsS http://fleet/scale' \\\n"
                     "    --exec 'curl -fsS -X PUT -d \"{\\\"replicas\\\": $GPUTIDE_DESIRED}\" http://fleet/scale'\n"
                     "# SIGTERM and SIGINT end it, SIGHUP reads the manifests again",
                     &run);
    CLI::App& app = commands.app();
    add_manifest_options(app, options.shared, false);
    add_kubernetes_options(app, options);
    add_write_options(app, options);
    add_output_options(app, options);
    add_trust_options(app, options.shared);
    app.parse_complete_callback([&options] { check_options_fit(options); });
}

}  // namespace gputided
