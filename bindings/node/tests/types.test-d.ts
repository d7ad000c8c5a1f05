// A program in TypeScript, and what its compiler refuses.  Only compiled, by `tsc --project .`.
import gputide = require('gputide');
import { Forecast, GputideError, LogReader, Policy, Replay, Rightsize, Runtime, Scaler, Series, ThrottledError } from 'gputide';
import { checkManifest, decideScaledJob, doctor, doctorCluster, planNodes } from 'gputide';

declare function write(replicas: number): Promise<boolean>;

export async function first(text: string, signal: AbortSignal): Promise<number> {
  await using scaler = new Scaler(text, { allowEnvironment: true, allowedPrograms: ['az'], files: [{ text: 'x' }] });
  const decision = await scaler.tick(
    { current: 3, samples: [1, null, { value: 2, time: new Date() }] },
    { timeout: 5000, signal },
  );
  if (decision.limitedBy === 'scale_up_limit') console.log(decision.conditions.ScalingLimited?.reason);
  if (decision.wantsWrite) scaler.record(decision, await write(decision.desired));
  const limit: string | number = decision.limitedBy;
  return decision.desired + String(limit).length;
}

export function numbers(text: Uint8Array): number {
  using policy = new Policy(text);
  using state = policy.newState(new Date());
  const podSamples = [{ metric: 0, pod: 1, valueMilli: 5n }];
  // @ts-expect-error a state is made by a policy
  new gputide.State();
  // @ts-expect-error applied is a boolean
  state.record(state.decide({ current: 1 }), 1);
  // @ts-expect-error an unknown option
  new Policy(text, { alowEnvironment: true });
  return state.decide({ current: 3, pods: [{ phase: 'Running', ready: null }], podSamples }, { report: true }).report?.data
    .desired;
}

export async function fleet(text: string): Promise<void> {
  const runtime = new Runtime({ seed: 2n ** 63n, startSpread: 200 });
  runtime.observe(runtime.add(text, { tag: 5n, strict: true }), { current: 3 });
  for await (const event of runtime.events()) {
    if (event.wantsWrite && event.desired !== null) runtime.record(event, await write(event.desired));
    if (event.decision?.source === 'hpa') break;
  }
  await runtime.close({ timeout: 1000 });
}

export async function others(text: string): Promise<string> {
  const series = new Series();
  series.add(0, [new Date(), 5], [1, 2]);
  await new Replay(text, { settings: { model: 'open' } }).run(series);
  for await (const { level, text: line } of new LogReader('debug')) console.log(level, line);
  const found = await doctor(text, { options: { strict: true }, observation: { current: 3 } });
  const cluster = await doctorCluster('namespaces: [ml]', { options: { kubeconfig: 'kubeconfig' }, timeout: 1000 });
  return checkManifest(text).lines + found.lines + cluster.report.data.verdict;
}

export function planned(text: string, load: number): number {
  using forecast = new Forecast({ lead_ms: 300_000 });
  forecast.add(new Date(), load);
  const floor = forecast.floor(10, { reactiveReplicas: 10, currentReplicas: 10, maxReplicas: 40 });
  if (floor.reason === 'raised') forecast.charge(floor.replicas, 10);
  using rightsize = new Rightsize({ sku: 'Standard_NC24ads_A100_v4' });
  rightsize.add([{ busy: 30.5, memoryBytes: 5n, container: rightsize.container('chat') }]);
  // @ts-expect-error a sample has no memory without its unit
  rightsize.add([{ memory: 5 }]);
  const jobs = decideScaledJob(text, { values: [12.5, null], running: 3, pending: 1 }, { allowUnverifiedPeers: true });
  return (
    planNodes(text, { state: '', now: new Date() }).nodesToAdd + jobs.data.create + rightsize.recommend().data.verdict.length
  );
}

export function failed(error: unknown): Date | null {
  if (error instanceof ThrottledError) return error.retryAt;
  if (error instanceof GputideError && error.code === 'E_FORBIDDEN' && error.status === gputide.Status.FORBIDDEN) throw error;
  return null;
}
