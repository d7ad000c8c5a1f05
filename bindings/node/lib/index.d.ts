/**
 * The replica count that KEDA and the HPA would write, and why.
 *
 * Numbers alone: {@link Policy}, {@link State}. A manifest as a whole: {@link Scaler}, {@link checkManifest}, {@link doctor}. Many of
 * them: {@link Runtime}. One metric: {@link Source}. Tokens: {@link Credential}. Recorded days: {@link Series}, {@link Replay}. A
 * forecast alone: {@link Forecast}. Nodes: {@link planNodes}. What a workload needs: {@link Rightsize}. A ScaledJob:
 * {@link decideScaledJob}. The library's log: {@link logTo}.
 *
 * Times are Dates or Unix milliseconds, durations milliseconds. What fails throws a {@link GputideError}; each status of gputide.h
 * has a class of its own. A mistake in the program (a closed handle, a NUL in a name, a fraction where a whole number belongs) is a
 * {@link ClosedError}, a TypeError or a RangeError.
 *
 * @packageDocumentation
 */

import { Action, Status } from './numbers';

export * from './numbers';

// ---- values

/** A string, or its UTF-8 bytes. */
export type Text = string | Uint8Array;

/** A point in time: a Date, or Unix milliseconds. */
export type Instant = Date | number;

/** A word that this package knows, or one of a newer library; a number where the library has no word for it. */
export type Word<Known extends string> = Known | (string & {}) | number;

/** Ends a call that waits: it rejects with `signal.reason`. */
export interface Cancellable {
  signal?: AbortSignal | null;
}

/** For a call that waits. */
export interface Waiting extends Cancellable {
  /** Milliseconds over all of it, the wait for a turn and for a thread included, rounded up; 10,000 unless a call says otherwise. */
  timeout?: number;
}

/** The whole reason of a decision is recorded where `report` is true. */
export interface Reporting {
  report?: boolean;
}

/** A JSON text of the library: as it came, and parsed when asked for. */
export declare class JsonText {
  private constructor();
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data: any;
  toString(): string;
  toJSON(): unknown;
}

/** A text beside the main one: a TriggerAuthentication, a Secret, a ConfigMap. */
export interface File {
  text: Text;
  /** For messages. */
  name?: string;
}

/** The permissions and facts of the host program; no manifest can say any of it. Nothing is allowed by default. */
export interface Options {
  /** Any name in `${NAME}` and `env:`. */
  allowEnvironment?: boolean;
  /** A credential over http to a host that is not loopback. */
  allowPlainHttp?: boolean;
  /** A login endpoint outside the known Azure clouds. */
  allowCustomAuthority?: boolean;
  /** AKS identity bindings. */
  enableAzureProxy?: boolean;
  /** The strict profile, as if each manifest said `gputide.io/profile: strict`. */
  strict?: boolean;
  /** No credential to a peer without a verified certificate. */
  verifiedPeers?: boolean;
  /** Tokens of the host's identities (podIdentity), too, to a peer that a manifest says not to verify. */
  allowUnverifiedPeers?: boolean;
  /** Name of the main text in messages. */
  textName?: string;
  /** "name" or "namespace/name", where the text holds several scalers. */
  scaler?: string;
  /** Further texts. */
  files?: readonly File[];
  /** Variables that `${NAME}` and `env:` may name: `['TENANT', 'APP_*']`. */
  allowedEnvironment?: readonly string[];
  /** Hosts that may get a cloud token beside the cloud's own. */
  allowedTokenHosts?: readonly string[];
  /** Programs that may be run for a token: `['az', '/opt/bin/token']`. */
  allowedPrograms?: readonly string[];
  /** `DIR/<name>/<key>` for secretTargetRef and configMapTargetRef; tokenFile lies below it. */
  secretsDir?: string;
  /** PEM roots; instead of SSL_CERT_FILE, SSL_CERT_DIR and the system's. */
  caFile?: string;
  /** The same as text; goes before `caFile`. */
  caPem?: Text;
  /** "http://proxy:3128"; "environment": HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
  proxy?: string;
  userAgent?: string;
  /** The Kubernetes cluster to read from. */
  kubeconfig?: string;
  /** One of its contexts. */
  kubeContext?: string;
  /** Token, ca.crt and namespace of a pod. */
  serviceAccountDir?: string;
}

export type SampleStateName =
  'not_given' | 'ok' | 'empty' | 'not_a_number' | 'stale' | 'partial' | 'ambiguous' | 'auth' | 'timeout' | 'failed';

export type StatusName =
  | 'OK'
  | 'E_INVALID'
  | 'E_AUTH'
  | 'E_FORBIDDEN'
  | 'E_THROTTLED'
  | 'E_UNAVAILABLE'
  | 'E_UNSUPPORTED'
  | 'E_TIMEOUT'
  | 'E_CANCELLED'
  | 'E_REJECTED'
  | 'E_PROTOCOL'
  | 'E_SECURITY'
  | 'E_NO_DATA'
  | 'E_AMBIGUOUS'
  | 'E_PARTIAL'
  | 'E_LIMIT'
  | 'E_STATE'
  | 'E_TOO_NEW'
  | 'E_NO_MEMORY'
  | 'E_BUG'
  | 'E_NOT_FOUND';

export type ActionName =
  | 'none'
  | 'retry'
  | 'wait'
  | 'fix_configuration'
  | 'fix_credentials'
  | 'grant_role'
  | 'fix_query'
  | 'allow_by_name'
  | 'upgrade'
  | 'report_bug';

/** One number, or the reason that there is none. */
export interface Sample {
  /** null: there is no number. */
  value?: number | null;
  /** When it was true; null: unknown. */
  time?: Instant | bigint | null;
  /** Follows from the value where it is not given. */
  state?: Word<SampleStateName>;
  /** The error of the failed read. */
  status?: Word<StatusName>;
  /** Why there is no number, for reports. */
  message?: string;
  /** Nothing came, and ignoreNullValues made 0 of it. */
  nullAsZero?: boolean;
}

/** A number that is true now, a sample, or null where nothing is said of that metric. */
export type Value = number | Sample | null;

/** For metrics of type Pods, Resource and ContainerResource. */
export interface Pod {
  /** For messages. */
  name?: string;
  /** As Kubernetes spells it; 'Running' unless given. */
  phase?: 'Running' | 'Pending' | 'Succeeded' | 'Failed' | 'Unknown' | (string & {}) | number;
  /** The Ready condition; null: the pod has none. True unless given. */
  ready?: boolean | null | number;
  /** It has a deletion timestamp. */
  deleting?: boolean;
  startTime?: Instant | null;
  /** lastTransitionTime of Ready; as `startTime` unless given. */
  readyChangeTime?: Instant | null;
}

/** The value of one metric for one pod. */
export interface PodSample {
  /** Index of the policy's metric, from 0. */
  metric: number;
  /** Which of the observation's pods, from 1; 0: one that is not listed. */
  pod?: number;
  /** Thousandths, as Kubernetes counts; null: only its request is known. */
  valueMilli?: number | bigint | null;
  /** Utilization: what the pod requests; 0: no request. */
  requestMilli?: number | bigint;
  /** Now unless given. */
  time?: Instant | null;
  /** Seconds; 60 unless given. */
  windowS?: number;
  /** Without `requestMilli`: the first container without one, for messages. */
  container?: string;
}

/** The current facts: the target's size, its pods, numbers that the host brings. */
export interface Observation {
  /** spec.replicas; may be left out where `unreadable`. */
  current?: number;
  /** One per metric of the policy, in its order. */
  samples?: readonly Value[];
  /** The clock's unless given. */
  now?: Instant | null;
  /** Pods that exist; as `current` unless given. */
  statusReplicas?: number | null;
  /** Pods that are ready; as `current` unless given. */
  readyReplicas?: number | null;
  /** The target's size could not be read. */
  unreadable?: boolean;
  /** With `unreadable`: why, for conditions. */
  message?: string;
  /** All pods of the target; left out: they are not listed. */
  pods?: readonly Pod[];
  podSamples?: readonly PodSample[];
}

// ---- decisions

export type LimitName =
  | 'none'
  | 'tolerance'
  | 'stabilized'
  | 'scale_up_limit'
  | 'scale_down_limit'
  | 'min'
  | 'max'
  | 'cooldown'
  | 'fallback'
  | 'paused'
  | 'not_due'
  | 'no_data'
  | 'budget'
  | 'forecast'
  | 'no_capacity';

/** The state of a forecast: 'off' where it is not better than "nothing will change". */
export type ForecastStateName = 'warming' | 'off' | 'spent' | 'on';

export type ScaleEventName =
  | 'KEDAScaleTargetActivated'
  | 'KEDAScaleTargetDeactivated'
  | 'KEDAScaleTargetActivationFailed'
  | 'KEDAScaleTargetDeactivationFailed';

export type ConditionName =
  'AbleToScale' | 'ScalingActive' | 'ScalingLimited' | 'ScaledToZero' | 'Ready' | 'Active' | 'Fallback' | 'Paused';

/** A condition as `kubectl describe` shows it. */
export interface ConditionState {
  status: Word<'True' | 'False' | 'Unknown'>;
  /** "" for none. */
  /** As Kubernetes spells it ("ScaleDownStabilized"); "" for none. */
  reason: Word<string>;
  /** When the status last changed. */
  since: Date | null;
}

/** The numbers of gputide.h behind a decision's words. */
export interface DecisionNumbers {
  /** Bits, GPUTIDE_DECIDED_*. */
  flags: number;
  nowMs: number;
  nextDueMs: number;
  /** {@link Limit} */
  limitedBy: number;
  /** {@link DecisionSource}; 0: nothing was decided yet. */
  source: number;
  /** {@link ScaleEvent} */
  event: number;
  /** By {@link Condition}; truth: {@link Truth}. */
  conditions: { truth: number; reason: number; sinceMs: number }[];
}

/** Write `desired` to the target where `wantsWrite`, then record how that went. */
export declare class Decision {
  private constructor();
  /** Its number in the state; never 0. */
  readonly id: number;
  readonly now: Date | null;
  /** When the next decision is due; earlier ones are limited by 'not_due'. */
  readonly nextDue: Date | null;
  readonly current: number;
  readonly desired: number;
  /** The size that the metrics ask for, before stabilization, limits and bounds. */
  readonly proposed: number;
  readonly wantsWrite: boolean;
  readonly limitedBy: Word<LimitName>;
  /** The scaler that it belongs to; null: nothing was decided yet. */
  readonly source: Word<'hpa' | 'executor'> | null;
  /** Index of the metric that asked for the most; -1: none; -2: scalingModifiers' formula. */
  readonly winner: number;
  /** Index of the first that failed; -1: none. */
  readonly failedMetric: number;
  /** The text that KEDA would report as an event of the object. */
  readonly event: Word<ScaleEventName> | null;
  /** The state of the forecast; null: the policy has none. */
  readonly forecastState: Word<ForecastStateName> | null;
  /** Replicas that the load to be ready for takes; null: the forecast asks for nothing. */
  readonly forecastNeed: number | null;
  /** A trigger is active. */
  readonly active: boolean;
  /** A trigger or metric failed and nothing took its place. */
  readonly failed: boolean;
  /** KEDA's half was due and ran. */
  readonly byExecutor: boolean;
  /** The HPA's half was due and ran. */
  readonly byHpa: boolean;
  /** Those that are set. */
  readonly conditions: { [Name in ConditionName]?: ConditionState } & { [name: string]: ConditionState };
  /** The whole reason, where the call was asked for it. */
  readonly report: JsonText | null;
  readonly numbers: DecisionNumbers;
  /** The report as lines for a person; "" without one. */
  explain(): string;
  toJSON(): object;
}

/** A report as lines for a person: conditions, then the trace step by step. */
export declare function renderReport(report: JsonText | Text): string;

/**
 * The rules of decisions: bounds, thresholds, behavior, cooldown of a ScaledObject or HorizontalPodAutoscaler. Immutable.
 *
 * ```js
 * const policy = new Policy(manifest);
 * const decision = policy.newState().decide({ current: 3, samples: [42.5], now: new Date() });
 * ```
 */
export declare class Policy {
  constructor(manifest: Text, options?: Options | null);
  /** The words for the metrics in every JSON text, in the order in which samples are given. */
  readonly metrics: readonly string[];
  readonly closed: boolean;
  /** The policy with each default filled in. */
  describe(): JsonText;
  /** A scaler's memory, empty. created: the object's creationTimestamp; the first decision's time unless given. */
  newState(created?: Instant | null): State;
  /** The text that {@link State.save} gave, also by an older release; unchecked: what {@link State.describe} gave. */
  loadState(text: Text, options?: { unchecked?: boolean }): State;
  /** May be repeated. States go on. */
  close(): void;
  [Symbol.dispose](): void;
}

/** The memory of one scaler: activity, stabilization windows, scale events, failure counts. */
export declare class State {
  private constructor();
  readonly closed: boolean;
  clone(): State;
  /**
   * The replica count that KEDA and the HPA would write: at once, without I/O or clock where `now` is given.
   * Worked: threshold 5, 3 replicas, sample 42.5 → ceil(42.5 / 5) = 9.
   */
  decide(observation: Observation, options?: Reporting): Decision;
  /** Records how the write of `decision.desired` went, once; the decision's conditions and event follow. message: why it failed. */
  record(decision: Decision, applied: boolean, now?: Instant | null, message?: string): void;
  /** Text that survives a restart, for {@link Policy.loadState}. */
  save(): string;
  /** The same for people and programs that look into it. */
  describe(): JsonText;
  close(): void;
  [Symbol.dispose](): void;
}

// ---- a manifest as a whole

/**
 * Sources, credentials, policy and state of one ScaledObject or HorizontalPodAutoscaler. Opening one sends nothing. Calls that wait
 * take turns in their order; meanwhile the others throw a {@link BusyError}.
 */
export declare class Scaler {
  constructor(manifest: Text, options?: Options | null);
  readonly closed: boolean;
  /**
   * Fetch every trigger that is due, decide. A trigger that fails does not fail the call: `decision.failed`, and
   * {@link Scaler.describe} has each error.
   */
  tick(observation: Observation, options?: Waiting & Reporting): Promise<Decision>;
  /** Records how the write of `decision.desired` went, once. message: why it failed, for conditions. */
  record(decision: Decision, applied: boolean, now?: Instant | null, message?: string): void;
  /** Policy (as {@link Policy.describe}), conditions, and for each metric its last value, age, state, latency and error. */
  describe(): JsonText;
  /** The state as text that survives a restart. */
  save(): string;
  /** The text that {@link Scaler.save} gave, in place of the state. */
  load(text: Text): void;
  /** Ends calls that wait, waits until no call is inside, frees. May be repeated. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The findings of a manifest's check. */
export interface Findings {
  /** All findings are warnings. */
  ok: boolean;
  /** The scalers in it and the findings; null where the text could not be read at all. */
  report: JsonText | null;
  /** The findings as a compiler prints them. */
  lines: string;
  error: InvalidError | LimitError | null;
}

/** Reads a manifest without opening anything. A wrong one does not throw: its findings say what is wrong. */
export declare function checkManifest(manifest: Text, options?: Options | null): Findings;

/** The findings of {@link doctor} or {@link doctorCluster}. */
export interface Diagnosis {
  /** A verdict for each step. */
  report: JsonText;
  /** The same for a person, the conclusion first. */
  lines: string;
}

/**
 * Finds what is wrong with a manifest's triggers, by following each of them as a request would. Reads the network.
 * observation: the present size, and samples that the host pushes; the manifest's minimum, now, unless given. 60 s unless `timeout` says.
 */
export declare function doctor(
  manifest: Text,
  options?: Waiting & { options?: Options | null; observation?: Observation | null },
): Promise<Diagnosis>;

// ---- many of them

/** 0 or absent: the library's default, docs/runtime.md. Durations in milliseconds. */
export interface RuntimeOptions {
  /** Events also for decisions that change nothing. */
  everyDecision?: boolean;
  /** Events carry the decision's report. */
  reports?: boolean;
  /** Each scaler asks for itself. */
  noSharing?: boolean;
  /** Each poll begins with an observation that a due event asks for. */
  observeFirst?: boolean;
  /** A seed of the start offsets: 64 bits. */
  seed?: number | bigint;
  pollTimeout?: number;
  startSpread?: number;
  shareWindow?: number;
  maxInFlight?: number;
  maxPerEndpoint?: number;
  breakerFailures?: number;
  breakerBase?: number;
  breakerCap?: number;
  gather?: number;
}

/** The tag of a scaler in a runtime: the host's own number for it, 64 bits, which comes back in its events. */
export interface Tagged {
  tag?: number | bigint | null;
}

/** A report of a runtime about one scaler: a decision, or that it is due and wants an observation. */
export declare class ScalerEvent {
  private constructor();
  readonly kind: Word<'decision' | 'due' | 'cluster'>;
  /** The scaler's, as {@link Runtime.add} gave it. */
  readonly id: number;
  /** A bigint where a number could not say it. */
  readonly tag: number | bigint;
  /** "namespace/name" */
  readonly name: string;
  /** 1, 2, 3, … in the order in which events are taken. */
  readonly sequence: number;
  /** When the host saw what the decision stands on. */
  readonly observed: Date | null;
  /** Earlier decisions of this scaler that the host did not take in time. */
  readonly replaced: number;
  /** The runtime waits for {@link Runtime.observe}; there is no decision. */
  readonly due: boolean;
  readonly decision: Decision | null;
  readonly current: number | null;
  readonly desired: number | null;
  readonly wantsWrite: boolean;
  readonly report: JsonText | null;
}

/**
 * Many scalers, polled side by side over shared connections and tokens. Driven by a thread of its own between {@link Runtime.start}
 * and {@link Runtime.stop}, by {@link Runtime.step}, or by the caller that waits for events.
 *
 * ```js
 * for await (const event of runtime.events({ signal })) {
 *   if (event.wantsWrite) runtime.record(event, await write(event.name, event.desired));
 * }
 * ```
 */
export declare class Runtime {
  constructor(options?: RuntimeOptions | null);
  readonly closed: boolean;
  /** One more scaler; its id. It is polled from the first observation on. */
  add(manifest: Text, options?: Options & Tagged): number;
  /** Another manifest for the same name; observation, schedule and, where it fits, state stay. */
  replace(id: number, manifest: Text, options?: Options & Tagged): void;
  remove(id: number): void;
  /** The id of "namespace/name". */
  find(name: string): number;
  /** The id behind that one, 0: the first. {@link NotFoundError} behind the last. */
  nextScaler(after?: number): number;
  /** All ids; one that is there all the while comes exactly once, whatever is added and removed meanwhile. */
  scalers(): Generator<number, void, undefined>;
  /** Sets what is true of a scaler's target now; used until the next one. The first starts the polling. */
  observe(id: number, observation: Observation): void;
  /** Numbers of metrics that the host brings, one per metric; null keeps what was. */
  push(id: number, samples: Iterable<Value>): void;
  /** The next event; null where none came in time. A timeout of 0 looks and does not wait. */
  nextEvent(options?: Waiting): Promise<ScalerEvent | null>;
  /** Every event until the runtime is closed, or the signal is aborted: then with its reason. Each is given to one consumer. */
  events(options?: Cancellable): AsyncIterableIterator<ScalerEvent>;
  /**
   * Records how the write of an event's decision went, once; where it was applied, its size is the target's from now on. message: why it
   * failed, for conditions.
   */
  record(event: ScalerEvent, applied: boolean, now?: Instant | null, message?: string): void;
  /** The same of a decision without its event. */
  recordDecision(id: number, decision: Decision, applied: boolean, now?: Instant | null, message?: string): void;
  /** A scaler's state as text that survives a restart. */
  save(id: number): string;
  load(id: number, text: Text): void;
  /** One scaler: its numbers, its observation, its last decision, its metrics. */
  describe(id: number): JsonText;
  /** Counters of the whole: poll lag, errors by reason, queues, endpoints with their breakers. */
  stats(): JsonText;
  /** Works on a Kubernetes cluster by itself from now on, docs/kubernetes.md; options say which one and with which identity. Events of kind
   * `cluster` tell what it does, in report alone. */
  attachCluster(settings?: Text, options?: Options): void;
  /** Writes nothing any more, gives the Leases back, forgets its scalers. {@link TimeoutError} where it goes on: call again. */
  detachCluster(options?: { timeout?: number }): Promise<void>;
  /** Leases, watches, writes by result, blocked scalers and why. */
  describeCluster(): JsonText;
  /** Start the runtime's own thread. */
  start(): void;
  /** End it. {@link TimeoutError} where it is still stopping: call again. */
  stop(options?: { timeout?: number }): Promise<void>;
  /** Does what is due, without waiting. When to call again, in Unix milliseconds; null: when something was changed. */
  step(now?: Instant | null): number | null;
  /** A descriptor for native code's poll and epoll, readable while an event waits; Node itself cannot watch it. */
  wakeFd(): number;
  /**
   * Ends the runtime for good: calls inside end soon, a wait for events included, and its thread. Save the states before.
   * {@link TimeoutError} where that took longer than `timeout`: call again. However long it takes unless given.
   */
  close(options?: { timeout?: number }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

// ---- one metric

/** One entry of a ScaledObject's triggers, and beside it the TriggerAuthentication that it names. */
export declare class Source {
  constructor(text: Text, options?: Options | null);
  readonly closed: boolean;
  /** One value, read over the network. The error of a read that fails has its `sample`, which says so too. */
  fetch(options?: Waiting & { now?: Instant | null }): Promise<Sample>;
  /**
   * All series, not reduced to one number: result type, every point and histogram of every series with its labels, warnings,
   * infos, partial. Several series and an empty response are allowed.
   */
  fetchAll(options?: Waiting & { now?: Instant | null }): Promise<JsonText>;
  /** Returns what would be sent: method, url, headers, body. A cloud token is not in it. */
  request(now?: Instant | null): JsonText;
  /** Parses a response by the trigger's rules. */
  parse(httpStatus: number, body: Text): Sample;
  /** Parses a response as {@link Source.fetchAll} does. headers: Headers, an object, or lines "Name: value". */
  parseAll(
    httpStatus: number,
    body: Text,
    headers?: Iterable<readonly [string, string]> | Readonly<Record<string, string>> | Text | null,
  ): JsonText;
  /** Describes the trigger: target, metric name, type, settings with every default. Holds no secret. */
  describe(): JsonText;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A Kubernetes quantity ("1500m", "2Ki", "0.1") in thousandths, rounded away from zero as Kubernetes does. */
export declare function quantity(text: Text): number | bigint;

// ---- tokens

/** A bearer token: `value` is a secret, which console.log and JSON.stringify leave out. */
export declare class Token {
  private constructor();
  readonly value: string;
  readonly expires: Date | null;
  /** The library renews it from here on. */
  readonly refresh: Date | null;
  /** And does not hand it out beyond this. */
  readonly usableUntil: Date | null;
  /** "***" */
  toString(): string;
}

/**
 * Something that gets tokens: a TriggerAuthentication document, or its podIdentity block alone. Equal ones share a cache over the
 * whole process.
 */
export declare class Credential {
  constructor(text: Text, options?: Options | null);
  readonly closed: boolean;
  /** A token for one scope ("https://prometheus.monitor.azure.com/.default"); from the cache where it can. */
  token(scope: string, options?: Waiting): Promise<Token>;
  /**
   * Changes a node pool of AKS, unless the change (JSON) is dry, and follows the operation to its end: what was and what is to be
   * (docs/json.md, agent_pool_write). Ten minutes unless `timeout` says.
   */
  writeAgentPool(change: Text | object, options?: Waiting): Promise<JsonText>;
  /** A resource answered 401 to exactly this token: drop it. */
  invalidate(scope: string, token: Token | Text): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Claims of a JWT that tell the identity that it belongs to (aud, iss, tid, sub, exp, …). Nothing is verified. */
export declare function tokenClaims(token: Token | Text): JsonText;

// ---- recorded days

/** Recorded values of each metric over time, and the workload's size meanwhile. At most 20 million points, in any order. */
export declare class Series {
  constructor();
  readonly closed: boolean;
  /** Points of one metric. A NaN or an infinity is a point without a number. */
  add(metric: number, times: ArrayLike<Instant> | BigInt64Array, values: ArrayLike<number>): void;
  /** Replica counts that the workload had: what a closed loop needs. */
  addReplicas(times: ArrayLike<Instant> | BigInt64Array, replicas: readonly number[] | Int32Array): void;
  /**
   * Adds what a text holds: CSV, a saved query_range of Prometheus, or the log of `gputided run`.
   * metric: from which one on, 0 unless given; null: of the text only the replica counts, and of a run log its decisions.
   * scaler: of a run log that holds several, "namespace/name".
   */
  read(text: Text, options?: { metric?: number | null; scaler?: string | null }): void;
  /** The past of one metric straight from its source, both ends included, at most 11,000 steps. 60 s unless `timeout` says. */
  fetch(scaler: Scaler, range: Waiting & { metric?: number; from: Instant; to: Instant; step: number }): Promise<void>;
  /** The series as CSV, which {@link Series.read} takes. */
  write(): string;
  /** Points, from, to, gaps, duplicates and the like. */
  describe(): JsonText;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** One replay: a manifest's policy, a model, and the sums so far. settings: docs/replay.md, as an object or JSON. */
export declare class Replay {
  constructor(manifest: Text, options?: Options & { settings?: object | Text | null });
  readonly closed: boolean;
  /** All of a series, once. Takes as long as it takes. */
  run(series: Series, options?: Cancellable): Promise<void>;
  /**
   * Adds what was recorded at a time, which must not go back; the last decision taken so far (source null before the first).
   * replicas: the recorded size; as before unless given.
   */
  record(time: Instant, samples: Iterable<Value>, options?: { replicas?: number }): Decision;
  /** The result. Ends the replay. */
  report(): JsonText;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

// ---- forecast, nodes, rightsizing, jobs: no I/O

export type FloorReasonName =
  | 'raised'
  | 'within_reactive'
  | 'capped_by_max'
  | 'capped_by_raise'
  | 'observe'
  | 'warming_up'
  | 'not_better'
  | 'budget_spent'
  | 'no_recent_value'
  | 'at_zero';

/** The result of a floor. */
export interface Floor {
  readonly state: Word<ForecastStateName>;
  readonly reason: Word<FloorReasonName>;
  /** The reactive size or more; never above the maximum because of the forecast. */
  readonly replicas: number;
  /** The value taken; null: it asks for nothing. */
  readonly needReplicas: number | null;
  /** The load to be ready for. */
  readonly floorLoad: number | null;
}

/**
 * The load of the next start-up time, for a host that scales in a loop of its own; in a manifest gputide.io/forecast does all of this.
 * Each pass: step, decide, ask, write the size, book.
 *
 * ```js
 * forecast.add(now, load);
 * const floor = forecast.floor(target, { reactiveReplicas, currentReplicas, maxReplicas });
 * forecast.charge(await write(floor.replicas), reactiveReplicas);
 * ```
 */
export declare class Forecast {
  /** settings: { lead_ms: 300000, budget_percent: 5, mode: 'act' } and more (docs/json.md), as an object or JSON. */
  constructor(settings?: object | Text | null);
  readonly closed: boolean;
  /** A pass read this load: what must be served in total. null or NaN: nothing could be read. now: the clock's where null. */
  add(now: Instant | null, load: number | null): void;
  /** The floor under the size that this pass came to. target: load that one replica takes. */
  floor(target: number, sizes: { reactiveReplicas: number; currentReplicas: number; maxReplicas: number }): Floor;
  /** Books what the budget is counted by: the size that was written, and the one that a loop without the forecast would have. */
  charge(writtenReplicas: number, shadowReplicas: number): void;
  /** Its forecast, how good it has been and what it cost. */
  describe(): JsonText;
  /** Text that survives a restart. */
  save(): string;
  /** The text that {@link Forecast.save} gave. {@link StateError} for a damaged text, and nothing has changed then. */
  load(text: Text): void;
  close(): void;
  [Symbol.dispose](): void;
}

/** The result of {@link planNodes}. */
export interface NodesPlan {
  /** All of it with its reasons. */
  json: JsonText;
  /** For the next plan. */
  state: string;
  /** Findings about the text; what could not be read was left out. */
  errors: number;
  warnings: number;
  nodesToAdd: number;
  /** Now; others may follow later. */
  nodesToRemove: number;
  /** Pods that wait: the sum of the next three. */
  podsPending: number;
  /** That nodes which are there, or on their way, can take. */
  podsOnExisting: number;
  podsOnNew: number;
  /** That no node helps. */
  podsLeft: number;
}

/**
 * The number of GPU nodes of each pool that waiting pods need, and which nodes may go, as the cluster autoscaler would decide it.
 * text: pools, nodes, pods and settings, and Kubernetes' own objects as kubectl prints them, one behind the other (docs/nodes.md).
 * state: what the last plan gave.
 */
export declare function planNodes(text: Text, options?: { state?: Text | null; now?: Instant | null }): NodesPlan;

/**
 * One collection of an API server, whole: "/api/v1/nodes", "/api/v1/namespaces/ml/pods?labelSelector=app%3Dllm". The lists come as the
 * server wrote them, a page of it each, one behind the other, and {@link planNodes} takes them so. options: which API server, and with
 * which identity. 60 s unless `timeout` says.
 */
export declare function listCluster(path: string, options?: Waiting & { options?: Options | null }): Promise<string>;

/**
 * Whether a runtime could work on a cluster: its API server, the token, the kinds that are served, each right that is needed, the
 * Lease. Changes nothing there; a step that fails does not reject. settings and options: as for {@link Runtime.attachCluster}, and
 * they say what is needed, where, and with which identity. 60 s unless `timeout` says.
 */
export declare function doctorCluster(settings?: Text, options?: Waiting & { options?: Options | null }): Promise<Diagnosis>;

/**
 * Hands one ScaledObject over from a living KEDA to gputide, or back, unless the change (JSON) is dry: how far it came, step by step
 * (docs/json.md, cluster_handover). What is refused or still waited for does not reject; calling again goes on. options: which API
 * server, and with which identity. 60 s unless `timeout` says.
 */
export declare function handOver(change: Text | object, options?: Waiting & { options?: Options | null }): Promise<JsonText>;

/** One GPU, MIG instance or (profile vpa) container of a pod, at one time. What is null or left out is not told. */
export interface UsageSample {
  /** Now unless given. */
  time?: Instant | null;
  /** Percent of the GPU; profile vpa: cores. */
  busy?: number | null;
  /** In use, of this GPU; with `oom` what it had requested. */
  memoryBytes?: number | bigint | null;
  /** It ran out of memory; nothing else is told then. */
  oom?: boolean;
  /** Its number, as {@link Rightsize.container} gave it; 0: the one without a name. */
  container?: number;
  /** Which of its GPUs, from 0 over all replicas. */
  unit?: number;
}

/** Finds what a workload really needs: samples of its GPUs in, bounds and what to run it on out (docs/rightsizing.md). */
export declare class Rightsize {
  /** settings: an object, JSON or YAML; also a VerticalPodAutoscaler. Each container has them. */
  constructor(settings?: object | Text | null, options?: Options | null);
  readonly closed: boolean;
  /** The settings with each default filled in, and what was found to remark of them. */
  describe(): JsonText;
  /** The number of the container of that name, from 1; new on its first use. */
  container(name: string): number;
  /** Those of one unit in the order of their times; of how many something counted. */
  add(samples: Iterable<UsageSample>): number;
  /** Verdict, recommendation, runner-up, evidence, money, and a sentence. */
  recommend(options?: { container?: number; now?: Instant | null }): JsonText;
  /** The machines for a known need of each GPU: machines, MIG profile, sharing. */
  fit(memoryBytes: number | bigint, utilPercent: number): JsonText;
  /** The state of one container, a text that survives a restart. */
  save(options?: { container?: number; now?: Instant | null }): string;
  /** In place of what the container had: what {@link Rightsize.save} gave, or the checkpoint object of a VPA. */
  load(text: Text, options?: { container?: number }): void;
  close(): void;
  [Symbol.dispose](): void;
}

/** The facts about a ScaledJob: `values` has one per trigger in the manifest's order, null where its read failed. */
export interface JobsSeen {
  values: readonly (number | null)[];
  running?: number;
  pending?: number;
  /** docs/jobs.md has the others: jobs, unseen, unreadable, was_active. */
  [member: string]: unknown;
}

/**
 * One poll of a KEDA ScaledJob: how many Jobs to create now, and which finished ones go; create, delete, conditions, events, trace.
 * Worked: 12.5 items at 2 per Job, 3 Jobs unfinished → 4.
 */
export declare function decideScaledJob(manifest: Text, observation: JobsSeen | Text, options?: Options | null): JsonText;

// ---- the log

export type LogLevelName = 'error' | 'warning' | 'info' | 'debug';

export interface LogLine {
  level: Word<LogLevelName>;
  text: string;
}

/** Every line of the whole process from its opening on; up to 256 wait, then the oldest give way. */
export declare class LogReader implements AsyncIterable<LogLine> {
  constructor(level?: LogLevelName | number);
  readonly closed: boolean;
  /** The next line; null where none came in time. A timeout of 0 looks and does not wait. */
  next(options?: Waiting): Promise<LogLine | null>;
  /** Lines until the reader is closed; the process does not wait for them. */
  [Symbol.asyncIterator](): AsyncGenerator<LogLine, void, undefined>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A target of {@link logTo}: console, pino, winston. */
export interface Logger {
  error(line: string): void;
  warn(line: string): void;
  info(line: string): void;
  debug(line: string): void;
}

/** The library's lines go to this logger, console by default, until it is closed. Nothing is logged before a reader asks. */
export declare function logTo(
  logger?: Logger,
  level?: LogLevelName | number,
): { close(): Promise<void>; [Symbol.asyncDispose](): Promise<void> };

// ---- the library

/** Open this library file and no other. Before anything else of this package; LibraryError where another one is open already. */
export declare function loadLibrary(path: string): void;

/** The file that the C functions come from; opens the library unless it is open. */
export declare function libraryPath(): string;

/** "0.3.0" */
export declare function libraryVersion(): string;

/** The features "yaml" (manifests may be YAML) and "http2", those that the library was built with. */
export declare function features(): Set<string>;

/** Compiler and dependency versions, for bug reports. */
export declare function buildInfo(): JsonText;

/** C handles that this thread holds: opened here and not freed. */
export declare function alive(): number;

/** The version of this package: "0.3.0". */
export declare const version: string;

/** The number of the binary interface that this package is written for. */
export declare const ABI_VERSION: number;

// ---- errors

/** A call failed. Its message is `where: reason`. */
export declare class GputideError extends Error {
  protected constructor();
  /** The kind of error: 'E_THROTTLED'. */
  readonly code: StatusName | 'E_UNKNOWN';
  /** The same as a number: {@link Status}. */
  readonly status: (typeof Status)[keyof typeof Status] | (number & {});
  /** The next action: the name of an {@link Action} in lower case. */
  readonly action: ActionName | 'unknown';
  /** The same call, unchanged, may work later; `retryAt` says when if it is known. */
  readonly retryable: boolean;
  readonly retryAt: Date | null;
  /** The HTTP status of the failed answer; null: there was none. */
  readonly httpStatus: number | null;
  /** The peer's own word (AADSTS700024, bad_data); "" without one. */
  readonly serviceCode: string;
  /** "so.yaml:17 spec.triggers[0].metadata.threshold" */
  readonly where: string;
  /** The fault, what was expected, what to do: the message without its place. */
  readonly reason: string;
  /** Other details; empty where there was nothing to add, or too much for the buffer that C gives it. */
  readonly detail: Record<string, unknown>;
  readonly detailText: string;
  readonly numbers: {
    readonly action: (typeof Action)[keyof typeof Action] | (number & {});
    readonly retryAtMs: number | bigint;
  };
  /** The error of a failed read: what a decision takes in its place. */
  readonly sample?: Sample;
}

/** A manifest, setting or argument is wrong. */
export declare class InvalidError extends GputideError {}
/** Credentials were refused. */
export declare class AuthError extends GputideError {}
/** Credentials are good, a role is missing. */
export declare class ForbiddenError extends GputideError {}
/** Too many requests: wait until `retryAt`. */
export declare class ThrottledError extends GputideError {}
/** Network or service, for now. */
export declare class UnavailableError extends GputideError {}
/** This credential source does not exist on this machine. */
export declare class UnsupportedError extends GputideError {}
/** The caller's deadline, or the peer's own. */
export declare class TimeoutError extends GputideError {}
/** The call's handle was closed. (An aborted signal rejects with its own reason.) */
export declare class CancelledError extends GputideError {}
/** The peer refuses this query for good. */
export declare class RejectedError extends GputideError {}
/** An answer that cannot be used. */
export declare class ProtocolError extends GputideError {}
/** Going on would have been unsafe. */
export declare class SecurityError extends GputideError {}
/** The query works and there is no value. */
export declare class NoDataError extends GputideError {}
/** Several where one is needed. */
export declare class AmbiguousError extends GputideError {}
/** The peer says that its answer is incomplete. */
export declare class PartialError extends GputideError {}
/** A size, depth or count limit of the library. */
export declare class LimitError extends GputideError {}
/** A saved state that is damaged or foreign; a call that does not fit what was done before. */
export declare class StateError extends GputideError {}
/** The library does not know what was asked of it: it is older than this package. */
export declare class TooNewError extends GputideError {}
/** Memory ran out. */
export declare class NoMemoryError extends GputideError {}
/** Ours: please report it with the message. */
export declare class BugError extends GputideError {}
/** An id or name that is not there. */
export declare class NotFoundError extends GputideError {}

/** The handle was closed: a mistake in the program, no status of the library. */
export declare class ClosedError extends Error {
  readonly code: 'ERR_GPUTIDE_CLOSED';
}

/** A call on a handle that is inside of another one, which waits: await that first. */
export declare class BusyError extends Error {
  readonly code: 'ERR_GPUTIDE_BUSY';
}

/** No usable addon or libgputide-full.so.1; the message has each place that was tried, what was found, and the remedy. */
export declare class LibraryError extends Error {
  readonly code: 'ERR_GPUTIDE_LIBRARY';
}
