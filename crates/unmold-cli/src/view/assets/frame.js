// The only script in the frame. It tints the page and reports the region under the pointer.
// It runs in a sandbox without an origin and cannot fetch anything; it only sends messages to its
// parent.
(() => {
  'use strict';
  const root = document.documentElement;
  const DOUBT = 100; // thousandths on either side of the threshold
  const REGIONS = 300;
  const post = (message) => parent.postMessage(Object.assign({ unmold: true }, message), '*');
  const number = (element) => Number(element.getAttribute('data-u'));
  const leaves = Array.from(document.querySelectorAll('[data-v]'), (element) => ({
    element,
    value: Number(element.getAttribute('data-v')),
  }));
  let threshold = Number(root.getAttribute('data-threshold'));
  let tinted = new Map();
  let painted = null;

  function kindOf(value) {
    if (value >= 1000 || value >= threshold + DOUBT) return 't';
    if (value <= 0 || value < threshold - DOUBT) return 'c';
    return 'u';
  }

  // The kind of each element with leaves: that of its leaves, or 'mixed' if they differ.
  function kinds() {
    const found = new Map();
    for (const leaf of leaves) {
      const kind = kindOf(leaf.value);
      for (let at = leaf.element; at && at !== root; at = at.parentElement) {
        const known = found.get(at);
        if (known === kind || known === 'mixed') break;
        found.set(at, known === undefined ? kind : 'mixed');
      }
    }
    return found;
  }

  // Elements with their own background hide the tint of their ancestors and are tinted separately.
  function backgrounds() {
    const list = [];
    for (const element of document.body.querySelectorAll('[data-u]')) {
      const style = getComputedStyle(element);
      const clear = ['rgba(0, 0, 0, 0)', 'transparent'].includes(style.backgroundColor);
      if (!clear || style.backgroundImage !== 'none') list.push(element);
    }
    return list;
  }

  // Whether the tint of an element covers all its descendants. That of an inline link does not
  // cover a heading in it.
  const covering = new Map();
  function covers(element) {
    if (!covering.has(element)) {
      const { display } = getComputedStyle(element);
      const inside = () => Array.from(element.children).every((child) =>
        getComputedStyle(child).display.startsWith('inline') && covers(child));
      covering.set(element, display !== 'contents' && (display !== 'inline' || inside()));
    }
    return covering.get(element);
  }

  // The largest elements of a single kind.
  function regionsOf(found) {
    const regions = new Map();
    for (const leaf of leaves) {
      const kind = found.get(leaf.element);
      let region = leaf.element;
      let up = region.parentElement;
      while (up && up !== root && found.get(up) === kind) {
        if (covers(up)) region = up;
        up = up.parentElement;
      }
      regions.set(region, kind);
    }
    return regions;
  }

  function tint() {
    const found = kinds();
    const regions = regionsOf(found);
    const next = new Map(regions);
    // The shadow of a table does not cover its caption.
    for (const [element, kind] of regions) {
      const caption = element.tagName === 'TABLE' && element.caption;
      if (caption) next.set(caption, kind);
    }
    for (const element of painted || []) {
      const kind = found.get(element);
      if (kind && kind !== 'mixed') next.set(element, kind);
    }
    for (const element of tinted.keys()) {
      if (!next.has(element)) element.removeAttribute('data-k');
    }
    for (const [element, kind] of next) {
      if (tinted.get(element) !== kind) element.setAttribute('data-k', kind);
    }
    tinted = next;
    return regions;
  }

  function report(regions) {
    const list = [];
    const counts = { t: 0, u: 0, c: 0 };
    for (const leaf of leaves) {
      counts[kindOf(leaf.value)] += (leaf.element.textContent || '').trim().length;
    }
    for (const [element, kind] of regions) {
      if (list.length === REGIONS) break;
      const raw = element.textContent || element.getAttribute('alt') || '';
      const text = raw.trim().replace(/\s+/g, ' ').slice(0, 60);
      list.push({ node: number(element), kind, text });
    }
    post({ say: 'regions', regions: list, all: regions.size, counts });
  }

  function mark(name, nodes, scroll) {
    for (const element of document.querySelectorAll(`[${name}]`)) element.removeAttribute(name);
    nodes.forEach((node, at) => {
      const element = document.querySelector(`[data-u="${node}"]`);
      if (!element) return;
      element.setAttribute(name, '');
      if (scroll && at === 0) element.scrollIntoView({ block: 'center' });
    });
  }

  const numbers = (list) => (Array.isArray(list) ? list.map(Number).filter(Number.isInteger) : []);

  function showSections(sections) {
    for (const element of tinted.keys()) element.removeAttribute('data-k');
    tinted = new Map();
    for (const section of sections) {
      const shade = Math.max(0, Math.min(1, Number(section.importance)));
      const colour = `hsla(${Math.round(8 + 140 * shade)}, 70%, 45%, .28)`;
      for (const node of numbers(section.nodes)) {
        const element = document.querySelector(`[data-u="${node}"]`);
        if (!element) continue;
        element.setAttribute('data-section', '');
        element.style.setProperty('--unmold-section', colour);
      }
    }
  }

  addEventListener('message', (event) => {
    if (event.source !== parent || !event.data || event.data.unmold !== true) return;
    const message = event.data;
    if (message.do === 'threshold') {
      threshold = Number(message.threshold);
      report(tint());
    } else if (message.do === 'tint') {
      root.setAttribute('data-tint', message.on ? 'on' : 'off');
    } else if (message.do === 'pick') {
      mark('data-picked', numbers(message.nodes), true);
    } else if (message.do === 'sections') {
      showSections(message.sections || []);
    } else if (message.do === 'hello' && painted) {
      report(tint());
      post({ say: 'settled' });
    }
  });

  const at = (event) => event.target instanceof Element && event.target.closest('[data-u]');
  let last = null;
  addEventListener('mouseover', (event) => {
    const element = at(event);
    if (!element || element === last) return;
    last = element;
    mark('data-hover', [number(element)], false);
    post({ say: 'hover', node: number(element) });
  });
  addEventListener('click', (event) => {
    event.preventDefault();
    const element = at(event);
    if (element) post({ say: 'pick', node: number(element) });
  }, true);
  addEventListener('submit', (event) => event.preventDefault(), true);
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.matches('input, textarea, select')) return;
    post({ say: 'key', key: event.key });
  });

  tint();
  post({ say: 'ready' });
  let settling = false;
  const settle = () => {
    if (settling) return;
    settling = true;
    covering.clear();
    painted = backgrounds();
    if (!document.querySelector('[data-section]')) report(tint());
    post({ say: 'settled' });
  };
  // Reading all backgrounds takes time, so wait for the first paint, but no longer than a second:
  // hidden pages are never painted.
  addEventListener('load', () => {
    requestAnimationFrame(() => setTimeout(settle, 0));
    setTimeout(settle, 1000);
  });
})();
