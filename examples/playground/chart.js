// Draws a report: above the metric and its target, below the replicas.  The cursor is moved by pointer and arrow keys.
'use strict';

const Chart = (() => {
  const GAP = 26;
  let canvas;
  let shown; // { report, before, cursor }
  let onMove;

  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  function scale(low, high, top, bottom) {
    const span = high - low || 1;
    return (value) => bottom - ((value - low) / span) * (bottom - top);
  }

  function line(draw, xs, values, y, stroke, width, isStep) {
    draw.beginPath();
    let isDown = false;
    let last = 0;
    values.forEach((value, index) => {
      if (value === null || value === undefined) { isDown = false; return; }
      if (isDown && isStep) draw.lineTo(xs[index], last);
      if (isDown) draw.lineTo(xs[index], y(value)); else draw.moveTo(xs[index], y(value));
      last = y(value);
      isDown = true;
    });
    draw.strokeStyle = color(stroke);
    draw.lineWidth = width;
    draw.stroke();
  }

  // The metric's level at which the policy asks for more: per replica for a total, else the target itself.
  function levels(report) {
    const { target, target_type: type } = report.policy.metrics[0];
    const isTotal = type === 'AverageValue' && report.model.signal[0] === 'total';
    return report.chart.ready.map((ready) => (isTotal ? target * ready : target));
  }

  function axis(draw, text, x, y) {
    draw.fillStyle = color('soft');
    draw.fillText(text, x, y);
  }

  function paint() {
    if (!shown) return;
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const draw = canvas.getContext('2d');
    draw.scale(ratio, ratio);
    draw.font = '12px system-ui, sans-serif';
    const { report, before, cursor } = shown;
    const chart = report.chart;
    const first = chart.time_ms[0];
    const span = chart.time_ms[chart.time_ms.length - 1] - first || 1;
    const x = (time) => 2 + ((time - first) / span) * (width - 4);
    const xs = chart.time_ms.map(x);
    const half = height / 2;
    const target = levels(report);
    const highest = Math.max(...chart.value_high.map((value) => value ?? 0), ...target);
    const metric = scale(0, highest, 16, half - GAP / 2);
    line(draw, xs, chart.value_high, metric, 'value', 1, false);
    line(draw, xs, target, metric, 'target', 1.5, true);
    const largest = Math.max(...chart.replicas, ...before.chart.replicas, 1);
    const size = scale(0, largest, half + GAP, height - 18);
    line(draw, before.chart.time_ms.map(x), before.chart.replicas, size, 'before', 1, true);
    line(draw, xs, chart.ready, size, 'ready', 1, true);
    line(draw, xs, chart.replicas, size, 'replicas', 2, true);
    axis(draw, `metric, 0 to ${Math.round(highest)}`, 4, 12);
    axis(draw, `replicas, 0 to ${largest}`, 4, half + GAP - 8);
    axis(draw, day(first), 4, height - 3);
    draw.textAlign = 'right';
    axis(draw, day(first + span), width - 4, height - 3);
    draw.textAlign = 'left';
    if (cursor === null) return;
    draw.fillStyle = color('text');
    draw.fillRect(xs[cursor], 0, 1, height - 16);
  }

  const day = (ms) => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

  function move(index) {
    if (!shown) return;
    shown.cursor = Math.min(Math.max(index, 0), shown.report.chart.time_ms.length - 1);
    paint();
    onMove(shown.report, shown.cursor);
  }

  function key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -40, PageDown: 40 };
    if (!shown || !(event.key in steps)) return;
    event.preventDefault();
    move((shown.cursor ?? 0) + steps[event.key]);
  }

  function open(element, moved) {
    canvas = element;
    onMove = moved;
    canvas.addEventListener('pointermove', (event) => {
      if (!shown) return;
      const at = event.offsetX / canvas.clientWidth;
      move(Math.round(at * (shown.report.chart.time_ms.length - 1)));
    });
    canvas.addEventListener('keydown', key);
    new ResizeObserver(paint).observe(canvas);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
  }

  function show(report, before) {
    shown = { report, before, cursor: shown && shown.cursor < report.chart.time_ms.length ? shown.cursor : null };
    paint();
  }

  return { open, show, day };
})();
