/* Written by bindings/generator: change the headers that it includes, then run python3 -m bindings.generator.
 *
 * The functions of gputide as tables, for a host that loads the library with dlopen.  It looks up one symbol per component
 * and calls members under the names of the functions without gputide_.  docs/abi.md has an example.
 *   gputide_api              gputide.h, source.h and runtime.h   in every flavor; NULL for what libgputide-pure lacks
 *   gputide_plan_api         plan.h                              in libgputide-full and libgputide-pure
 *   gputide_kubernetes_api   kubernetes.h                        in libgputide-full
 * Append-only: check struct_size before using a member that a later release added. */
#ifndef GPUTIDE_TABLE_H
#define GPUTIDE_TABLE_H

#include "kubernetes.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gputide_api_table {
    uint32_t struct_size;
    int32_t abi_version;
    gputide_status (*manifest_check)(const char*, int64_t, const gputide_options*, gputide_text*, gputide_text*,
                                     gputide_error*);
    gputide_status (*scaler_open)(const char*, int64_t, const gputide_options*, gputide_scaler**, gputide_error*);
    void (*scaler_free)(gputide_scaler*);
    gputide_status (*scaler_tick)(gputide_scaler*, const gputide_observation*, int32_t, const gputide_cancel*,
                                  gputide_decision*, gputide_text*, gputide_error*);
    gputide_status (*scaler_record)(gputide_scaler*, gputide_decision*, int32_t, int64_t, gputide_error*);
    gputide_status (*scaler_save)(const gputide_scaler*, gputide_text*, gputide_error*);
    gputide_status (*scaler_load)(gputide_scaler*, const char*, int64_t, gputide_error*);
    gputide_status (*scaler_describe)(const gputide_scaler*, gputide_text*, gputide_error*);
    void (*text_free)(gputide_text*);
    const char* (*sample_state_name)(gputide_sample_state);
    const char* (*limit_name)(int32_t);
    const char* (*event_name)(int32_t);
    const char* (*condition_name)(int32_t);
    const char* (*reason_name)(int32_t);
    const char* (*status_name)(gputide_status);
    const char* (*action_name)(gputide_action);
    gputide_status (*cancel_new)(gputide_cancel**, gputide_error*);
    void (*cancel_fire)(const gputide_cancel*);
    void (*cancel_free)(gputide_cancel*);
    gputide_status (*policy_open)(const char*, int64_t, const gputide_options*, gputide_policy**, gputide_error*);
    void (*policy_free)(gputide_policy*);
    uint32_t (*policy_metric_count)(const gputide_policy*);
    const char* (*policy_metric_name)(const gputide_policy*, int32_t);
    gputide_status (*policy_describe)(const gputide_policy*, gputide_text*, gputide_error*);
    gputide_status (*state_new)(const gputide_policy*, int64_t, gputide_state**, gputide_error*);
    void (*state_free)(gputide_state*);
    gputide_status (*state_save)(const gputide_policy*, const gputide_state*, gputide_text*, gputide_error*);
    gputide_status (*state_describe)(const gputide_policy*, const gputide_state*, gputide_text*, gputide_error*);
    gputide_status (*state_load)(const gputide_policy*, const char*, int64_t, uint32_t, gputide_state**,
                                 gputide_error*);
    gputide_status (*decide)(const gputide_policy*, gputide_state*, const gputide_observation*, gputide_decision*,
                             gputide_text*, gputide_error*);
    gputide_status (*decide_values)(const gputide_policy*, gputide_state*, int64_t, int32_t, const double*, uint32_t,
                                    gputide_decision*, gputide_error*);
    gputide_status (*state_record)(const gputide_policy*, gputide_state*, gputide_decision*, int32_t, int64_t,
                                   gputide_error*);
    gputide_status (*report_render)(const char*, int64_t, gputide_text*, gputide_error*);
    const char* (*version)(void);
    uint32_t (*features)(void);
    const char* (*build_info)(void);
    gputide_status (*credential_open)(const char*, int64_t, const gputide_options*, gputide_credential**,
                                      gputide_error*);
    void (*credential_free)(gputide_credential*);
    gputide_status (*credential_token)(const gputide_credential*, const char*, int32_t, const gputide_cancel*,
                                       gputide_text*, gputide_token_info*, gputide_error*);
    gputide_status (*credential_invalidate)(const gputide_credential*, const char*, const char*, int64_t,
                                            gputide_error*);
    gputide_status (*token_claims)(const char*, int64_t, gputide_text*, gputide_error*);
    gputide_status (*source_open)(const char*, int64_t, const gputide_options*, gputide_source**, gputide_error*);
    void (*source_free)(gputide_source*);
    gputide_status (*source_fetch)(gputide_source*, int64_t, int32_t, const gputide_cancel*, gputide_sample*,
                                   gputide_error*);
    gputide_status (*source_fetch_all)(gputide_source*, int64_t, int32_t, const gputide_cancel*, gputide_text*,
                                       gputide_error*);
    gputide_status (*source_describe)(const gputide_source*, gputide_text*, gputide_error*);
    gputide_status (*source_request)(const gputide_source*, int64_t, gputide_text*, gputide_error*);
    gputide_status (*source_parse)(const gputide_source*, int32_t, const char*, int64_t, gputide_sample*,
                                   gputide_error*);
    gputide_status (*source_parse_all)(const gputide_source*, int32_t, const char*, int64_t, const char*, int64_t,
                                       gputide_text*, gputide_error*);
    gputide_status (*doctor)(const char*, int64_t, const gputide_options*, const gputide_observation*, int32_t,
                             const gputide_cancel*, gputide_text*, gputide_text*, gputide_error*);
    gputide_status (*set_log)(const gputide_log_sink*, gputide_error*);
    gputide_status (*log_open)(int32_t, gputide_log_reader**, gputide_error*);
    gputide_status (*log_next)(gputide_log_reader*, int32_t, const gputide_cancel*, gputide_text*, int32_t*,
                               gputide_error*);
    void (*log_close)(gputide_log_reader*);
    void (*log_free)(gputide_log_reader*);
    gputide_status (*set_allocator)(const gputide_allocator*, gputide_error*);
    gputide_status (*quantity)(const char*, int64_t, int64_t*, gputide_error*);
    gputide_status (*runtime_new)(const gputide_runtime_options*, gputide_runtime**, gputide_error*);
    gputide_status (*runtime_close)(gputide_runtime*, int32_t, gputide_error*);
    void (*runtime_free)(gputide_runtime*);
    gputide_status (*runtime_add)(gputide_runtime*, const char*, int64_t, const gputide_options*, uint64_t, uint64_t*,
                                  gputide_error*);
    gputide_status (*runtime_replace)(gputide_runtime*, uint64_t, const char*, int64_t, const gputide_options*,
                                      const uint64_t*, gputide_error*);
    gputide_status (*runtime_remove)(gputide_runtime*, uint64_t, gputide_error*);
    gputide_status (*runtime_find)(gputide_runtime*, const char*, uint64_t*, gputide_error*);
    gputide_status (*runtime_next_scaler)(gputide_runtime*, uint64_t, uint64_t*, gputide_error*);
    gputide_status (*runtime_observe)(gputide_runtime*, uint64_t, const gputide_observation*, gputide_error*);
    gputide_status (*runtime_push)(gputide_runtime*, uint64_t, const gputide_sample*, uint32_t, uint32_t,
                                   gputide_error*);
    const char* (*event_kind_name)(int32_t);
    gputide_status (*runtime_next_event)(gputide_runtime*, int32_t, const gputide_cancel*, gputide_event*,
                                         gputide_decision*, gputide_text*, gputide_error*);
    gputide_status (*runtime_record)(gputide_runtime*, uint64_t, gputide_decision*, int32_t, int64_t, gputide_error*);
    gputide_status (*runtime_save)(gputide_runtime*, uint64_t, gputide_text*, gputide_error*);
    gputide_status (*runtime_load)(gputide_runtime*, uint64_t, const char*, int64_t, gputide_error*);
    gputide_status (*runtime_describe)(gputide_runtime*, uint64_t, gputide_text*, gputide_error*);
    gputide_status (*runtime_stats)(gputide_runtime*, gputide_text*, gputide_error*);
    gputide_status (*runtime_start)(gputide_runtime*, gputide_error*);
    gputide_status (*runtime_stop)(gputide_runtime*, int32_t, gputide_error*);
    gputide_status (*runtime_step)(gputide_runtime*, int64_t, int64_t*, gputide_error*);
    gputide_status (*runtime_wake_fd)(gputide_runtime*, int32_t*, gputide_error*);
} gputide_api_table;

typedef struct gputide_plan_api_table {
    uint32_t struct_size;
    int32_t abi_version;
    gputide_status (*forecast_open)(const char*, int64_t, gputide_forecast**, gputide_error*);
    void (*forecast_free)(gputide_forecast*);
    gputide_status (*forecast_add)(gputide_forecast*, int64_t, double, gputide_error*);
    gputide_status (*forecast_floor)(const gputide_forecast*, double, int32_t, int32_t, int32_t, gputide_floor*,
                                     gputide_error*);
    gputide_status (*forecast_charge)(gputide_forecast*, int32_t, int32_t, gputide_error*);
    gputide_status (*forecast_describe)(const gputide_forecast*, gputide_text*, gputide_error*);
    gputide_status (*forecast_save)(const gputide_forecast*, gputide_text*, gputide_error*);
    gputide_status (*forecast_load)(gputide_forecast*, const char*, int64_t, gputide_error*);
    const char* (*forecast_state_name)(int32_t);
    const char* (*floor_reason_name)(int32_t);
    gputide_status (*series_new)(gputide_series**, gputide_error*);
    void (*series_free)(gputide_series*);
    gputide_status (*series_add)(gputide_series*, int32_t, const int64_t*, const double*, uint64_t, gputide_error*);
    gputide_status (*series_add_replicas)(gputide_series*, const int64_t*, const int32_t*, uint64_t, gputide_error*);
    gputide_status (*series_read)(gputide_series*, int32_t, const char*, int64_t, const char*, gputide_error*);
    gputide_status (*series_fetch)(gputide_series*, gputide_scaler*, int32_t, int64_t, int64_t, int64_t, int32_t,
                                   const gputide_cancel*, gputide_error*);
    gputide_status (*series_write)(gputide_series*, gputide_text*, gputide_error*);
    gputide_status (*series_describe)(gputide_series*, gputide_text*, gputide_error*);
    gputide_status (*replay_open)(const char*, int64_t, const gputide_options*, const char*, int64_t, gputide_replay**,
                                  gputide_error*);
    void (*replay_free)(gputide_replay*);
    gputide_status (*replay_run)(gputide_replay*, const gputide_series*, const gputide_cancel*, gputide_error*);
    gputide_status (*replay_record)(gputide_replay*, int64_t, const gputide_sample*, uint32_t, uint32_t, int32_t,
                                    gputide_decision*, gputide_error*);
    gputide_status (*replay_report)(gputide_replay*, gputide_text*, gputide_error*);
    gputide_status (*nodes_plan)(const char*, int64_t, const char*, int64_t, int64_t, gputide_nodes_summary*,
                                 gputide_text*, gputide_text*, gputide_error*);
    gputide_status (*rightsize_open)(const char*, int64_t, const gputide_options*, gputide_rightsize**, gputide_error*);
    void (*rightsize_free)(gputide_rightsize*);
    gputide_status (*rightsize_describe)(const gputide_rightsize*, gputide_text*, gputide_error*);
    gputide_status (*rightsize_container)(gputide_rightsize*, const char*, uint32_t*, gputide_error*);
    gputide_status (*rightsize_add)(gputide_rightsize*, const gputide_usage_sample*, uint32_t, uint32_t, uint32_t*,
                                    gputide_error*);
    gputide_status (*rightsize_recommend)(const gputide_rightsize*, uint32_t, int64_t, gputide_text*, gputide_error*);
    gputide_status (*rightsize_fit)(const gputide_rightsize*, int64_t, double, gputide_text*, gputide_error*);
    gputide_status (*rightsize_save)(const gputide_rightsize*, uint32_t, int64_t, gputide_text*, gputide_error*);
    gputide_status (*rightsize_load)(gputide_rightsize*, uint32_t, const char*, int64_t, gputide_error*);
    gputide_status (*scaled_job_decide)(const char*, int64_t, const gputide_options*, const char*, int64_t,
                                        gputide_text*, gputide_error*);
} gputide_plan_api_table;

typedef struct gputide_kubernetes_api_table {
    uint32_t struct_size;
    int32_t abi_version;
    gputide_status (*cluster_attach)(gputide_runtime*, const char*, int64_t, const gputide_options*, gputide_error*);
    gputide_status (*cluster_detach)(gputide_runtime*, int32_t, gputide_error*);
    gputide_status (*cluster_describe)(gputide_runtime*, gputide_text*, gputide_error*);
    gputide_status (*cluster_doctor)(const char*, int64_t, const gputide_options*, int32_t, const gputide_cancel*,
                                     gputide_text*, gputide_text*, gputide_error*);
    gputide_status (*cluster_list)(const char*, const gputide_options*, int32_t, const gputide_cancel*, gputide_text*,
                                   gputide_error*);
    gputide_status (*cluster_handover)(const char*, int64_t, const gputide_options*, int32_t, const gputide_cancel*,
                                       gputide_text*, gputide_error*);
    gputide_status (*agent_pool_write)(const gputide_credential*, const char*, int64_t, int32_t, const gputide_cancel*,
                                       gputide_text*, gputide_error*);
} gputide_kubernetes_api_table;

/* Return the table for the ABI that the caller was built for (GPUTIDE_ABI_VERSION).  Static.  NULL with the reason in err
 * (GPUTIDE_E_TOO_NEW) for an ABI that this library does not serve; err may be NULL. */
GPUTIDE_API const gputide_api_table* gputide_api(uint32_t abi_version, gputide_error* err);
GPUTIDE_API const gputide_plan_api_table* gputide_plan_api(uint32_t abi_version, gputide_error* err);
GPUTIDE_API const gputide_kubernetes_api_table* gputide_kubernetes_api(uint32_t abi_version, gputide_error* err);

#ifdef __cplusplus
}
#endif

#endif /* GPUTIDE_TABLE_H */
