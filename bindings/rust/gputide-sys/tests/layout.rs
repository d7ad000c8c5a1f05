// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.

//! Each struct lies as in C, by bindings/abi.json.

use core::mem::{align_of, offset_of, size_of};
use gputide_sys::*;

#[test]
fn sample_lies_as_in_c() {
    assert_eq!((size_of::<gputide_sample>(), align_of::<gputide_sample>()), (40, 8));
    assert_eq!(offset_of!(gputide_sample, struct_size), 0);
    assert_eq!(offset_of!(gputide_sample, state), 4);
    assert_eq!(offset_of!(gputide_sample, status), 8);
    assert_eq!(offset_of!(gputide_sample, flags), 12);
    assert_eq!(offset_of!(gputide_sample, value), 16);
    assert_eq!(offset_of!(gputide_sample, time_ms), 24);
    assert_eq!(offset_of!(gputide_sample, message), 32);
}

#[test]
fn observation_lies_as_in_c() {
    assert_eq!((size_of::<gputide_observation>(), align_of::<gputide_observation>()), (88, 8));
    assert_eq!(offset_of!(gputide_observation, struct_size), 0);
    assert_eq!(offset_of!(gputide_observation, flags), 4);
    assert_eq!(offset_of!(gputide_observation, now_ms), 8);
    assert_eq!(offset_of!(gputide_observation, current_replicas), 16);
    assert_eq!(offset_of!(gputide_observation, status_replicas), 20);
    assert_eq!(offset_of!(gputide_observation, ready_replicas), 24);
    assert_eq!(offset_of!(gputide_observation, sample_count), 28);
    assert_eq!(offset_of!(gputide_observation, samples), 32);
    assert_eq!(offset_of!(gputide_observation, pods), 40);
    assert_eq!(offset_of!(gputide_observation, pod_samples), 48);
    assert_eq!(offset_of!(gputide_observation, pod_count), 56);
    assert_eq!(offset_of!(gputide_observation, pod_sample_count), 60);
    assert_eq!(offset_of!(gputide_observation, sample_size), 64);
    assert_eq!(offset_of!(gputide_observation, pod_size), 68);
    assert_eq!(offset_of!(gputide_observation, pod_sample_size), 72);
    assert_eq!(offset_of!(gputide_observation, reserved), 76);
    assert_eq!(offset_of!(gputide_observation, message), 80);
}

#[test]
fn condition_lies_as_in_c() {
    assert_eq!((size_of::<gputide_condition>(), align_of::<gputide_condition>()), (16, 8));
    assert_eq!(offset_of!(gputide_condition, truth), 0);
    assert_eq!(offset_of!(gputide_condition, reason), 4);
    assert_eq!(offset_of!(gputide_condition, since_ms), 8);
}

#[test]
fn decision_lies_as_in_c() {
    assert_eq!((size_of::<gputide_decision>(), align_of::<gputide_decision>()), (336, 8));
    assert_eq!(offset_of!(gputide_decision, struct_size), 0);
    assert_eq!(offset_of!(gputide_decision, flags), 4);
    assert_eq!(offset_of!(gputide_decision, id), 8);
    assert_eq!(offset_of!(gputide_decision, now_ms), 16);
    assert_eq!(offset_of!(gputide_decision, next_due_ms), 24);
    assert_eq!(offset_of!(gputide_decision, current_replicas), 32);
    assert_eq!(offset_of!(gputide_decision, desired_replicas), 36);
    assert_eq!(offset_of!(gputide_decision, proposed_replicas), 40);
    assert_eq!(offset_of!(gputide_decision, limited_by), 44);
    assert_eq!(offset_of!(gputide_decision, source), 48);
    assert_eq!(offset_of!(gputide_decision, winner), 52);
    assert_eq!(offset_of!(gputide_decision, failed_metric), 56);
    assert_eq!(offset_of!(gputide_decision, event), 60);
    assert_eq!(offset_of!(gputide_decision, conditions), 64);
    assert_eq!(offset_of!(gputide_decision, forecast_state), 320);
    assert_eq!(offset_of!(gputide_decision, forecast_need), 324);
    assert_eq!(offset_of!(gputide_decision, message), 328);
}

#[test]
fn error_lies_as_in_c() {
    assert_eq!((size_of::<gputide_error>(), align_of::<gputide_error>()), (6368, 8));
    assert_eq!(offset_of!(gputide_error, struct_size), 0);
    assert_eq!(offset_of!(gputide_error, status), 4);
    assert_eq!(offset_of!(gputide_error, action), 8);
    assert_eq!(offset_of!(gputide_error, retryable), 12);
    assert_eq!(offset_of!(gputide_error, http_status), 16);
    assert_eq!(offset_of!(gputide_error, reserved), 20);
    assert_eq!(offset_of!(gputide_error, retry_at_ms), 24);
    assert_eq!(offset_of!(gputide_error, service_code), 32);
    assert_eq!(offset_of!(gputide_error, r#where), 96);
    assert_eq!(offset_of!(gputide_error, message), 224);
    assert_eq!(offset_of!(gputide_error, detail), 2272);
}

#[test]
fn text_lies_as_in_c() {
    assert_eq!((size_of::<gputide_text>(), align_of::<gputide_text>()), (16, 8));
    assert_eq!(offset_of!(gputide_text, data), 0);
    assert_eq!(offset_of!(gputide_text, size_bytes), 8);
}

#[test]
fn file_lies_as_in_c() {
    assert_eq!((size_of::<gputide_file>(), align_of::<gputide_file>()), (24, 8));
    assert_eq!(offset_of!(gputide_file, name), 0);
    assert_eq!(offset_of!(gputide_file, text), 8);
    assert_eq!(offset_of!(gputide_file, size_bytes), 16);
}

#[test]
fn options_lies_as_in_c() {
    assert_eq!((size_of::<gputide_options>(), align_of::<gputide_options>()), (136, 8));
    assert_eq!(offset_of!(gputide_options, struct_size), 0);
    assert_eq!(offset_of!(gputide_options, flags), 4);
    assert_eq!(offset_of!(gputide_options, text_name), 8);
    assert_eq!(offset_of!(gputide_options, scaler), 16);
    assert_eq!(offset_of!(gputide_options, files), 24);
    assert_eq!(offset_of!(gputide_options, file_count), 32);
    assert_eq!(offset_of!(gputide_options, file_size), 36);
    assert_eq!(offset_of!(gputide_options, allowed_environment), 40);
    assert_eq!(offset_of!(gputide_options, allowed_token_hosts), 48);
    assert_eq!(offset_of!(gputide_options, allowed_programs), 56);
    assert_eq!(offset_of!(gputide_options, secrets_dir), 64);
    assert_eq!(offset_of!(gputide_options, ca_file), 72);
    assert_eq!(offset_of!(gputide_options, ca_pem), 80);
    assert_eq!(offset_of!(gputide_options, ca_pem_bytes), 88);
    assert_eq!(offset_of!(gputide_options, proxy), 96);
    assert_eq!(offset_of!(gputide_options, user_agent), 104);
    assert_eq!(offset_of!(gputide_options, kubeconfig), 112);
    assert_eq!(offset_of!(gputide_options, kube_context), 120);
    assert_eq!(offset_of!(gputide_options, service_account_dir), 128);
}

#[test]
fn token_info_lies_as_in_c() {
    assert_eq!((size_of::<gputide_token_info>(), align_of::<gputide_token_info>()), (32, 8));
    assert_eq!(offset_of!(gputide_token_info, struct_size), 0);
    assert_eq!(offset_of!(gputide_token_info, reserved), 4);
    assert_eq!(offset_of!(gputide_token_info, expires_at_ms), 8);
    assert_eq!(offset_of!(gputide_token_info, refresh_at_ms), 16);
    assert_eq!(offset_of!(gputide_token_info, usable_until_ms), 24);
}

#[test]
fn log_sink_lies_as_in_c() {
    assert_eq!((size_of::<gputide_log_sink>(), align_of::<gputide_log_sink>()), (32, 8));
    assert_eq!(offset_of!(gputide_log_sink, struct_size), 0);
    assert_eq!(offset_of!(gputide_log_sink, level), 4);
    assert_eq!(offset_of!(gputide_log_sink, write), 8);
    assert_eq!(offset_of!(gputide_log_sink, finalize), 16);
    assert_eq!(offset_of!(gputide_log_sink, user_data), 24);
}

#[test]
fn allocator_lies_as_in_c() {
    assert_eq!((size_of::<gputide_allocator>(), align_of::<gputide_allocator>()), (32, 8));
    assert_eq!(offset_of!(gputide_allocator, struct_size), 0);
    assert_eq!(offset_of!(gputide_allocator, reserved), 4);
    assert_eq!(offset_of!(gputide_allocator, allocate), 8);
    assert_eq!(offset_of!(gputide_allocator, release), 16);
    assert_eq!(offset_of!(gputide_allocator, user_data), 24);
}

#[test]
fn pod_lies_as_in_c() {
    assert_eq!((size_of::<gputide_pod>(), align_of::<gputide_pod>()), (40, 8));
    assert_eq!(offset_of!(gputide_pod, name), 0);
    assert_eq!(offset_of!(gputide_pod, phase), 8);
    assert_eq!(offset_of!(gputide_pod, ready), 12);
    assert_eq!(offset_of!(gputide_pod, deleting), 16);
    assert_eq!(offset_of!(gputide_pod, reserved), 20);
    assert_eq!(offset_of!(gputide_pod, start_time_ms), 24);
    assert_eq!(offset_of!(gputide_pod, ready_change_time_ms), 32);
}

#[test]
fn pod_sample_lies_as_in_c() {
    assert_eq!((size_of::<gputide_pod_sample>(), align_of::<gputide_pod_sample>()), (48, 8));
    assert_eq!(offset_of!(gputide_pod_sample, metric), 0);
    assert_eq!(offset_of!(gputide_pod_sample, pod), 4);
    assert_eq!(offset_of!(gputide_pod_sample, value_milli), 8);
    assert_eq!(offset_of!(gputide_pod_sample, request_milli), 16);
    assert_eq!(offset_of!(gputide_pod_sample, time_ms), 24);
    assert_eq!(offset_of!(gputide_pod_sample, window_s), 32);
    assert_eq!(offset_of!(gputide_pod_sample, reserved), 36);
    assert_eq!(offset_of!(gputide_pod_sample, container), 40);
}

#[test]
fn runtime_options_lies_as_in_c() {
    assert_eq!((size_of::<gputide_runtime_options>(), align_of::<gputide_runtime_options>()), (56, 8));
    assert_eq!(offset_of!(gputide_runtime_options, struct_size), 0);
    assert_eq!(offset_of!(gputide_runtime_options, flags), 4);
    assert_eq!(offset_of!(gputide_runtime_options, seed), 8);
    assert_eq!(offset_of!(gputide_runtime_options, poll_timeout_ms), 16);
    assert_eq!(offset_of!(gputide_runtime_options, start_spread_ms), 20);
    assert_eq!(offset_of!(gputide_runtime_options, share_window_ms), 24);
    assert_eq!(offset_of!(gputide_runtime_options, max_in_flight), 28);
    assert_eq!(offset_of!(gputide_runtime_options, max_per_endpoint), 32);
    assert_eq!(offset_of!(gputide_runtime_options, breaker_failures), 36);
    assert_eq!(offset_of!(gputide_runtime_options, breaker_base_ms), 40);
    assert_eq!(offset_of!(gputide_runtime_options, breaker_cap_ms), 44);
    assert_eq!(offset_of!(gputide_runtime_options, gather_ms), 48);
    assert_eq!(offset_of!(gputide_runtime_options, reserved), 52);
}

#[test]
fn event_lies_as_in_c() {
    assert_eq!((size_of::<gputide_event>(), align_of::<gputide_event>()), (376, 8));
    assert_eq!(offset_of!(gputide_event, struct_size), 0);
    assert_eq!(offset_of!(gputide_event, kind), 4);
    assert_eq!(offset_of!(gputide_event, id), 8);
    assert_eq!(offset_of!(gputide_event, tag), 16);
    assert_eq!(offset_of!(gputide_event, sequence), 24);
    assert_eq!(offset_of!(gputide_event, observed_ms), 32);
    assert_eq!(offset_of!(gputide_event, replaced), 40);
    assert_eq!(offset_of!(gputide_event, reserved), 44);
    assert_eq!(offset_of!(gputide_event, name), 48);
}

#[test]
fn floor_lies_as_in_c() {
    assert_eq!((size_of::<gputide_floor>(), align_of::<gputide_floor>()), (32, 8));
    assert_eq!(offset_of!(gputide_floor, struct_size), 0);
    assert_eq!(offset_of!(gputide_floor, state), 4);
    assert_eq!(offset_of!(gputide_floor, reason), 8);
    assert_eq!(offset_of!(gputide_floor, replicas), 12);
    assert_eq!(offset_of!(gputide_floor, need_replicas), 16);
    assert_eq!(offset_of!(gputide_floor, reserved), 20);
    assert_eq!(offset_of!(gputide_floor, floor_load), 24);
}

#[test]
fn nodes_summary_lies_as_in_c() {
    assert_eq!((size_of::<gputide_nodes_summary>(), align_of::<gputide_nodes_summary>()), (64, 8));
    assert_eq!(offset_of!(gputide_nodes_summary, struct_size), 0);
    assert_eq!(offset_of!(gputide_nodes_summary, errors), 4);
    assert_eq!(offset_of!(gputide_nodes_summary, warnings), 8);
    assert_eq!(offset_of!(gputide_nodes_summary, reserved), 12);
    assert_eq!(offset_of!(gputide_nodes_summary, nodes_to_add), 16);
    assert_eq!(offset_of!(gputide_nodes_summary, nodes_to_remove), 24);
    assert_eq!(offset_of!(gputide_nodes_summary, pods_pending), 32);
    assert_eq!(offset_of!(gputide_nodes_summary, pods_on_existing), 40);
    assert_eq!(offset_of!(gputide_nodes_summary, pods_on_new), 48);
    assert_eq!(offset_of!(gputide_nodes_summary, pods_left), 56);
}

#[test]
fn usage_sample_lies_as_in_c() {
    assert_eq!((size_of::<gputide_usage_sample>(), align_of::<gputide_usage_sample>()), (40, 8));
    assert_eq!(offset_of!(gputide_usage_sample, time_ms), 0);
    assert_eq!(offset_of!(gputide_usage_sample, container), 8);
    assert_eq!(offset_of!(gputide_usage_sample, unit), 12);
    assert_eq!(offset_of!(gputide_usage_sample, flags), 16);
    assert_eq!(offset_of!(gputide_usage_sample, reserved), 20);
    assert_eq!(offset_of!(gputide_usage_sample, busy), 24);
    assert_eq!(offset_of!(gputide_usage_sample, memory_bytes), 32);
}

#[test]
fn each_table_is_as_long_as_in_c() {
    assert_eq!(size_of::<gputide_api_table>(), 632);
    assert_eq!(size_of::<gputide_plan_api_table>(), 280);
    assert_eq!(size_of::<gputide_kubernetes_api_table>(), 64);
}
