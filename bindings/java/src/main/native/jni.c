/* Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator. */
/* clang-format off */
#include <jni.h>
#include <stdint.h>

#include "gputide_calls.h"

/* Java has an address as a long. */
#define AT(type, address) ((type)(intptr_t)(address))

JNIEXPORT jint JNICALL Java_io_gputide_Native_manifestCheck(JNIEnv* env, jclass type, jlong manifest, jlong size_bytes,
    jlong options, jlong report, jlong lines, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_manifest_check(AT(const char*, manifest), (int64_t)size_bytes, AT(const gputide_options*,
        options), AT(gputide_text*, report), AT(gputide_text*, lines), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_scalerOpen(JNIEnv* env, jclass type, jlong manifest, jlong size_bytes,
    jlong options, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_scaler_open(AT(const char*, manifest), (int64_t)size_bytes, AT(const gputide_options*,
        options), AT(gputide_scaler**, out), AT(gputide_error*, err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_scalerFree(JNIEnv* env, jclass type, jlong scaler) {
    (void)env, (void)type;
    gputide_scaler_free(AT(gputide_scaler*, scaler));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_scalerTick(JNIEnv* env, jclass type, jlong scaler, jlong observation, jint
    timeout_ms, jlong cancel, jlong out, jlong report, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_scaler_tick(AT(gputide_scaler*, scaler), AT(const gputide_observation*, observation),
        (int32_t)timeout_ms, AT(const gputide_cancel*, cancel), AT(gputide_decision*, out), AT(gputide_text*, report),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_scalerRecord(JNIEnv* env, jclass type, jlong scaler, jlong decision, jint
    applied, jlong now_ms, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_scaler_record(AT(gputide_scaler*, scaler), AT(gputide_decision*, decision), (int32_t)applied,
        (int64_t)now_ms, AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_scalerSave(JNIEnv* env, jclass type, jlong scaler, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_scaler_save(AT(const gputide_scaler*, scaler), AT(gputide_text*, out), AT(gputide_error*,
        err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_scalerLoad(JNIEnv* env, jclass type, jlong scaler, jlong text, jlong
    size_bytes, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_scaler_load(AT(gputide_scaler*, scaler), AT(const char*, text), (int64_t)size_bytes,
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_scalerDescribe(JNIEnv* env, jclass type, jlong scaler, jlong json, jlong
    err) {
    (void)env, (void)type;
    return (jint)gputide_scaler_describe(AT(const gputide_scaler*, scaler), AT(gputide_text*, json), AT(gputide_error*,
        err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_textFree(JNIEnv* env, jclass type, jlong text) {
    (void)env, (void)type;
    gputide_text_free(AT(gputide_text*, text));
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_sampleStateName(JNIEnv* env, jclass type, jint state) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_sample_state_name((gputide_sample_state)state);
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_limitName(JNIEnv* env, jclass type, jint limit) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_limit_name((int32_t)limit);
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_eventName(JNIEnv* env, jclass type, jint event) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_event_name((int32_t)event);
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_conditionName(JNIEnv* env, jclass type, jint condition) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_condition_name((int32_t)condition);
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_reasonName(JNIEnv* env, jclass type, jint reason) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_reason_name((int32_t)reason);
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_statusName(JNIEnv* env, jclass type, jint status) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_status_name((gputide_status)status);
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_actionName(JNIEnv* env, jclass type, jint action) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_action_name((gputide_action)action);
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_cancelNew(JNIEnv* env, jclass type, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_cancel_new(AT(gputide_cancel**, out), AT(gputide_error*, err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_cancelFire(JNIEnv* env, jclass type, jlong cancel) {
    (void)env, (void)type;
    gputide_cancel_fire(AT(const gputide_cancel*, cancel));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_cancelFree(JNIEnv* env, jclass type, jlong cancel) {
    (void)env, (void)type;
    gputide_cancel_free(AT(gputide_cancel*, cancel));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_policyOpen(JNIEnv* env, jclass type, jlong manifest, jlong size_bytes,
    jlong options, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_policy_open(AT(const char*, manifest), (int64_t)size_bytes, AT(const gputide_options*,
        options), AT(gputide_policy**, out), AT(gputide_error*, err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_policyFree(JNIEnv* env, jclass type, jlong policy) {
    (void)env, (void)type;
    gputide_policy_free(AT(gputide_policy*, policy));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_policyMetricCount(JNIEnv* env, jclass type, jlong policy) {
    (void)env, (void)type;
    return (jint)gputide_policy_metric_count(AT(const gputide_policy*, policy));
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_policyMetricName(JNIEnv* env, jclass type, jlong policy, jint metric) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_policy_metric_name(AT(const gputide_policy*, policy), (int32_t)metric);
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_policyDescribe(JNIEnv* env, jclass type, jlong policy, jlong json, jlong
    err) {
    (void)env, (void)type;
    return (jint)gputide_policy_describe(AT(const gputide_policy*, policy), AT(gputide_text*, json), AT(gputide_error*,
        err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_stateNew(JNIEnv* env, jclass type, jlong policy, jlong created_ms, jlong
    out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_state_new(AT(const gputide_policy*, policy), (int64_t)created_ms, AT(gputide_state**, out),
        AT(gputide_error*, err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_stateFree(JNIEnv* env, jclass type, jlong state) {
    (void)env, (void)type;
    gputide_state_free(AT(gputide_state*, state));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_stateSave(JNIEnv* env, jclass type, jlong policy, jlong state, jlong out,
    jlong err) {
    (void)env, (void)type;
    return (jint)gputide_state_save(AT(const gputide_policy*, policy), AT(const gputide_state*, state),
        AT(gputide_text*, out), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_stateDescribe(JNIEnv* env, jclass type, jlong policy, jlong state, jlong
    json, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_state_describe(AT(const gputide_policy*, policy), AT(const gputide_state*, state),
        AT(gputide_text*, json), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_stateLoad(JNIEnv* env, jclass type, jlong policy, jlong text, jlong
    size_bytes, jint flags, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_state_load(AT(const gputide_policy*, policy), AT(const char*, text), (int64_t)size_bytes,
        (uint32_t)flags, AT(gputide_state**, out), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_decide(JNIEnv* env, jclass type, jlong policy, jlong state, jlong
    observation, jlong out, jlong report, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_decide(AT(const gputide_policy*, policy), AT(gputide_state*, state), AT(const
        gputide_observation*, observation), AT(gputide_decision*, out), AT(gputide_text*, report), AT(gputide_error*,
        err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_decideValues(JNIEnv* env, jclass type, jlong policy, jlong state, jlong
    now_ms, jint current_replicas, jlong values, jint count, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_decide_values(AT(const gputide_policy*, policy), AT(gputide_state*, state), (int64_t)now_ms,
        (int32_t)current_replicas, AT(const double*, values), (uint32_t)count, AT(gputide_decision*, out),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_stateRecord(JNIEnv* env, jclass type, jlong policy, jlong state, jlong
    decision, jint applied, jlong now_ms, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_state_record(AT(const gputide_policy*, policy), AT(gputide_state*, state),
        AT(gputide_decision*, decision), (int32_t)applied, (int64_t)now_ms, AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_reportRender(JNIEnv* env, jclass type, jlong report, jlong size_bytes,
    jlong lines, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_report_render(AT(const char*, report), (int64_t)size_bytes, AT(gputide_text*, lines),
        AT(gputide_error*, err));
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_version(JNIEnv* env, jclass type) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_version();
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_features(JNIEnv* env, jclass type) {
    (void)env, (void)type;
    return (jint)gputide_features();
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_buildInfo(JNIEnv* env, jclass type) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_build_info();
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_credentialOpen(JNIEnv* env, jclass type, jlong text, jlong size_bytes,
    jlong options, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_credential_open(AT(const char*, text), (int64_t)size_bytes, AT(const gputide_options*,
        options), AT(gputide_credential**, out), AT(gputide_error*, err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_credentialFree(JNIEnv* env, jclass type, jlong credential) {
    (void)env, (void)type;
    gputide_credential_free(AT(gputide_credential*, credential));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_credentialToken(JNIEnv* env, jclass type, jlong credential, jlong scope,
    jint timeout_ms, jlong cancel, jlong token, jlong info, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_credential_token(AT(const gputide_credential*, credential), AT(const char*, scope),
        (int32_t)timeout_ms, AT(const gputide_cancel*, cancel), AT(gputide_text*, token), AT(gputide_token_info*, info),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_credentialInvalidate(JNIEnv* env, jclass type, jlong credential, jlong
    scope, jlong token, jlong token_bytes, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_credential_invalidate(AT(const gputide_credential*, credential), AT(const char*, scope),
        AT(const char*, token), (int64_t)token_bytes, AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_tokenClaims(JNIEnv* env, jclass type, jlong token, jlong token_bytes,
    jlong json, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_token_claims(AT(const char*, token), (int64_t)token_bytes, AT(gputide_text*, json),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_sourceOpen(JNIEnv* env, jclass type, jlong text, jlong size_bytes, jlong
    options, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_source_open(AT(const char*, text), (int64_t)size_bytes, AT(const gputide_options*, options),
        AT(gputide_source**, out), AT(gputide_error*, err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_sourceFree(JNIEnv* env, jclass type, jlong source) {
    (void)env, (void)type;
    gputide_source_free(AT(gputide_source*, source));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_sourceFetch(JNIEnv* env, jclass type, jlong source, jlong now_ms, jint
    timeout_ms, jlong cancel, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_source_fetch(AT(gputide_source*, source), (int64_t)now_ms, (int32_t)timeout_ms, AT(const
        gputide_cancel*, cancel), AT(gputide_sample*, out), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_sourceFetchAll(JNIEnv* env, jclass type, jlong source, jlong now_ms, jint
    timeout_ms, jlong cancel, jlong json, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_source_fetch_all(AT(gputide_source*, source), (int64_t)now_ms, (int32_t)timeout_ms, AT(const
        gputide_cancel*, cancel), AT(gputide_text*, json), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_sourceDescribe(JNIEnv* env, jclass type, jlong source, jlong json, jlong
    err) {
    (void)env, (void)type;
    return (jint)gputide_source_describe(AT(const gputide_source*, source), AT(gputide_text*, json), AT(gputide_error*,
        err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_sourceRequest(JNIEnv* env, jclass type, jlong source, jlong now_ms, jlong
    json, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_source_request(AT(const gputide_source*, source), (int64_t)now_ms, AT(gputide_text*, json),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_sourceParse(JNIEnv* env, jclass type, jlong source, jint http_status,
    jlong body, jlong body_bytes, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_source_parse(AT(const gputide_source*, source), (int32_t)http_status, AT(const char*, body),
        (int64_t)body_bytes, AT(gputide_sample*, out), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_sourceParseAll(JNIEnv* env, jclass type, jlong source, jint http_status,
    jlong headers, jlong headers_bytes, jlong body, jlong body_bytes, jlong json, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_source_parse_all(AT(const gputide_source*, source), (int32_t)http_status, AT(const char*,
        headers), (int64_t)headers_bytes, AT(const char*, body), (int64_t)body_bytes, AT(gputide_text*, json),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_doctor(JNIEnv* env, jclass type, jlong manifest, jlong size_bytes, jlong
    options, jlong observation, jint timeout_ms, jlong cancel, jlong report, jlong lines, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_doctor(AT(const char*, manifest), (int64_t)size_bytes, AT(const gputide_options*, options),
        AT(const gputide_observation*, observation), (int32_t)timeout_ms, AT(const gputide_cancel*, cancel),
        AT(gputide_text*, report), AT(gputide_text*, lines), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_logOpen(JNIEnv* env, jclass type, jint level, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_log_open((int32_t)level, AT(gputide_log_reader**, out), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_logNext(JNIEnv* env, jclass type, jlong reader, jint timeout_ms, jlong
    cancel, jlong line, jlong level, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_log_next(AT(gputide_log_reader*, reader), (int32_t)timeout_ms, AT(const gputide_cancel*,
        cancel), AT(gputide_text*, line), AT(int32_t*, level), AT(gputide_error*, err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_logClose(JNIEnv* env, jclass type, jlong reader) {
    (void)env, (void)type;
    gputide_log_close(AT(gputide_log_reader*, reader));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_logFree(JNIEnv* env, jclass type, jlong reader) {
    (void)env, (void)type;
    gputide_log_free(AT(gputide_log_reader*, reader));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_quantity(JNIEnv* env, jclass type, jlong text, jlong size_bytes, jlong
    milli, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_quantity(AT(const char*, text), (int64_t)size_bytes, AT(int64_t*, milli), AT(gputide_error*,
        err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeNew(JNIEnv* env, jclass type, jlong options, jlong out, jlong err)
    {
    (void)env, (void)type;
    return (jint)gputide_runtime_new(AT(const gputide_runtime_options*, options), AT(gputide_runtime**, out),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeClose(JNIEnv* env, jclass type, jlong runtime, jint timeout_ms,
    jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_close(AT(gputide_runtime*, runtime), (int32_t)timeout_ms, AT(gputide_error*, err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_runtimeFree(JNIEnv* env, jclass type, jlong runtime) {
    (void)env, (void)type;
    gputide_runtime_free(AT(gputide_runtime*, runtime));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeAdd(JNIEnv* env, jclass type, jlong runtime, jlong manifest, jlong
    size_bytes, jlong options, jlong tag, jlong id, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_add(AT(gputide_runtime*, runtime), AT(const char*, manifest), (int64_t)size_bytes,
        AT(const gputide_options*, options), (uint64_t)tag, AT(uint64_t*, id), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeReplace(JNIEnv* env, jclass type, jlong runtime, jlong id, jlong
    manifest, jlong size_bytes, jlong options, jlong tag, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_replace(AT(gputide_runtime*, runtime), (uint64_t)id, AT(const char*, manifest),
        (int64_t)size_bytes, AT(const gputide_options*, options), AT(const uint64_t*, tag), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeRemove(JNIEnv* env, jclass type, jlong runtime, jlong id, jlong
    err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_remove(AT(gputide_runtime*, runtime), (uint64_t)id, AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeFind(JNIEnv* env, jclass type, jlong runtime, jlong name, jlong id,
    jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_find(AT(gputide_runtime*, runtime), AT(const char*, name), AT(uint64_t*, id),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeNextScaler(JNIEnv* env, jclass type, jlong runtime, jlong after_id,
    jlong id, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_next_scaler(AT(gputide_runtime*, runtime), (uint64_t)after_id, AT(uint64_t*, id),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeObserve(JNIEnv* env, jclass type, jlong runtime, jlong id, jlong
    observation, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_observe(AT(gputide_runtime*, runtime), (uint64_t)id, AT(const gputide_observation*,
        observation), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimePush(JNIEnv* env, jclass type, jlong runtime, jlong id, jlong
    samples, jint sample_size, jint count, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_push(AT(gputide_runtime*, runtime), (uint64_t)id, AT(const gputide_sample*, samples),
        (uint32_t)sample_size, (uint32_t)count, AT(gputide_error*, err));
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_eventKindName(JNIEnv* env, jclass type, jint kind) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_event_kind_name((int32_t)kind);
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeNextEvent(JNIEnv* env, jclass type, jlong runtime, jint timeout_ms,
    jlong cancel, jlong event, jlong decision, jlong report, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_next_event(AT(gputide_runtime*, runtime), (int32_t)timeout_ms, AT(const
        gputide_cancel*, cancel), AT(gputide_event*, event), AT(gputide_decision*, decision), AT(gputide_text*, report),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeRecord(JNIEnv* env, jclass type, jlong runtime, jlong id, jlong
    decision, jint applied, jlong now_ms, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_record(AT(gputide_runtime*, runtime), (uint64_t)id, AT(gputide_decision*, decision),
        (int32_t)applied, (int64_t)now_ms, AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeSave(JNIEnv* env, jclass type, jlong runtime, jlong id, jlong out,
    jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_save(AT(gputide_runtime*, runtime), (uint64_t)id, AT(gputide_text*, out),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeLoad(JNIEnv* env, jclass type, jlong runtime, jlong id, jlong text,
    jlong size_bytes, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_load(AT(gputide_runtime*, runtime), (uint64_t)id, AT(const char*, text),
        (int64_t)size_bytes, AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeDescribe(JNIEnv* env, jclass type, jlong runtime, jlong id, jlong
    json, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_describe(AT(gputide_runtime*, runtime), (uint64_t)id, AT(gputide_text*, json),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeStats(JNIEnv* env, jclass type, jlong runtime, jlong json, jlong
    err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_stats(AT(gputide_runtime*, runtime), AT(gputide_text*, json), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeStart(JNIEnv* env, jclass type, jlong runtime, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_start(AT(gputide_runtime*, runtime), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeStop(JNIEnv* env, jclass type, jlong runtime, jint timeout_ms,
    jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_stop(AT(gputide_runtime*, runtime), (int32_t)timeout_ms, AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeStep(JNIEnv* env, jclass type, jlong runtime, jlong now_ms, jlong
    next_ms, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_step(AT(gputide_runtime*, runtime), (int64_t)now_ms, AT(int64_t*, next_ms),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_runtimeWakeFd(JNIEnv* env, jclass type, jlong runtime, jlong fd, jlong
    err) {
    (void)env, (void)type;
    return (jint)gputide_runtime_wake_fd(AT(gputide_runtime*, runtime), AT(int32_t*, fd), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_forecastOpen(JNIEnv* env, jclass type, jlong settings, jlong size_bytes,
    jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_forecast_open(AT(const char*, settings), (int64_t)size_bytes, AT(gputide_forecast**, out),
        AT(gputide_error*, err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_forecastFree(JNIEnv* env, jclass type, jlong forecast) {
    (void)env, (void)type;
    gputide_forecast_free(AT(gputide_forecast*, forecast));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_forecastAdd(JNIEnv* env, jclass type, jlong forecast, jlong now_ms,
    jdouble load, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_forecast_add(AT(gputide_forecast*, forecast), (int64_t)now_ms, (double)load, AT(gputide_error*,
        err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_forecastFloor(JNIEnv* env, jclass type, jlong forecast, jdouble target,
    jint reactive_replicas, jint current_replicas, jint max_replicas, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_forecast_floor(AT(const gputide_forecast*, forecast), (double)target,
        (int32_t)reactive_replicas, (int32_t)current_replicas, (int32_t)max_replicas, AT(gputide_floor*, out),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_forecastCharge(JNIEnv* env, jclass type, jlong forecast, jint
    written_replicas, jint shadow_replicas, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_forecast_charge(AT(gputide_forecast*, forecast), (int32_t)written_replicas,
        (int32_t)shadow_replicas, AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_forecastDescribe(JNIEnv* env, jclass type, jlong forecast, jlong json,
    jlong err) {
    (void)env, (void)type;
    return (jint)gputide_forecast_describe(AT(const gputide_forecast*, forecast), AT(gputide_text*, json),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_forecastSave(JNIEnv* env, jclass type, jlong forecast, jlong out, jlong
    err) {
    (void)env, (void)type;
    return (jint)gputide_forecast_save(AT(const gputide_forecast*, forecast), AT(gputide_text*, out), AT(gputide_error*,
        err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_forecastLoad(JNIEnv* env, jclass type, jlong forecast, jlong text, jlong
    size_bytes, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_forecast_load(AT(gputide_forecast*, forecast), AT(const char*, text), (int64_t)size_bytes,
        AT(gputide_error*, err));
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_forecastStateName(JNIEnv* env, jclass type, jint state) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_forecast_state_name((int32_t)state);
}

JNIEXPORT jlong JNICALL Java_io_gputide_Native_floorReasonName(JNIEnv* env, jclass type, jint reason) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gputide_floor_reason_name((int32_t)reason);
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_seriesNew(JNIEnv* env, jclass type, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_series_new(AT(gputide_series**, out), AT(gputide_error*, err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_seriesFree(JNIEnv* env, jclass type, jlong series) {
    (void)env, (void)type;
    gputide_series_free(AT(gputide_series*, series));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_seriesAdd(JNIEnv* env, jclass type, jlong series, jint metric, jlong
    times_ms, jlong values, jlong count, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_series_add(AT(gputide_series*, series), (int32_t)metric, AT(const int64_t*, times_ms), AT(const
        double*, values), (uint64_t)count, AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_seriesAddReplicas(JNIEnv* env, jclass type, jlong series, jlong times_ms,
    jlong replicas, jlong count, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_series_add_replicas(AT(gputide_series*, series), AT(const int64_t*, times_ms), AT(const
        int32_t*, replicas), (uint64_t)count, AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_seriesRead(JNIEnv* env, jclass type, jlong series, jint metric, jlong
    text, jlong size_bytes, jlong scaler, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_series_read(AT(gputide_series*, series), (int32_t)metric, AT(const char*, text),
        (int64_t)size_bytes, AT(const char*, scaler), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_seriesFetch(JNIEnv* env, jclass type, jlong series, jlong scaler, jint
    metric, jlong start_ms, jlong end_ms, jlong step_ms, jint timeout_ms, jlong cancel, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_series_fetch(AT(gputide_series*, series), AT(gputide_scaler*, scaler), (int32_t)metric,
        (int64_t)start_ms, (int64_t)end_ms, (int64_t)step_ms, (int32_t)timeout_ms, AT(const gputide_cancel*, cancel),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_seriesWrite(JNIEnv* env, jclass type, jlong series, jlong csv, jlong err)
    {
    (void)env, (void)type;
    return (jint)gputide_series_write(AT(gputide_series*, series), AT(gputide_text*, csv), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_seriesDescribe(JNIEnv* env, jclass type, jlong series, jlong json, jlong
    err) {
    (void)env, (void)type;
    return (jint)gputide_series_describe(AT(gputide_series*, series), AT(gputide_text*, json), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_replayOpen(JNIEnv* env, jclass type, jlong manifest, jlong size_bytes,
    jlong options, jlong settings, jlong settings_bytes, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_replay_open(AT(const char*, manifest), (int64_t)size_bytes, AT(const gputide_options*,
        options), AT(const char*, settings), (int64_t)settings_bytes, AT(gputide_replay**, out), AT(gputide_error*,
        err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_replayFree(JNIEnv* env, jclass type, jlong replay) {
    (void)env, (void)type;
    gputide_replay_free(AT(gputide_replay*, replay));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_replayRun(JNIEnv* env, jclass type, jlong replay, jlong series, jlong
    cancel, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_replay_run(AT(gputide_replay*, replay), AT(const gputide_series*, series), AT(const
        gputide_cancel*, cancel), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_replayRecord(JNIEnv* env, jclass type, jlong replay, jlong time_ms, jlong
    samples, jint sample_size, jint sample_count, jint replicas, jlong last, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_replay_record(AT(gputide_replay*, replay), (int64_t)time_ms, AT(const gputide_sample*,
        samples), (uint32_t)sample_size, (uint32_t)sample_count, (int32_t)replicas, AT(gputide_decision*, last),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_replayReport(JNIEnv* env, jclass type, jlong replay, jlong json, jlong
    err) {
    (void)env, (void)type;
    return (jint)gputide_replay_report(AT(gputide_replay*, replay), AT(gputide_text*, json), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_nodesPlan(JNIEnv* env, jclass type, jlong text, jlong size_bytes, jlong
    state, jlong state_bytes, jlong now_ms, jlong summary, jlong json, jlong next_state, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_nodes_plan(AT(const char*, text), (int64_t)size_bytes, AT(const char*, state),
        (int64_t)state_bytes, (int64_t)now_ms, AT(gputide_nodes_summary*, summary), AT(gputide_text*, json),
        AT(gputide_text*, next_state), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_rightsizeOpen(JNIEnv* env, jclass type, jlong settings, jlong size_bytes,
    jlong options, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_rightsize_open(AT(const char*, settings), (int64_t)size_bytes, AT(const gputide_options*,
        options), AT(gputide_rightsize**, out), AT(gputide_error*, err));
}

JNIEXPORT void JNICALL Java_io_gputide_Native_rightsizeFree(JNIEnv* env, jclass type, jlong rightsize) {
    (void)env, (void)type;
    gputide_rightsize_free(AT(gputide_rightsize*, rightsize));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_rightsizeDescribe(JNIEnv* env, jclass type, jlong rightsize, jlong json,
    jlong err) {
    (void)env, (void)type;
    return (jint)gputide_rightsize_describe(AT(const gputide_rightsize*, rightsize), AT(gputide_text*, json),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_rightsizeContainer(JNIEnv* env, jclass type, jlong rightsize, jlong name,
    jlong number, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_rightsize_container(AT(gputide_rightsize*, rightsize), AT(const char*, name), AT(uint32_t*,
        number), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_rightsizeAdd(JNIEnv* env, jclass type, jlong rightsize, jlong samples,
    jint sample_size, jint count, jlong counted, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_rightsize_add(AT(gputide_rightsize*, rightsize), AT(const gputide_usage_sample*, samples),
        (uint32_t)sample_size, (uint32_t)count, AT(uint32_t*, counted), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_rightsizeRecommend(JNIEnv* env, jclass type, jlong rightsize, jint
    container, jlong now_ms, jlong json, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_rightsize_recommend(AT(const gputide_rightsize*, rightsize), (uint32_t)container,
        (int64_t)now_ms, AT(gputide_text*, json), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_rightsizeFit(JNIEnv* env, jclass type, jlong rightsize, jlong
    memory_bytes, jdouble util_percent, jlong json, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_rightsize_fit(AT(const gputide_rightsize*, rightsize), (int64_t)memory_bytes,
        (double)util_percent, AT(gputide_text*, json), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_rightsizeSave(JNIEnv* env, jclass type, jlong rightsize, jint container,
    jlong now_ms, jlong out, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_rightsize_save(AT(const gputide_rightsize*, rightsize), (uint32_t)container, (int64_t)now_ms,
        AT(gputide_text*, out), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_rightsizeLoad(JNIEnv* env, jclass type, jlong rightsize, jint container,
    jlong text, jlong size_bytes, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_rightsize_load(AT(gputide_rightsize*, rightsize), (uint32_t)container, AT(const char*, text),
        (int64_t)size_bytes, AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_scaledJobDecide(JNIEnv* env, jclass type, jlong manifest, jlong
    size_bytes, jlong options, jlong observation, jlong observation_bytes, jlong decision, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_scaled_job_decide(AT(const char*, manifest), (int64_t)size_bytes, AT(const gputide_options*,
        options), AT(const char*, observation), (int64_t)observation_bytes, AT(gputide_text*, decision),
        AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_clusterAttach(JNIEnv* env, jclass type, jlong runtime, jlong settings,
    jlong size_bytes, jlong options, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_cluster_attach(AT(gputide_runtime*, runtime), AT(const char*, settings), (int64_t)size_bytes,
        AT(const gputide_options*, options), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_clusterDetach(JNIEnv* env, jclass type, jlong runtime, jint timeout_ms,
    jlong err) {
    (void)env, (void)type;
    return (jint)gputide_cluster_detach(AT(gputide_runtime*, runtime), (int32_t)timeout_ms, AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_clusterDescribe(JNIEnv* env, jclass type, jlong runtime, jlong json, jlong
    err) {
    (void)env, (void)type;
    return (jint)gputide_cluster_describe(AT(gputide_runtime*, runtime), AT(gputide_text*, json), AT(gputide_error*,
        err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_clusterDoctor(JNIEnv* env, jclass type, jlong settings, jlong size_bytes,
    jlong options, jint timeout_ms, jlong cancel, jlong report, jlong lines, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_cluster_doctor(AT(const char*, settings), (int64_t)size_bytes, AT(const gputide_options*,
        options), (int32_t)timeout_ms, AT(const gputide_cancel*, cancel), AT(gputide_text*, report), AT(gputide_text*,
        lines), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_clusterList(JNIEnv* env, jclass type, jlong path, jlong options, jint
    timeout_ms, jlong cancel, jlong json, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_cluster_list(AT(const char*, path), AT(const gputide_options*, options), (int32_t)timeout_ms,
        AT(const gputide_cancel*, cancel), AT(gputide_text*, json), AT(gputide_error*, err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_clusterHandover(JNIEnv* env, jclass type, jlong change, jlong size_bytes,
    jlong options, jint timeout_ms, jlong cancel, jlong json, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_cluster_handover(AT(const char*, change), (int64_t)size_bytes, AT(const gputide_options*,
        options), (int32_t)timeout_ms, AT(const gputide_cancel*, cancel), AT(gputide_text*, json), AT(gputide_error*,
        err));
}

JNIEXPORT jint JNICALL Java_io_gputide_Native_agentPoolWrite(JNIEnv* env, jclass type, jlong credential, jlong change,
    jlong size_bytes, jint timeout_ms, jlong cancel, jlong json, jlong err) {
    (void)env, (void)type;
    return (jint)gputide_agent_pool_write(AT(const gputide_credential*, credential), AT(const char*, change),
        (int64_t)size_bytes, (int32_t)timeout_ms, AT(const gputide_cancel*, cancel), AT(gputide_text*, json),
        AT(gputide_error*, err));
}
