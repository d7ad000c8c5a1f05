// ---- a chart: x is time, y goes from 0 to a round number, with a scale beside it
// Rounds up to 1, 2, 3, 4, 5, 6 or 8 times a power of ten: 37 → 40, 0.7 → 0.8, 4 → 4.
function round_up(most) {
  if (!(most > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 3, 4, 5, 6, 8, 10].find(step => step * power >= most * (1 - 1e-9)) * power;
}

class Chart {
  // pointed: called with the pointer's position, x from 0 to 1, or null.
  constructor(label, pointed) {
    this.root = make('figure');
    this.left = make('span');
    this.right = make('span');
    const caption = make('figcaption');
    caption.append(this.left, this.right);
    this.plot = make('div', 'plot');
    this.scale = make('div', 'scale');
    this.svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    for (const [name, value] of [['viewBox', '0 0 300 60'], ['preserveAspectRatio', 'none'], ['role', 'img']]) this.svg.setAttribute(name, value);
    this.label(label);
    this.svg.addEventListener('pointermove', event => {
      const box = this.svg.getBoundingClientRect();
      pointed((event.clientX - box.left) / box.width);
    });
    this.svg.addEventListener('pointerleave', () => pointed(null));
    this.plot.append(this.scale, this.svg);
    this.ends = make('div', 'ends');
    this.root.append(caption, this.plot, this.ends);
  }
  label(text) { this.svg.setAttribute('aria-label', text); }
  empty(is) { this.plot.style.display = this.ends.style.display = is ? 'none' : ''; }

  // lines: [{look, points: [[ms, ...]], at(point): value or null, steps, area: fill to 0, or band: at(point) of the lower edge}].
  draw(from, to, lines, hair_ms) {
    const width = 300, height = 60, span = Math.max(1, to - from);
    let most = 0, least = 0;
    for (const line of lines) for (const point of line.points) {
      const value = line.at(point);
      if (is_known(value)) { most = Math.max(most, value); least = Math.min(least, value); }
    }
    const top = round_up(most), bottom = least < 0 ? -round_up(-least) : 0;
    const x = ms => ((ms - from) / span * width).toFixed(1);
    const y = value => (height - (value - bottom) / (top - bottom) * height).toFixed(1);
    this.svg.replaceChildren();
    for (const value of [top, (top + bottom) / 2]) draw(this.svg, 'path', { class: 'grid', d: `M0 ${y(value)}H${width}` });
    for (const line of lines) this.line(line, x, y, width);
    if (hair_ms !== null) draw(this.svg, 'path', { class: 'at', d: `M${x(hair_ms)} 0V${height}` });
    this.scale.replaceChildren(...[top, (top + bottom) / 2, bottom].map(value => make('span', '', number(value))));
    this.ends.replaceChildren(make('span', '', clock(from)), make('span', '', clock(to)));
  }
  line(line, x, y, width) {
    let path = '', open = false, start = null, end = 0;
    for (const point of line.points) {
      const value = line.at(point);
      if (!is_known(value)) { open = false; continue; }
      const px = x(point[0]), py = y(value);
      if (!open) { path += `M${px} ${py}`; start = start === null ? px : start; } else path += line.steps ? `H${px}V${py}` : `L${px} ${py}`;
      open = true;
      end = px;
    }
    if (line.points.length === 1 && path) { path += `H${width}`; end = width; }
    if (!path) return;
    if (line.area) draw(this.svg, 'path', { class: 'area', d: `${path}V${y(0)}H${start}Z` });
    if (line.band) {
      const back = [...line.points].reverse().map(point => `L${x(point[0])} ${y(line.band(point))}`).join('');
      draw(this.svg, 'path', { class: 'area', d: `${path}${back}Z` });
      return;
    }
    draw(this.svg, 'path', { class: line.look, d: path });
  }
}
