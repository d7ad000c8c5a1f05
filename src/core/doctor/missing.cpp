// Finds why a query has no series, the most likely cause first: no scrape, unknown field, unknown label, unknown value.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "doctor/judge.hpp"
#include "source/known_metrics.hpp"

#include <algorithm>

namespace gputide::doctor {
namespace {

constexpr std::size_t max_shown = 5;

bool is_dcgm(const std::string& metric) { return metric.compare(0, 8, "DCGM_FI_") == 0; }

step target_down(const selection& selection) {
    return broken(step_name::series,
                  format_text("no series {}, and Prometheus cannot reach {} (up == 0)", selection.metric,
                              listed(selection.targets_down, 3)),
                  "The exporter is stopped, its pod is not running, or its port or network policy changed. Its series "
                  "end at the first failed scrape.",
                  "Open /targets of Prometheus to see the scrape error, then check the exporter: `kubectl get pods -A "
                  "-o wide | grep dcgm`.");
}

step misspelled(const selection& selection, const std::string& near) {
    step out = broken(step_name::series, "no series has the name " + selection.metric,
                      format_text("There is a metric {}, so the name is probably misspelled.", near),
                      format_text("Write {}.", near));
    if (is_dcgm(selection.metric)) {
        out.fix += " If it is a different field: add it to the counters file of dcgm-exporter (-f).";
    }
    return out;
}

step not_served(const selection& selection) {
    const bool dcgm = is_dcgm(selection.metric);
    const bool others = !selection.metrics_alike.empty();
    step out = broken(step_name::series,
                      format_text("no series {}{}", selection.metric,
                                  others ? "; there are " + listed(selection.metrics_alike, max_shown) : std::string()),
                      {}, {});
    if (!dcgm) {
        out.cause =
            "No scrape target serves this metric: its server is not scraped, or this release of the server has another "
            "name for it.";
        out.fix =
            "Check the name on the server's /metrics page, and whether the server is listed on Prometheus' /targets.";
    } else if (others) {
        out.cause = selection.metric +
                    " is not in the exporter's counters file: the exporter serves only the fields in that file.";
        const bool profiling = selection.metric.find("_PROF_") != std::string::npos;
        out.fix =
            std::string(
                "Add this line to the file of dcgm-exporter's option -f (in the Helm chart: key `metrics` of the "
                "ConfigMap) and restart the exporter") +
            (profiling
                 ? "; a profiling field also needs a Volta or newer GPU, and the SYS_ADMIN capability for the exporter:"
                 : ":");
        out.paste = counters_line(selection.metric);
        if (out.paste.empty()) out.paste = format_text("{}, gauge, {}\n", selection.metric, selection.metric);
    } else {
        out.cause = "There is no DCGM metric at all: dcgm-exporter does not run, or is not scraped.";
        out.fix =
            "Install dcgm-exporter on the GPU nodes and scrape it (PodMonitor, ServiceMonitor, or on AKS "
            "ama-metrics-prometheus-config). Check it with `curl http://<exporter>:9400/metrics` and on Prometheus' "
            "/targets.";
    }
    return out;
}

step label_not_there(const selection& selection, const matcher& matcher, source::inquiry inquiry) {
    const std::vector<std::string> names = label_names(selection.nearby);
    step out = broken(
        step_name::series,
        format_text("the query selects label {}, which none of the {}{} has", matcher.label,
                    counted(selection.nearby.size(), "series ", "series "), selection.metric),
        format_text("These series do not have the label {}; their labels are {}.{}", matcher.label, listed(names, 20),
                    matcher.label == "deployment"
                        ? " dcgm-exporter knows which pod uses a GPU, but not which Deployment owns the pod."
                        : ""),
        {});
    const std::string exported = "exported_" + matcher.label;
    const bool renamed = std::ranges::find(names, exported) != names.end();
    if (renamed) {
        out.fix = format_text(
            "Select {} instead: Prometheus renames a scraped label that conflicts with one of its own labels "
            "(honorLabels: false).",
            exported);
        return out;
    }
    const bool is_of_exporter = inquiry != source::inquiry::query || is_dcgm(selection.metric);
    const bool is_pod_label = matcher.label == "pod" || matcher.label == "namespace" || matcher.label == "container";
    if (is_of_exporter && (is_pod_label || inquiry != source::inquiry::query)) {
        out.fix = is_pod_label ? "Start the exporter with --kubernetes (DCGM_EXPORTER_KUBERNETES=true): without it no "
                                 "series has pod labels. With it, only GPUs that are assigned to a pod have them."
                               : "Select by a label that the series have.";
        return out;
    }
    out.paste = relabelling(matcher.label, matcher.value, selection.nearby);
    out.fix = out.paste.empty() ? "Select by a label that the series have, or add this label in the target's scrape "
                                  "configuration (metric_relabel_configs)."
                                : "Create the label from an existing one in the exporter's scrape configuration (on "
                                  "AKS in ama-metrics-prometheus-config, or as metricRelabelings of the PodMonitor):";
    return out;
}

step value_not_there(const selection& selection, const matcher& wanted) {
    const std::vector<std::string> values = label_values(selection.nearby, wanted.label);
    const std::string near = std::string(nearest(wanted.value, {values.begin(), values.end()}));
    step out = broken(
        step_name::series,
        format_text("no series {} has {}; {} is {}", selection.metric, wanted.text(), wanted.label,
                    listed(values, max_shown)),
        is_dcgm(selection.metric) ? "None of its running pods uses a GPU at the moment, or the value is misspelled."
                                  : "No scraped series has this value at the moment, or the value is misspelled.",
        is_dcgm(selection.metric) ? "If the workload is scaled to zero, this is normal. Otherwise correct the value in "
                                    "the query, or find out why its pods use no GPU (`kubectl get pods -o wide`)."
                                  : "Write a value that the series have. If the workload serves the metric itself and "
                                    "is scaled to zero, this is normal.");
    const std::string exported = "exported_" + wanted.label;
    match_budget budget;
    const auto is_exported = [&](const source::labels& series) {
        return wanted.sign[0] == '=' && matcher{wanted.label, wanted.sign, wanted.value, wanted.pattern}.takes(
                                            {{wanted.label, std::string(label_value(series, exported))}}, budget);
    };
    if (std::ranges::any_of(selection.nearby, is_exported)) {
        out.cause = format_text(
            "The label {} is the exporter's own here, and {} is the workload's: Prometheus renames a scraped label "
            "that conflicts with one of its own labels (honorLabels: false).",
            wanted.label, exported);
        out.fix =
            format_text("Select {} instead of {}, or set honorLabels: true in the exporter's scrape configuration.",
                        exported, wanted.label);
    } else if (!near.empty()) {
        out.cause = format_text("There is {}=\"{}\": the value is misspelled.", wanted.label, near);
        out.fix = format_text("Write {} in the query.", near);
    }
    return out;
}

// Returns the form in which names are compared: lower case, '_' for ':'.
std::string plain(std::string_view name) {
    std::string out = lower(name);
    std::replace(out.begin(), out.end(), ':', '_');
    return out;
}

std::string nearest_metric(const selection& of) {
    const auto same = std::ranges::find_if(of.metrics_alike,
                                           [&of](const std::string& name) { return plain(name) == plain(of.metric); });
    if (same != of.metrics_alike.end()) return *same;
    return std::string(nearest(of.metric, {of.metrics_alike.begin(), of.metrics_alike.end()}));
}

bool has_label(const std::vector<source::labels>& series, const std::string& label) {
    return std::ranges::any_of(series,
                               [&label](const source::labels& labels) { return !label_value(labels, label).empty(); });
}

}  // namespace

step why_missing(const selection& selection, source::inquiry inquiry) {
    if (!selection.nearby.empty()) {
        match_budget budget;
        for (const matcher& matcher : selection.matchers) {
            if (matcher.sign[0] == '=' && !has_label(selection.nearby, matcher.label))
                return label_not_there(selection, matcher, inquiry);
        }
        for (const matcher& matcher : selection.matchers) {
            const auto takes = [&](const source::labels& series) { return matcher.takes(series, budget); };
            if (std::ranges::none_of(selection.nearby, takes)) return value_not_there(selection, matcher);
        }
        return broken(
            step_name::series,
            format_text("each matcher of {} has series, but all matchers together have none", selection.text()),
            "The matchers exclude each other.", "Remove one of them.");
    }
    const std::string near = nearest_metric(selection);
    // A field's right name and a similar one are both in the list of DCGM's fields.
    if (!near.empty() && counters_line(selection.metric).empty()) return misspelled(selection, near);
    if (selection.metrics_alike.empty() && !selection.targets_down.empty()) return target_down(selection);
    return not_served(selection);
}

std::string relabelling(const std::string& label, const std::string& wanted,
                        const std::vector<source::labels>& series) {
    const std::string pod = has_label(series, "exported_pod") ? "exported_pod" : "pod";
    if (!has_label(series, pod)) return {};
    // The names of pods: <deployment>-<hash of the pod template>-<five characters>, <statefulset>-<number>, <daemonset>-<five
    // characters>.
    std::string pattern;
    if (label == "deployment" || label == "app" || label == "workload") pattern = "(.+)-[a-z0-9]+-[a-z0-9]{5}";
    if (label == "statefulset") pattern = "(.+)-[0-9]+";
    if (label == "daemonset") pattern = "(.+)-[a-z0-9]{5}";
    if (pattern.empty()) return {};
    const std::vector<std::string> pods = label_values(series, pod);
    const auto found = std::ranges::find_if(pods, [&wanted](const std::string& candidate) {
        return candidate.compare(0, wanted.size() + 1, wanted + "-") == 0;
    });
    const std::string& example = found == pods.end() ? pods.front() : *found;
    // A pod's name has no other characters; any other text must not get into a configuration.
    const bool is_name = example.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos;
    std::string out = format_text("metric_relabel_configs:\n- source_labels: [{}]", pod);
    out += (is_name ? "  # " + example : "") + "\n";
    out += format_text("  regex: '{}'\n  target_label: {}\n  replacement: '$1'\n", pattern, label);
    return out;
}

std::string counters_line(const std::string& metric) {
    struct field {
        std::string_view name, type, help;
    };
    // NVIDIA/dcgm-exporter etc/default-counters.csv and etc/dcp-metrics-included.csv.
    static constexpr field fields[] = {
        {"DCGM_FI_DEV_GPU_UTIL", "gauge", "GPU utilization (in %)."},
        {"DCGM_FI_DEV_MEM_COPY_UTIL", "gauge", "Memory utilization (in %)."},
        {"DCGM_FI_DEV_ENC_UTIL", "gauge", "Encoder utilization (in %)."},
        {"DCGM_FI_DEV_DEC_UTIL", "gauge", "Decoder utilization (in %)."},
        {"DCGM_FI_DEV_FB_USED", "gauge", "Framebuffer memory used (in MiB)."},
        {"DCGM_FI_DEV_FB_FREE", "gauge", "Framebuffer memory free (in MiB)."},
        {"DCGM_FI_DEV_FB_TOTAL", "gauge", "Framebuffer memory total (in MiB)."},
        {"DCGM_FI_DEV_FB_RESERVED", "gauge", "Framebuffer memory reserved (in MiB)."},
        {"DCGM_FI_DEV_FB_USED_PERCENT", "gauge", "Framebuffer memory used (0.0 to 1.0)."},
        {"DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (in C)."},
        {"DCGM_FI_DEV_MEMORY_TEMP", "gauge", "Memory temperature (in C)."},
        {"DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (in W)."},
        {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "Total energy consumption since boot (in mJ)."},
        {"DCGM_FI_DEV_SM_CLOCK", "gauge", "SM clock frequency (in MHz)."},
        {"DCGM_FI_DEV_MEM_CLOCK", "gauge", "Memory clock frequency (in MHz)."},
        {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gauge", "Ratio of time the graphics engine is active."},
        {"DCGM_FI_PROF_SM_ACTIVE", "gauge", "The ratio of cycles an SM has at least 1 warp assigned."},
        {"DCGM_FI_PROF_SM_OCCUPANCY", "gauge", "The ratio of number of warps resident on an SM."},
        {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge", "Ratio of cycles the tensor (HMMA) pipe is active."},
        {"DCGM_FI_PROF_DRAM_ACTIVE", "gauge",
         "Ratio of cycles the device memory interface is active sending or receiving data."},
    };
    for (const field& entry : fields) {
        if (entry.name != metric) continue;
        return format_text("{}, {}, {}\n", metric, entry.type, entry.help);
    }
    return {};
}

}  // namespace gputide::doctor
