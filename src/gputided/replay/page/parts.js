// Shared by both pages: numbers, durations and tables.
const half_counts = 1 + 1e-12;  // as in decimal() of gputided
const figure = (value, digits = 1) => (Number(value) * half_counts).toLocaleString("en-US", { maximumFractionDigits: digits });
// Formats "45 s", "2.3 min", "120 h" or "215 days", as span_text() of gputided does.
const span = minutes => minutes > 0 && minutes < 1 ? figure(minutes * 60) + " s" : minutes < 600 ? figure(minutes) + " min"
  : minutes < 14400 ? figure(minutes / 60) + " h" : figure(minutes / 1440) + " days";
function table(to, heads) {
  const made = add(to, "table"), row = add(add(made, "thead"), "tr");
  for (const entry of heads) add(row, "th", entry);
  return add(made, "tbody");
}
function key(to, parts) {
  for (const [name, text] of parts) {
    const entry = add(to, "span");
    add(entry, "i").style.background = "var(--" + name + ")";
    entry.append(text);
  }
}
