/* gputide, Kubernetes: a runtime that scales the workloads of a cluster by itself, and the node pools of AKS.  In
 * libgputide-full.  The conventions of gputide.h apply. */
#ifndef GPUTIDE_KUBERNETES_H
#define GPUTIDE_KUBERNETES_H

#include "runtime.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ======================================================================================================= 19 cluster */

/* Lets a runtime scale the workloads of a Kubernetes cluster.  It finds ScaledObjects, reads their TriggerAuthentications
 * and Secrets, watches the scale of their targets, decides, and writes the scale subresource while this instance is the
 * leader (leader election by a Lease).  The runtime drives it (_start, _step or _next_event).  Decisions arrive as
 * events, and GPUTIDE_EVENT_CLUSTER reports the writes.  The host must not record them or use these scalers' ids.
 * Failure handling and needed rights: docs/kubernetes.md. */

/* Attaches a cluster.  Returns at once; events and gputide_cluster_describe report the API server's responses.
 *   settings   NULL or empty for the defaults, else JSON or YAML (every member: docs/kubernetes.md):
 *                  {"namespaces": ["ml"], "shadow": true, "lease": {"name": "gputide", "duration_s": 15}, "shards": 1}
 *   options    kubeconfig, kube_context and service_account_dir choose API server and identity; the rest
 *              limits what the cluster's manifests may do.
 * Returns E_STATE if a cluster is attached, or the runtime was created with GPUTIDE_RUNTIME_OBSERVE_FIRST; E_INVALID
 * with the member's line and path; E_UNSUPPORTED if no API server is configured; E_AUTH, E_LIMIT. */
GPUTIDE_API gputide_status gputide_cluster_attach(gputide_runtime* runtime, const char* settings, int64_t size_bytes,
                                                  const gputide_options* options, gputide_error* err);

/* Stops writing, releases the Leases, so that another instance takes over within 3 s, and removes the cluster's
 * scalers.  Call it before _close; otherwise the Leases expire.  Drives the runtime's network meanwhile.  GPUTIDE_OK if
 * no cluster is attached.
 * Returns E_TIMEOUT while it is still detaching: call again; E_CANCELLED when the runtime is closed. */
GPUTIDE_API gputide_status gputide_cluster_detach(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err);

/* Returns JSON: leases, watches and their ages, writes by result, conflicts, differences, blocked scalers and the
 * reason (docs/json.md, cluster_describe).  At most a second old; {} before the first.  Returns E_STATE if no cluster
 * is attached. */
GPUTIDE_API gputide_status gputide_cluster_describe(gputide_runtime* runtime, gputide_text* json, gputide_error* err);

/* ===================================================================================================== 20 diagnosis */

/* Tests whether a runtime could work on a cluster: API server and certificate, token and identity, served
 * kinds, each needed right (by SelfSubjectAccessReview), and the holder of the Lease.  Includes a Role for missing
 * rights.  Blocks; changes nothing.
 *   settings   as for gputide_cluster_attach; namespaces, shadow, lease and shards determine what is needed.
 *   options    as there.
 *   report     JSON with a verdict (ok, warning, failed) for each step (docs/json.md, cluster_doctor).
 *   lines      may be NULL; the same as text for people, the conclusion first.
 * A failed step does not fail the call.  Returns E_LIMIT, E_CANCELLED, E_UNAVAILABLE, E_SECURITY; E_INVALID for
 * settings that cannot be read. */
GPUTIDE_API gputide_status gputide_cluster_doctor(const char* settings, int64_t size_bytes,
                                                  const gputide_options* options, int32_t timeout_ms,
                                                  const gputide_cancel* cancel, gputide_text* report,
                                                  gputide_text* lines, gputide_error* err);

/* ========================================================================================================= 21 lists */

/* Lists one collection of a cluster's API server completely, without a runtime.  Blocks; does not watch or write.
 *   path      "/api/v1/nodes", "/apis/policy/v1/namespaces/ml/poddisruptionbudgets?labelSelector=app%3Dllm"
 *   options   kubeconfig, kube_context and service_account_dir choose API server and identity.
 *   json      the pages of the list as the server wrote them, concatenated: input for gputide_nodes_plan.  At most
 *             256 MiB; use a selector for less.
 * Returns E_INVALID for any other path; E_UNSUPPORTED if no API server is configured; E_FORBIDDEN with the missing RBAC
 * rule; E_REJECTED for a resource that is not served; E_AUTH, E_THROTTLED, E_UNAVAILABLE, E_PROTOCOL, E_SECURITY,
 * E_LIMIT, E_TIMEOUT, E_CANCELLED. */
GPUTIDE_API gputide_status gputide_cluster_list(const char* path, const gputide_options* options, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_text* json, gputide_error* err);

/* ====================================================================================================== 22 handover */

/* Hands one ScaledObject of a cluster over from a running KEDA to gputide, or back, so that never two controllers scale
 * it at the same time.  Blocks.  Writes only annotations of that ScaledObject, each with the resourceVersion that was
 * read.
 *   change    JSON or YAML: {"namespace":"ml","name":"llm","to":"gputide","owner":"gputide","dry":false}.  to is
 *             gputide or keda; dry defaults to true; owner is the value of gputide.io/owner; lease_s the duration of
 *             its Lease (15).
 *   options   kubeconfig, kube_context and service_account_dir choose API server and identity.  Needs: get
 *             and patch scaledobjects, list horizontalpodautoscalers, and if possible get the scale of the target.
 *   timeout_ms   for the whole call; after a timeout json names the pending step, and the next call continues there.
 *   json      progress, step by step (docs/json.md, cluster_handover).
 * Each step is also logged with GPUTIDE_LOG_INFO when it starts to wait and when it ends (docs/json.md,
 * handover_step).  A refused, failed or pending step does not fail the call.  After a crash or a cancel the next call
 * continues.
 * Returns E_INVALID for a change that cannot be read; E_UNSUPPORTED if no API server is configured; E_AUTH, E_LIMIT,
 * E_SECURITY, E_TIMEOUT, E_CANCELLED (completed writes remain). */
GPUTIDE_API gputide_status gputide_cluster_handover(const char* change, int64_t size_bytes,
                                                    const gputide_options* options, int32_t timeout_ms,
                                                    const gputide_cancel* cancel, gputide_text* json,
                                                    gputide_error* err);

/* =================================================================================================== 23 agent pools */

/* Writes the size of one AKS node pool through Azure Resource Manager: reads it, compares, writes it with its ETag, and
 * follows the operation to its end.  Blocks.  The only function of this library that changes anything in Azure.
 *   credential  an Azure identity that may write the cluster's agent pools; the options of gputide_credential_open apply here,
 *               too.
 *   change      JSON: {"cluster":"/subscriptions/.../managedClusters/aks","pool":"gpunp","count":4,"dry":false}.  dry
 *               defaults to true.  count is for a pool without an autoscaler, min and max for a pool with AKS'
 *               autoscaler.  cloud names another cloud; endpoint an address of Azure Resource Manager; its host must
 *               be allowed.  A member that is null counts as absent.
 *   timeout_ms  for the whole call; an operation that is still running then continues, and this is not a failure.
 *   json        size before, wanted size and progress (docs/json.md, agent_pool_write).
 * Returns E_INVALID for a change that does not fit the pool; E_UNAVAILABLE with the time to wait while another
 * operation runs on the cluster; E_REJECTED if the operation failed; E_AUTH, E_FORBIDDEN, E_TIMEOUT, E_CANCELLED
 * (completed writes remain), E_PROTOCOL, E_LIMIT. */
GPUTIDE_API gputide_status gputide_agent_pool_write(const gputide_credential* credential, const char* change,
                                                    int64_t size_bytes, int32_t timeout_ms,
                                                    const gputide_cancel* cancel, gputide_text* json,
                                                    gputide_error* err);

#ifdef __cplusplus
}
#endif

#endif /* GPUTIDE_KUBERNETES_H */
