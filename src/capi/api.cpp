// Section 11 of gputide.h: the table for hosts that look up one symbol.
#include "base/error.hpp"
#include "capi/guard.hpp"
#include "gputide/gputide.h"

#include <string>

namespace {

// In the order of gputide_api_table; a signature that differs does not build.
constexpr gputide_api_table table{
    sizeof(gputide_api_table),
    GPUTIDE_ABI_VERSION,
    gputide_version,
    gputide_version_number,
    gputide_features,
    gputide_build_info,
    gputide_status_name,
    gputide_status_action,
    gputide_text_free,
    gputide_set_allocator,
    gputide_set_log,
    gputide_log_take,
    gputide_cancel_new,
    gputide_cancel_fire,
    gputide_cancel_reset,
    gputide_cancel_free,
    gputide_credential_open,
    gputide_credential_free,
    gputide_credential_token,
    gputide_credential_invalidate,
    gputide_token_claims,
    gputide_source_open,
    gputide_source_free,
    gputide_source_fetch,
    gputide_source_fetch_all,
    gputide_samples_count,
    gputide_samples_get,
    gputide_samples_labels,
    gputide_samples_free,
    gputide_source_request,
    gputide_source_parse,
    gputide_policy_open,
    gputide_policy_free,
    gputide_policy_metric_count,
    gputide_policy_describe,
    gputide_state_new,
    gputide_state_clone,
    gputide_state_free,
    gputide_state_save,
    gputide_state_load,
    gputide_decide,
    gputide_state_record,
    gputide_limit_name,
    gputide_condition_name,
    gputide_reason_name,
    gputide_trace_render,
    gputide_manifest_check,
    gputide_scaler_open,
    gputide_scaler_free,
    gputide_scaler_tick,
    gputide_scaler_fetch,
    gputide_scaler_decide,
    gputide_scaler_record,
    gputide_scaler_conditions,
    gputide_scaler_metrics,
    gputide_scaler_describe,
    gputide_scaler_save,
    gputide_scaler_load,
    gputide_runtime_new,
    gputide_runtime_free,
    gputide_runtime_add,
    gputide_runtime_replace,
    gputide_runtime_remove,
    gputide_runtime_find,
    gputide_runtime_observe,
    gputide_runtime_next_event,
    gputide_runtime_record,
    gputide_runtime_save,
    gputide_runtime_load,
    gputide_runtime_describe,
    gputide_runtime_stats,
    gputide_runtime_start,
    gputide_runtime_stop,
    gputide_runtime_step,
    gputide_runtime_wake_fd,
    gputide_doctor,
    gputide_series_new,
    gputide_series_free,
    gputide_series_add,
    gputide_series_add_replicas,
    gputide_series_read,
    gputide_series_fetch,
    gputide_series_write,
    gputide_series_describe,
    gputide_replay_open,
    gputide_replay_free,
    gputide_replay_run,
    gputide_replay_record,
    gputide_replay_report,
};

}  // namespace

const gputide_api_table* gputide_api(uint32_t abi_version, gputide_error* err) {
    if (abi_version == GPUTIDE_ABI_VERSION) return &table;
    gputide::capi::guarded(err, [&]() -> gputide::result<void> {
        return gputide::fail(gputide::status::too_new,
                             "ABI " + std::to_string(abi_version) + " is asked for; this library (" +
                                 gputide_version() + ") serves ABI " + std::to_string(GPUTIDE_ABI_VERSION) + " alone");
    });
    return nullptr;
}
