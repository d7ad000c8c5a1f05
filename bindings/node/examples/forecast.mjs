// A forecast in a loop of one's own: a load that rises every hour, replicas that carry 5 each and take minutes to start.  The size
// that ask() gives is what the coming minutes need, and never below what the load of this minute does.
import { Forecast } from 'gputide';

const target = 5;
const maxReplicas = 40;
const name = 'serve';
let currentReplicas = 4;
let now = new Date('2026-11-21T00:00:00Z');

/** Does what a host does: writes the size, and says which one it wrote. */
async function resize(workload, replicas) {
  if (replicas !== currentReplicas) {
    console.log(`${now.toISOString().slice(5, 16)} ${workload}: ${currentReplicas} -> ${replicas}`);
  }
  currentReplicas = replicas;
  return replicas;
}

const forecast = new Forecast({ warmup_ms: 3_600_000 });
for (let minute = 0; minute < 2 * 1440; minute += 1) {
  const load = minute % 60 < 10 ? 100 : 20;
  const reactiveReplicas = load / target;
  forecast.add(now, load);
  const floor = forecast.floor(target, { reactiveReplicas, currentReplicas, maxReplicas });
  forecast.charge(await resize(name, floor.replicas), reactiveReplicas);
  now = new Date(now.getTime() + 60_000);
}
console.log(`${Math.round(forecast.describe().data.skill_percent)} % better than saying that nothing will change`);
forecast.close();
