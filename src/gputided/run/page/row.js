// ---- a row of the list: a scaler in one line
class Row {
  constructor(name, clicked) {
    this.root = make('button', 'row');
    this.root.type = 'button';
    this.badge = make('span', 'badge');
    this.name = make('span', 'name', name);
    this.size = make('span', 'size');
    this.bounds = make('span', 'bounds');
    this.metric = make('span', 'metric');
    this.why = make('span', 'why');
    this.root.append(this.name, this.badge, this.size, this.bounds, this.metric, this.why);
    this.root.addEventListener('click', clicked);
  }
  // short: without the namespace, which is in the heading.
  show(entry, is_open, short, now_ms) {
    put(this.badge, entry.is.word);
    this.badge.className = `badge ${entry.is.look}`;
    put(this.name, short ? entry.name : entry.full_name);
    put(this.size, size_text(entry));
    put(this.bounds, `${entry.min} to ${entry.max}`);
    const { metric } = entry.hardest;
    put(this.metric, metric ? `${metric.name} ${this.value(entry, metric)}` : '');
    const [worst] = entry.problems;
    const reason = worst ? age(worst, now_ms) + worst.cause : entry.notes.length ? entry.notes[0].text : entry.why ? sentence(entry.why) : 'no decision yet';
    put(this.why, reason);
    this.why.className = worst ? 'why bad' : 'why';
    this.root.setAttribute('aria-expanded', String(is_open));
  }
  value(entry, metric) {
    if (!metric.empty_as_zero && !is_known(metric.value)) return 'no value';
    const value = metric.empty_as_zero ? 'empty, read as 0' : number(metric.value);
    return metric.target === null ? value : `${value} of ${number(target_at(metric, entry.current || 0))}`;
  }
}

// A scaler on the page: a card, or a row with a card below it.  Created and updated when it is visible.
class Item {
  constructor(name) {
    this.name = name;
    this.root = make('article');
    this.root.item = this;
    this.card = this.row = null;
    this.is_open = this.in_sight = false;
    sight.observe(this.root);
  }
  show(entry, now_ms, listed) {
    Object.assign(this, { entry, now_ms, listed });
    if (this.in_sight) this.paint();
  }
  paint() {
    const { entry, now_ms, listed } = this;
    this.root.className = entry.is.look === 'bad' ? 'troubled' : '';
    if (listed && !this.row) this.row = new Row(this.name, () => { this.is_open = !this.is_open; this.paint(); });
    const has_card = !listed || this.is_open;
    if (has_card && !this.card) this.card = new Card(this.name);
    const parts = [listed ? this.row.root : null, has_card ? this.card.root : null].filter(part => part);
    if (parts.length !== this.root.children.length || parts.some((part, i) => part !== this.root.children[i])) this.root.replaceChildren(...parts);
    if (listed) this.row.show(entry, this.is_open, chosen.grouped === 'namespace', now_ms);
    if (!has_card) return;
    this.card.follow(entry, now_ms);
    this.card.show(entry, now_ms);
  }
}

const sight = new IntersectionObserver(entries => {
  for (const entry of entries) {
    const item = entry.target.item;
    item.in_sight = entry.isIntersecting;
    if (item.in_sight && item.entry) item.paint();
  }
}, { rootMargin: '300px' });
