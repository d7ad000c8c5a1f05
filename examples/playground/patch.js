// The commands that bring the sliders' settings into the cluster.
'use strict';

const Patch = (() => {
  const isHpa = (policy) => policy.kind === 'HorizontalPodAutoscaler';

  // Returns the text of the first trigger, without comments of whole lines; the whole manifest if it cannot be found.
  function firstTrigger(manifest) {
    const text = manifest.replace(/^[ \t]*#.*$/gm, '');
    const found = /\btriggers["']?\s*:[ \t]*(?:#.*)?(?=\s*\[|\n)/.exec(text);
    if (!found) return text;
    const rest = text.slice(found.index + found[0].length);
    if (!/^\s*\[/.test(rest)) { // block style: up to the next item, or to the end of the list
      const item = /^\s*\n( *)-[ \n]/.exec(rest);
      if (!item) return text;
      const body = rest.slice(item[0].length);
      const end = body.search(new RegExp(`\\n {0,${item[1].length}}[^ \\n]`));
      return end > 0 ? body.slice(0, end) : body;
    }
    let depth = 0; // flow style and JSON: up to the brace that closes the first mapping
    for (const { 0: token, index } of rest.matchAll(/"(?:\\.|[^"\\])*"|'[^']*'|[{}]/g)) {
      if (token === '{') depth += 1;
      if (token === '}' && (depth -= 1) === 0) return rest.slice(0, index);
    }
    return text;
  }

  // The trigger's own key of its threshold, as the manifest writes it.
  const thresholdKey = (manifest) => (/\btargetValue["']?\s*:/.test(firstTrigger(manifest)) ? 'targetValue' : 'threshold');

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
