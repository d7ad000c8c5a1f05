// Shared by all reports: numbers, durations, times and elements.
const half_counts = 1 + 1e-12;  // as in decimal() of gputided
const figure = (value, digits = 1) => (Number(value) * half_counts).toLocaleString("en-US", { maximumFractionDigits: digits });
// Formats "45 s", "2.3 min", "120 h" or "215 days", as span_text() of gputided does.
const span = minutes => minutes > 0 && minutes < 1 ? figure(minutes * 60) + " s" : minutes < 600 ? figure(minutes) + " min"
  : minutes < 14400 ? figure(minutes / 60) + " h" : figure(minutes / 1440) + " days";
// Returns a function that formats an amount of money.
const money_with = digits => value => value === null || value === undefined ? "not known"
  : Number(value).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const by = id => document.getElementById(id);
const clock = text => text.replace("T", " ").replace(/(\.000)?Z$/, "");
function add(to, name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  to.append(made);
  return made;
}
function tile(value, text) { const box = add(by("tiles"), "div", undefined, "tile"); add(box, "b", value); add(box, "span", text, "soft"); }
// Adds a table and returns its body.  A heading that begins with "#" stands over numbers.
function table(to, heads) {
  const made = add(to, "table"), row = add(add(made, "thead"), "tr");
  for (const entry of heads) add(row, "th", entry.replace("#", ""), entry.startsWith("#") ? "number" : undefined);
  return add(made, "tbody");
}
// Adds a key of colors.  parts: pairs of a class and a text.
function key(to, parts) {
  for (const [kind, text] of parts) {
    const entry = add(to, "span");
    add(entry, "i", undefined, kind);
    entry.append(text);
  }
}
// Calls show(to, entries) for the first entries, and for the others behind "N more".
function fold(to, entries, shown, show) {
  show(to, entries.slice(0, shown));
  if (entries.length <= shown) return;
  const more = add(to, "details");
  add(more, "summary", figure(entries.length - shown) + " more");
  show(more, entries.slice(shown));
}
function findings(all) {
  for (const entry of all) {
    if (entry.severity === "note") continue;
    add(by("notes"), "p", entry.severity + ": " + (entry.path ? entry.path + ": " : "") + entry.message + (entry.remedy ? ": " + entry.remedy : ""), "note");
  }
}
