// Shared by all reports: elements and times.
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
