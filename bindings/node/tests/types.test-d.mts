// The same package for `import` of ES modules.  Only compiled.
import { Limit, Policy, type Decision, type Observation } from 'gputide';

export function decide(text: string, observation: Observation): Decision {
  const decision = new Policy(text).newState().decide(observation);
  if (decision.numbers.limitedBy === Limit.SCALE_UP) console.log(decision.explain());
  return decision;
}
