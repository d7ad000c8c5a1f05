// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
// clang-format off
// Lists of what is in gputide.h, and each struct's members by name.
#ifndef GPUTIDE_NODE_ABI_HPP
#define GPUTIDE_NODE_ABI_HPP

#include "gputide/gputide.h"

// Functions that JavaScript calls, by their member of gputide_api_table; those that free are known by their handle.
#define GPUTIDE_CALLS(ONE) \
    ONE(manifest_check) ONE(scaler_open) ONE(scaler_tick) ONE(scaler_record) ONE(scaler_save) ONE(scaler_load) \
    ONE(scaler_describe) ONE(sample_state_name) ONE(limit_name) ONE(event_name) ONE(condition_name) \
    ONE(reason_name) ONE(status_name) ONE(action_name) ONE(cancel_new) ONE(cancel_fire) ONE(policy_open) \
    ONE(policy_metric_count) ONE(policy_metric_name) ONE(policy_describe) ONE(state_new) ONE(state_save) \
    ONE(state_describe) ONE(state_load) ONE(decide) ONE(decide_values) ONE(state_record) ONE(report_render) \
    ONE(version) ONE(features) ONE(build_info) ONE(credential_open) ONE(credential_token) \
    ONE(credential_invalidate) ONE(token_claims) ONE(source_open) ONE(source_fetch) ONE(source_fetch_all) \
    ONE(source_describe) ONE(source_request) ONE(source_parse) ONE(source_parse_all) ONE(doctor) ONE(log_open) \
    ONE(log_next) ONE(log_close) ONE(quantity) ONE(runtime_new) ONE(runtime_close) ONE(runtime_add) \
    ONE(runtime_replace) ONE(runtime_remove) ONE(runtime_find) ONE(runtime_next_scaler) ONE(runtime_observe) \
    ONE(runtime_push) ONE(event_kind_name) ONE(runtime_next_event) ONE(runtime_record) ONE(runtime_save) \
    ONE(runtime_load) ONE(runtime_describe) ONE(runtime_stats) ONE(runtime_start) ONE(runtime_stop) \
    ONE(runtime_step) ONE(runtime_wake_fd) ONE(forecast_open) ONE(forecast_add) ONE(forecast_floor) \
    ONE(forecast_charge) ONE(forecast_describe) ONE(forecast_save) ONE(forecast_load) ONE(forecast_state_name) \
    ONE(floor_reason_name) ONE(series_new) ONE(series_add) ONE(series_add_replicas) ONE(series_read) \
    ONE(series_fetch) ONE(series_write) ONE(series_describe) ONE(replay_open) ONE(replay_run) ONE(replay_record) \
    ONE(replay_report) ONE(nodes_plan) ONE(rightsize_open) ONE(rightsize_describe) ONE(rightsize_container) \
    ONE(rightsize_add) ONE(rightsize_recommend) ONE(rightsize_fit) ONE(rightsize_save) ONE(rightsize_load) \
    ONE(scaled_job_decide) ONE(cluster_attach) ONE(cluster_detach) ONE(cluster_describe) ONE(cluster_doctor) \
    ONE(cluster_list) ONE(cluster_handover) ONE(agent_pool_write)

// Those of them that may wait, or take as long as they take.
#define GPUTIDE_WAITING_CALLS(ONE) \
    ONE(scaler_tick) ONE(credential_token) ONE(source_fetch) ONE(source_fetch_all) ONE(doctor) ONE(log_next) \
    ONE(runtime_close) ONE(runtime_next_event) ONE(runtime_stop) ONE(series_fetch) ONE(replay_run) \
    ONE(cluster_detach) ONE(cluster_doctor) ONE(cluster_list) ONE(cluster_handover) ONE(agent_pool_write)

#define GPUTIDE_HANDLES(ONE) \
    ONE(cancel) ONE(scaler) ONE(policy) ONE(state) ONE(credential) ONE(source) ONE(log_reader) ONE(runtime) \
    ONE(forecast) ONE(series) ONE(replay) ONE(rightsize)

namespace gputide_node {

template <class Visitor>
void members(gputide_sample& value, Visitor& visit) {
    value.struct_size = sizeof value;
    visit("state", value.state);
    visit("status", value.status);
    visit("flags", value.flags);
    visit("value", value.value);
    visit("time_ms", value.time_ms);
    visit.text("message", value.message);
}

template <class Visitor>
void members(gputide_observation& value, Visitor& visit) {
    value.struct_size = sizeof value;
    visit("flags", value.flags);
    visit("now_ms", value.now_ms);
    visit("current_replicas", value.current_replicas);
    visit("status_replicas", value.status_replicas);
    visit("ready_replicas", value.ready_replicas);
    visit("sample_count", value.sample_count);
    visit.array("samples", value.samples, value.sample_count, value.sample_size);
    visit.array("pods", value.pods, value.pod_count, value.pod_size);
    visit.array("pod_samples", value.pod_samples, value.pod_sample_count, value.pod_sample_size);
    visit.text("message", value.message);
}

template <class Visitor>
void members(gputide_error& value, Visitor& visit) {
    value.struct_size = sizeof value;
    visit("status", value.status);
    visit("action", value.action);
    visit("retryable", value.retryable);
    visit("http_status", value.http_status);
    visit("retry_at_ms", value.retry_at_ms);
    visit("service_code", value.service_code);
    visit("where", value.where);
    visit("message", value.message);
    visit("detail", value.detail);
}

template <class Visitor>
void members(gputide_file& value, Visitor& visit) {
    visit.text("name", value.name);
    visit.text("text", value.text, value.size_bytes);
}

template <class Visitor>
void members(gputide_options& value, Visitor& visit) {
    value.struct_size = sizeof value;
    visit("flags", value.flags);
    visit.text("text_name", value.text_name);
    visit.text("scaler", value.scaler);
    visit.array("files", value.files, value.file_count, value.file_size);
    visit.text("allowed_environment", value.allowed_environment);
    visit.text("allowed_token_hosts", value.allowed_token_hosts);
    visit.text("allowed_programs", value.allowed_programs);
    visit.text("secrets_dir", value.secrets_dir);
    visit.text("ca_file", value.ca_file);
    visit.text("ca_pem", value.ca_pem, value.ca_pem_bytes);
    visit.text("proxy", value.proxy);
    visit.text("user_agent", value.user_agent);
    visit.text("kubeconfig", value.kubeconfig);
    visit.text("kube_context", value.kube_context);
    visit.text("service_account_dir", value.service_account_dir);
}

template <class Visitor>
void members(gputide_pod& value, Visitor& visit) {
    visit.text("name", value.name);
    visit("phase", value.phase);
    visit("ready", value.ready);
    visit("deleting", value.deleting);
    visit("start_time_ms", value.start_time_ms);
    visit("ready_change_time_ms", value.ready_change_time_ms);
}

template <class Visitor>
void members(gputide_pod_sample& value, Visitor& visit) {
    visit("metric", value.metric);
    visit("pod", value.pod);
    visit("value_milli", value.value_milli);
    visit("request_milli", value.request_milli);
    visit("time_ms", value.time_ms);
    visit("window_s", value.window_s);
    visit.text("container", value.container);
}

template <class Visitor>
void members(gputide_runtime_options& value, Visitor& visit) {
    value.struct_size = sizeof value;
    visit("flags", value.flags);
    visit("seed", value.seed);
    visit("poll_timeout_ms", value.poll_timeout_ms);
    visit("start_spread_ms", value.start_spread_ms);
    visit("share_window_ms", value.share_window_ms);
    visit("max_in_flight", value.max_in_flight);
    visit("max_per_endpoint", value.max_per_endpoint);
    visit("breaker_failures", value.breaker_failures);
    visit("breaker_base_ms", value.breaker_base_ms);
    visit("breaker_cap_ms", value.breaker_cap_ms);
    visit("gather_ms", value.gather_ms);
}

template <class Visitor>
void members(gputide_usage_sample& value, Visitor& visit) {
    visit("time_ms", value.time_ms);
    visit("container", value.container);
    visit("unit", value.unit);
    visit("flags", value.flags);
    visit("busy", value.busy);
    visit("memory_bytes", value.memory_bytes);
}

static_assert(sizeof(gputide_sample) == 40, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_sample, struct_size) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_sample, state) == 4, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_sample, status) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_sample, flags) == 12, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_sample, value) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_sample, time_ms) == 24, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_sample, message) == 32, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_observation) == 88, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, struct_size) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, flags) == 4, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, now_ms) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, current_replicas) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, status_replicas) == 20, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, ready_replicas) == 24, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, sample_count) == 28, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, samples) == 32, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, pods) == 40, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, pod_samples) == 48, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, pod_count) == 56, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, pod_sample_count) == 60, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, sample_size) == 64, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, pod_size) == 68, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, pod_sample_size) == 72, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, reserved) == 76, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_observation, message) == 80, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_condition) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_condition, truth) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_condition, reason) == 4, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_condition, since_ms) == 8, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_decision) == 336, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, struct_size) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, flags) == 4, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, id) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, now_ms) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, next_due_ms) == 24, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, current_replicas) == 32, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, desired_replicas) == 36, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, proposed_replicas) == 40, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, limited_by) == 44, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, source) == 48, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, winner) == 52, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, failed_metric) == 56, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, event) == 60, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, conditions) == 64, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, forecast_state) == 320, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, forecast_need) == 324, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_decision, message) == 328, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_error) == 6368, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_error, struct_size) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_error, status) == 4, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_error, action) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_error, retryable) == 12, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_error, http_status) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_error, reserved) == 20, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_error, retry_at_ms) == 24, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_error, service_code) == 32, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_error, where) == 96, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_error, message) == 224, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_error, detail) == 2272, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_text) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_text, data) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_text, size_bytes) == 8, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_file) == 24, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_file, name) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_file, text) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_file, size_bytes) == 16, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_options) == 136, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, struct_size) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, flags) == 4, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, text_name) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, scaler) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, files) == 24, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, file_count) == 32, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, file_size) == 36, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, allowed_environment) == 40, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, allowed_token_hosts) == 48, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, allowed_programs) == 56, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, secrets_dir) == 64, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, ca_file) == 72, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, ca_pem) == 80, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, ca_pem_bytes) == 88, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, proxy) == 96, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, user_agent) == 104, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, kubeconfig) == 112, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, kube_context) == 120, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_options, service_account_dir) == 128, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_token_info) == 32, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_token_info, struct_size) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_token_info, reserved) == 4, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_token_info, expires_at_ms) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_token_info, refresh_at_ms) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_token_info, usable_until_ms) == 24, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_pod) == 40, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod, name) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod, phase) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod, ready) == 12, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod, deleting) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod, reserved) == 20, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod, start_time_ms) == 24, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod, ready_change_time_ms) == 32, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_pod_sample) == 48, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod_sample, metric) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod_sample, pod) == 4, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod_sample, value_milli) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod_sample, request_milli) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod_sample, time_ms) == 24, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod_sample, window_s) == 32, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod_sample, reserved) == 36, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_pod_sample, container) == 40, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_runtime_options) == 56, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, struct_size) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, flags) == 4, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, seed) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, poll_timeout_ms) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, start_spread_ms) == 20, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, share_window_ms) == 24, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, max_in_flight) == 28, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, max_per_endpoint) == 32, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, breaker_failures) == 36, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, breaker_base_ms) == 40, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, breaker_cap_ms) == 44, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, gather_ms) == 48, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_runtime_options, reserved) == 52, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_event) == 376, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_event, struct_size) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_event, kind) == 4, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_event, id) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_event, tag) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_event, sequence) == 24, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_event, observed_ms) == 32, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_event, replaced) == 40, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_event, reserved) == 44, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_event, name) == 48, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_floor) == 32, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_floor, struct_size) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_floor, state) == 4, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_floor, reason) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_floor, replicas) == 12, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_floor, need_replicas) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_floor, reserved) == 20, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_floor, floor_load) == 24, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_nodes_summary) == 64, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_nodes_summary, struct_size) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_nodes_summary, errors) == 4, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_nodes_summary, warnings) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_nodes_summary, reserved) == 12, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_nodes_summary, nodes_to_add) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_nodes_summary, nodes_to_remove) == 24, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_nodes_summary, pods_pending) == 32, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_nodes_summary, pods_on_existing) == 40, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_nodes_summary, pods_on_new) == 48, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_nodes_summary, pods_left) == 56, "run python3 -m bindings.generator");
static_assert(sizeof(gputide_usage_sample) == 40, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_usage_sample, time_ms) == 0, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_usage_sample, container) == 8, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_usage_sample, unit) == 12, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_usage_sample, flags) == 16, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_usage_sample, reserved) == 20, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_usage_sample, busy) == 24, "run python3 -m bindings.generator");
static_assert(offsetof(gputide_usage_sample, memory_bytes) == 32, "run python3 -m bindings.generator");

}  // namespace gputide_node

#endif  // GPUTIDE_NODE_ABI_HPP
