// Explains an endpoint's response by its status.

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "decide/trace/report.hpp"
#include "doctor/judge.hpp"
#include "source/known_metrics.hpp"

#include <algorithm>
#include <optional>

namespace gputide::doctor {

namespace {

// Returns the failed step with the message of the response's error.
step refused(const evidence& seen, std::string_view cause, std::string_view fix) {
    return broken(step_name::query, seen.fetched.why.message, cause, fix);
}

// Returns the role for reading; for a type without a fixed role, that of an Azure Monitor workspace.
source::azure_role role_for(const evidence& seen) {
    if (!seen.traits().role.name.empty()) return seen.traits().role;
    if (std::string_view(seen.host).starts_with("query."))
        return {"Monitoring Reader", "the scope of the x-ms-azure-scoping header"};
    return {"Monitoring Data Reader", "the Azure Monitor workspace"};
}

std::string assignee(const evidence& seen) {
    if (seen.claims && !seen.claims->object_id.empty()) return seen.claims->object_id;
    if (seen.claims && !seen.claims->client.empty()) return seen.claims->client;
    return seen.client.empty() ? "<client id>" : seen.client;
}

step not_granted(const evidence& seen) {
    step out =
        refused(seen,
                "The API server knows the user, but no role allows it to read these metrics: get and list on the "
                "resource named above.",
                "Give the service account (or the kubeconfig's user) a role with these rights; `kubectl auth "
                "can-i list pods.metrics.k8s.io` and similar commands show whether it has them.");
    out.paste =
        "kubectl create clusterrole read-metrics --verb=get,list --resource=pods.metrics.k8s.io\n"
        "kubectl create clusterrolebinding read-metrics --clusterrole=read-metrics "
        "--serviceaccount=<namespace>:<name>\n";
    return out;
}

// Returns "; it asks to wait 30s", or "" without a Retry-After.
std::string wait_text(const error& why) {
    return why.retry_after_ms > 0 ? "; the server asks to wait " + about_duration(why.retry_after_ms) : "";
}

step forbidden(const evidence& seen) {
    if (seen.traits().is_granted_by_cluster) return not_granted(seen);
    if (!seen.with_credential) {
        return refused(
            seen,
            "The trigger sends no credential, and the server rejects requests without a credential, or from this "
            "machine.",
            format_text(
                "Give the trigger a credential (authModes with authenticationRef), or allow this machine to access {}.",
                seen.host));
    }
    if (!seen.of_azure) {
        return refused(
            seen, "The server accepts the credentials, but they do not allow reading metrics.",
            format_text("Grant the user or token of this trigger the right to read metrics on {}.", seen.host));
    }
    const source::azure_role needs = role_for(seen);
    const std::string known = assignee(seen);
    step out = broken(
        step_name::query,
        format_text("HTTP {}: the token is valid, but a role is missing", seen.fetched.why.http_status),
        format_text("The identity {} does not have the role {} on {}. (Owner and Contributor do not include it. A new "
                    "assignment takes up to an hour to take effect, and a token from before may be used until it "
                    "expires.) The service says: {}",
                    known, needs.name, needs.scope, seen.fetched.why.message),
        format_text("Assign {} on {}, not on the cluster; for Managed Prometheus its id is the Azure Monitor "
                    "workspace's, shown by `az monitor account list`.",
                    needs.name, needs.scope));
    out.paste =
        format_text("az role assignment create --role \"{}\" \\\n  --assignee {} \\\n  --scope <resource id of {}>\n",
                    needs.name, known == "<client id>" ? known : shell_word(known),
                    needs.scope.substr(needs.scope.starts_with("the ") ? 4 : 0));
    return out;
}

step not_let_in(const evidence& seen) {
    if (!seen.with_credential) {
        return refused(
            seen, "The endpoint requires a credential, and the trigger has none.",
            "Give the trigger an authenticationRef: podIdentity azure-workload for Azure Managed Prometheus, or "
            "authModes with a TriggerAuthentication.");
    }
    if (!seen.of_azure) {
        return refused(
            seen, "The endpoint does not accept these credentials: they are mistyped, expired, or for another server.",
            "Compare the Secret behind the TriggerAuthentication with what the endpoint expects, and check that "
            "authModes matches the type of credential (bearer, basic, custom).");
    }
    return refused(seen,
                   format_text("The endpoint rejects a token that the identity service has just issued: its audience{} "
                               "belongs to another API or cloud, or the workspace is in another tenant.",
                               seen.claims ? format_text(" ({})", seen.claims->audience) : std::string()),
                   "Check serverAddress (the workspace's query endpoint) and `cloud` in the trigger's metadata.");
}

step rejected(const evidence& seen) {
    if (seen.fetched.why.error_class == error_class::unencrypted) {
        return refused(
            seen, "The address begins with http, but its port requires TLS.",
            "Write https:// in the trigger's address; for a private CA, set `ca` in a TriggerAuthentication.");
    }
    if (seen.fetched.why.http_status == 404 && seen.traits().is_granted_by_cluster) {
        step out =
            refused(seen,
                    "The adapter behind this metrics API does not know the metric, or no adapter serves the API. "
                    "An adapter serves only metrics that one of its rules creates from a series.",
                    "List the metrics that it serves, and add a rule for the series to the adapter's "
                    "configuration (prometheus-adapter: rules, with seriesQuery and resources):");
        out.paste =
            "kubectl get --raw /apis/custom.metrics.k8s.io/v1beta1\nkubectl get --raw "
            "/apis/external.metrics.k8s.io/v1beta1\n";
        return out;
    }
    if (seen.fetched.why.http_status == 404) {
        return refused(seen, "The host responds, but does not have this path.",
                       "serverAddress is the address in front of /api/v1/query: keep a prefix such as "
                       "/prometheus, but omit /graph and /api/v1/query itself.");
    }
    return refused(seen, "The server does not accept the query as it is written.",
                   format_text("Try it by hand: `promtool query instant <address> '{}'`, or the server's own web page. "
                               "In YAML, put the query into quotes, so that its own quotes and braces are kept.",
                               seen.described.asks));
}

// Failures with a cause and a fix that depend only on the status.
struct failure_row {
    gputide::status status;
    const char* cause;
    const char* fix;
};

constexpr std::array failures = {
    failure_row{status::timeout, "The server is slow, or the query is expensive.",
                "Time it with `curl -w '%{time_total}'`; make the query cheaper with a recording rule, or raise "
                "`timeout` in the trigger's metadata."},
    failure_row{status::limit, "The query returns far more data than one number needs.",
                "Aggregate in the query, such as avg(...), or use a narrower selector."},
    failure_row{status::protocol,
                "The response is not from the metrics API: a sign-in page, a proxy or the server's web page may have "
                "answered.",
                "Check the address above with `curl -i`, and correct serverAddress."},
    failure_row{status::unavailable, "The server, or the proxy in front of it, is not ready.",
                "Check the server's state and log, then try again."},
    failure_row{status::partial, "A part of the expected responses is missing.",
                "Repair the missing part, or accept partial results: gputide.io/accept-partial: \"true\"."},
};

step failed(const evidence& seen) {
    const error& why = seen.fetched.why;
    switch (why.status) {
        case status::auth:
            return not_let_in(seen);
        case status::forbidden:
            return forbidden(seen);
        case status::rejected:
            return rejected(seen);
        case status::throttled:
            return broken(step_name::query, why.message + wait_text(why),
                          "Too many queries from all clients of this endpoint.",
                          "Raise pollingInterval and gputide.io/sync-period, or the server's limit.");
        case status::security:
            if (why.error_class != error_class::redirect) {
                return refused(seen, "The credential was not sent, because that would have been unsafe.",
                               "Change the address or allow it, as described above.");
            }
            return refused(seen, "Following the redirect would have sent the credential to another server.",
                           "Give the final https address; redirects are not followed.");
        case status::not_here:
            return refused(seen, "The trigger's source is not available on this machine.",
                           seen.traits().alternative_hint.empty() ? "Run this on a machine that has it."
                                                                  : seen.traits().alternative_hint);
        default:
            break;
    }
    for (const failure_row& row : failures) {
        if (row.status == why.status) return refused(seen, row.cause, row.fix);
    }
    return refused(seen, "The query could not be sent, or its response could not be used.",
                   "Correct the problem named above.");
}

step single_sample(const evidence& seen) {
    return doubtful(
        step_name::query, format_text("answered in {} ms, with a single sample of the driver", seen.took_ms),
        "The value is only the driver's last sample of 1/6 to 1 s: with a load in bursts it can be anything from 0 to "
        "100. The GPU has neither GPM (Hopper and newer) nor a buffer of samples for this user.",
        "Scale on power_average_watts or power_ratio, which cover the whole time between two polls.");
}

// Adds how a GPU's value was read, if the source says so.
void add_way(const sample& read, step& to) {
    const std::string_view way = read_by_name(read.read_by);
    if (way.empty()) return;
    to.add_detail("read_by", way);
    if (read.interval_ms <= 0) return;
    to.add_detail("interval_ms", read.interval_ms);
    if (to.verdict == verdict::ok) to.seen += format_text(", averaged over {}", format_duration_ms(read.interval_ms));
}

}  // namespace

step judge_query(const evidence& seen) {
    const source::fetched& fetched = seen.fetched;
    const std::vector<std::string>& warnings = fetched.reading.warnings;
    // A response without a usable value is for the following steps.
    const bool has_answer = answered(fetched.sample.state) || fetched.why.error_class == error_class::bad_type;
    const bool is_good =
        fetched.why.status == status::ok || (has_answer && fetched.sample.state != sample_state::partial);
    step out;
    if (!is_good) {
        out = failed(seen);
        if (fetched.why.http_status != 0) out.add_detail("http_status", fetched.why.http_status);
        if (!fetched.why.service_code.empty()) out.add_detail("code", fetched.why.service_code);
        for (const auto& field : fetched.why.fields) out.detail.push_back(field);
        if (fetched.why.retry_after_ms != 0) out.add_detail("retry_after_ms", fetched.why.retry_after_ms);
    } else if (fetched.sample.read_by == read_by::single_sample && !warnings.empty() && !fetched.reading.partial) {
        out = single_sample(seen);
    } else if (!warnings.empty()) {
        out = doubtful(step_name::query,
                       format_text("answered in {} ms, and warns: {}", seen.took_ms, listed(warnings, 3)),
                       "The server has a warning about the query.", "Follow the warning.");
    } else {
        out = passed(step_name::query, format_text("answered in {} ms", seen.took_ms));
    }
    out.add_detail("query", seen.described.asks);
    add_way(fetched.sample, out);
    return out;
}

// Explains values.

namespace {

const char* const other_signals =
    "Scale on a metric that grows with the load: DCGM_FI_PROF_GR_ENGINE_ACTIVE or DCGM_FI_PROF_SM_ACTIVE (0 to 1), or "
    "better the server's own queue: vllm:num_requests_waiting, nv_inference_pending_request_count (Triton), "
    "tgi_queue_size.";

bool is_utilization(const std::string& metric) {
    return source::is_device_utilization(metric) || lower(metric).find("util") != std::string::npos;
}

bool on_instances(const std::vector<source::series>& past) {
    return std::ranges::any_of(
        past, [](const source::series& series) { return !label_value(series.labels, "GPU_I_ID").empty(); });
}

step not_a_number(bool as_zero, const std::string& said) {
    const std::string text = as_zero ? "the query returns NaN or infinity, and ignoreNullValues turns it into 0" : said;
    const std::string cause =
        "A division by zero (0/0 while nothing runs or before the first count), or a source that reports NaN itself.";
    const std::string fix =
        "Avoid this case in the query: `a / (b > 0)` is empty instead of NaN, and `... or vector(0)` turns an empty "
        "result into 0.";
    if (!as_zero) return broken(step_name::value, text, cause, fix);
    step out = doubtful(
        step_name::value, text, cause + " The value 0 scales the workload down regardless of its load.",
        fix + " With ignoreNullValues: \"false\" it is an error that holds the size, and a fallback can apply.");
    out.add_detail("empty_as_zero", "true");
    return out;
}

step saturated(const std::string& metric, const std::string& text) {
    return doubtful(step_name::value, format_text("{}; every sample of {} in the last minutes is 100", text, metric),
                    "The metric is saturated: it shows that some kernel ran, not how much work waits. At 100 it cannot "
                    "show whether one or ten more replicas are needed.",
                    other_signals);
}

step of_instances(const std::string& metric, const std::string& text) {
    return doubtful(step_name::value,
                    format_text("{}; every sample of {} in the last minutes is 0, on MIG instances", text, metric),
                    "The driver does not report the utilization of MIG instances: the field stays 0.",
                    "Use DCGM_FI_PROF_GR_ENGINE_ACTIVE (0 to 1), which works with MIG.");
}

}  // namespace

step judge_value(const evidence& seen) {
    const sample& read = seen.fetched.sample;
    const std::string& said = seen.fetched.why.message;
    const background& behind = seen.behind;
    const bool as_zero = read.null_as_zero;
    if (read.state == sample_state::not_a_number || as_zero) return not_a_number(as_zero, said);
    if (read.state != sample_state::ok) {
        return broken(step_name::value, said, "The response contains no number that the trigger can use.",
                      "Change the query so that it returns one number: avg(...), max(...), histogram_quantile(...), "
                      "scalar(...).");
    }
    const std::string text = decide::shown(read.value);
    const std::string& metric = behind.metric;
    if (is_utilization(metric) && always(behind.past, 100.0)) return saturated(metric, text);
    if (is_utilization(metric) && on_instances(behind.past) && always(behind.past, 0.0))
        return of_instances(metric, text);
    if (std::optional<step> missed = judge_aliasing(metric, behind.past, behind.beside, text))
        return *std::move(missed);
    return passed(step_name::value, text);
}

step judge_activation(const evidence& seen) {
    const sample& read = seen.fetched.sample;
    const std::string number = decide::shown(read.value);
    const std::string target = shortest(read.target_milli != 0 ? static_cast<double>(read.target_milli) / 1000.0
                                                               : seen.described.target.threshold);
    const std::string above = shortest(seen.described.target.activation_threshold);
    const std::string share = seen.described.target.type == manifest::target_type::average_value ? " per replica" : "";
    step out = passed(step_name::activation, {});
    const char* after =
        seen.can_be_zero ? "; after cooldownPeriod the last replica is removed, as in KEDA" : "; the minimum is kept";
    if (seen.is_variable) {
        out.seen = format_text("{} is a variable of the formula; only the formula's result is compared", number);
        out.add_detail("value", number);
        return out;
    }
    if (seen.is_hpa) {
        out.seen = format_text("{}, target {}{}", number, target, share);
    } else if (read.activity != activity_word::none) {
        const bool active = read.activity == activity_word::active;
        out.seen = format_text("{}, as reported by the source{}; {}, target {}{}", active ? "active" : "not active",
                               active ? "" : after, number, target, share);
    } else if (read.value > seen.described.target.activation_threshold) {
        out.seen = format_text("active: {} > {}; target {}{}", number, above, target, share);
    } else {
        out.seen = format_text("not active: {} <= activationThreshold {}{}", number, above, after);
    }
    out.add_detail("value", number);
    if (read.activity == activity_word::none) out.add_detail("activation_threshold", above);
    out.add_detail("target", target);
    return out;
}

}  // namespace gputide::doctor
