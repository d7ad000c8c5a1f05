// The commands that bring the sliders' settings into the cluster.
'use strict';

const Patch = (() => {
  const isHpa = (policy) => policy.kind === 'HorizontalPodAutoscaler';

  // The trigger's own key of its threshold, as the manifest writes it.
  const thresholdKey = (manifest) => (/\btargetValue\b/.test(manifest) ? 'targetValue' : 'threshold');

  function spec(policy, changed) {
    const behavior = changed.down_window_s === undefined ? undefined : { scaleDown: { stabilizationWindowSeconds: changed.down_window_s } };
    if (isHpa(policy)) return { minReplicas: changed.min, maxReplicas: changed.max, behavior };
    return {
      minReplicaCount: changed.min,
      maxReplicaCount: changed.max,
      cooldownPeriod: changed.cooldown_s,
      advanced: behavior && { horizontalPodAutoscalerConfig: { behavior } },
    };
  }

  function yaml(value, indent) {
    return Object.entries(value).filter(([, member]) => member !== undefined).map(([key, member]) =>
      (typeof member === 'object' ? `${indent}${key}:\n${yaml(member, `${indent}  `)}` : `${indent}${key}: ${member}\n`)).join('');
  }

  // Changed settings → text for a file or a terminal.
  function text(policy, manifest, changed) {
    const kind = isHpa(policy) ? 'hpa' : 'scaledobject';
    const name = `-n ${policy.namespace} ${kind} ${policy.name}`;
    const body = yaml(spec(policy, changed), '  ');
    let out = body === '' ? '' : `# kubectl patch ${name} --type merge --patch-file patch.yaml\nspec:\n${body}`;
    if (changed.threshold !== undefined) {
      if (isHpa(policy)) return `${out}# and spec.metrics[0]: a target of ${changed.threshold}\n`;
      const change = [{ op: 'replace', path: `/spec/triggers/0/metadata/${thresholdKey(manifest)}`, value: String(changed.threshold) }];
      out += `# kubectl patch ${name} --type json -p '${JSON.stringify(change)}'\n`;
    }
    return out || '# nothing differs from the manifest\n';
  }

  return { text };
})();
