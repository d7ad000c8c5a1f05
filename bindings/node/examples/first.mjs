// A manifest to a decision: its triggers are asked, REPLICAS is the present size.   node first.mjs MANIFEST REPLICAS
import { readFile } from 'node:fs/promises';
import { Scaler } from 'gputide';

const [path, replicas] = process.argv.slice(2);
const scaler = new Scaler(await readFile(path), { allowEnvironment: true, textName: path });
try {
  const decision = await scaler.tick({ current: Number(replicas) }, { timeout: 5000 });
  console.log(`${decision.current} -> ${decision.desired} ${decision.limitedBy}`);
  if (decision.wantsWrite) scaler.record(decision, true); // here: write decision.desired, and record whether it succeeded
} finally {
  await scaler.close();
}
