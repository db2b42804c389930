// The viewer's script: slider, panels and keys. No library, no build step.
(() => {
  'use strict';
  const $ = (id) => document.getElementById(id);
  const frame = $('frame');
  const body = document.body;
  const here = body.dataset;

  // Keys for the next and previous page, unless a field has the focus.
  function key(name) {
    const rel = { ArrowRight: 'next', j: 'next', ArrowLeft: 'prev', k: 'prev' }[name];
    const link = rel && document.querySelector(`a[rel="${rel}"]`);
    if (link) location.href = link.href;
    if (name === 't' && $('tint')) $('tint').click();
    return Boolean(link);
  }
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches('input:not([type=checkbox]), select, textarea')) return;
    if (key(event.key)) event.preventDefault();
  });

  // The survey is still running: reload to update the numbers.
  if (here.surveying) setTimeout(() => location.reload(), 4000);

  // Load slow parts later. The HTML comes from our own server.
  for (const part of document.querySelectorAll('[data-part]')) {
    fetch(part.dataset.part)
      .then((answer) => answer.ok && answer.text())
      .then((text) => { if (text) part.innerHTML = text; })
      .catch(() => {});
  }

  if (!frame) return;
  const send = (message) =>
    frame.contentWindow.postMessage(Object.assign({ unmold: true }, message), '*');
  const kinds = { t: 'template', u: 'uncertain', c: 'content' };

  // Data of each node: parent, name, value and reason.
  let nodes = null;
  let picked = null;
  const inline = $('nodes');
  let waitingFor = null;
  function loadNodes() {
    const use = (found) => {
      nodes = found;
      if (picked !== null) pick(picked, false);
      else if (waitingFor !== null) explain(waitingFor);
    };
    if (inline) use(JSON.parse(inline.textContent));
    else if (here.nodes) {
      fetch(here.nodes).then((answer) => answer.json()).then(use).catch(() => {});
    }
  }

  function path(node) {
    const steps = [];
    for (let at = node; at >= 0; at = at === 0 ? -1 : nodes.parents[at]) {
      const name = nodes.names[nodes.name[at]];
      const shown = name === '#text' ? 'text()' : name;
      let before = 0, alike = 0;
      if (at > 0) {
        for (const other of nodes.children[nodes.parents[at]]) {
          if (nodes.name[other] !== nodes.name[at]) continue;
          alike += 1;
          if (other <= at) before += 1;
        }
      }
      steps.push(alike > 1 ? `${shown}[${before}]` : shown);
    }
    return '/' + steps.reverse().join('/');
  }

  function prepare() {
    if (nodes.children) return;
    nodes.children = nodes.parents.map(() => []);
    nodes.parents.forEach((parent, at) => { if (at > 0) nodes.children[parent].push(at); });
  }

  // Finds the first node with a reason in an element.
  function explained(node) {
    for (let at = node; at < Math.min(nodes.parents.length, node + 4000); at += 1) {
      if (nodes.why[at] >= 0) return at;
      if (at + 1 < nodes.parents.length && nodes.parents[at + 1] < node) break;
    }
    return node;
  }

  function explain(node) {
    waitingFor = node;
    if (!nodes || !$('why') || !(node in nodes.parents)) return;
    prepare();
    const reason = nodes.why[explained(node)];
    const value = nodes.value[node] / 1000;
    const verdict = nodes.value[node] >= threshold() ? 'template' : 'content';
    const limit = (threshold() / 1000).toFixed(2);
    $('why-verdict').textContent = `${verdict}, value ${value.toFixed(2)}, threshold ${limit}`;
    $('why-reason').textContent = reason >= 0 ? nodes.reasons[reason] : 'not in the template';
    $('why-path').textContent = path(node);
  }

  // The slider. Until it is moved, the exact threshold of the template applies.
  const slider = $('threshold');
  let moved = false;
  const threshold = () => (moved ? Number(slider.value) * 10 : Number(here.threshold));
  let waiting = 0;
  if (slider) {
    slider.addEventListener('input', () => {
      moved = true;
      $('threshold-shown').textContent = (Number(slider.value) / 100).toFixed(2);
      send({ do: 'threshold', threshold: threshold() });
      clearTimeout(waiting);
      waiting = setTimeout(refreshText, 150);
    });
  }
  const tint = $('tint');
  if (tint) tint.addEventListener('change', () => send({ do: 'tint', on: tint.checked }));

  // The clean text next to the page.
  const format = () => {
    const checked = document.querySelector('input[name=format]:checked');
    return checked ? checked.value : 'text';
  };
  function refreshText() {
    for (const pane of document.querySelectorAll('[data-format]')) {
      pane.hidden = pane.dataset.format !== format();
    }
    if (!here.text) return;
    const shown = format();
    const at = moved ? `&threshold=${threshold()}` : '';
    fetch(`${here.text}&format=${shown}${at}`)
      .then((answer) => (answer.ok ? answer.text() : Promise.reject(answer.status)))
      .then((text) => {
        const pane = document.querySelector(`[data-format="${shown}"]`);
        pane.textContent = text;
        pane.dataset.at = String(threshold());
      })
      .catch(() => { $('status').textContent = 'No response. Is the viewer still running?'; });
  }
  for (const choice of document.querySelectorAll('input[name=format]')) {
    choice.addEventListener('change', refreshText);
  }

  // The table: a column and the boxes of its values on a page.
  const records = $('records') ? JSON.parse($('records').textContent) : null;
  let row = 0;
  let field = null;
  function showColumn() {
    if (records && field !== null) {
      send({ do: 'pick', nodes: records.rows[row].nodes[field], scroll: true });
    }
  }
  function chooseColumn(at, inRow) {
    field = at;
    const chosen = records.fields[at];
    for (const cell of document.querySelectorAll('.grid [data-field]')) {
      const isChosen = Number(cell.dataset.field) === at;
      if (cell.matches('button')) cell.setAttribute('aria-pressed', String(isChosen));
      else {
        const here = Number(cell.parentElement.dataset.row) === inRow;
        cell.classList.toggle('chosen', isChosen && here);
      }
    }
    $('column-shown').textContent = chosen.shown;
    $('column-path').textContent = chosen.path;
    for (const part of document.querySelectorAll('#column button, #column input')) {
      part.disabled = chosen.column === null; // a list of records
    }
    if ($('column-name')) $('column-name').value = chosen.name;
    if (inRow !== row) {
      row = inRow;
      frame.src = `frame-${records.rows[row].page}${here.exported ? '.html' : ''}`;
    } else showColumn();
  }
  function correctColumn(column, change) {
    const body = JSON.stringify({ template: Number(here.template), column, ...change });
    const headers = { 'Content-Type': 'application/json' };
    fetch('column', { method: 'POST', headers, body })
      .then(async (answer) => {
        const text = await answer.text();
        if (!answer.ok) throw new Error(text);
        sessionStorage.setItem('status', text);
        location.reload();
      })
      .catch((error) => { $('status').textContent = error.message; });
  }
  if (records) {
    for (const cell of document.querySelectorAll('.grid [data-field]')) {
      cell.addEventListener('click', () => {
        const line = cell.closest('tr[data-row]');
        chooseColumn(Number(cell.dataset.field), line ? Number(line.dataset.row) : row);
      });
    }
    for (const button of document.querySelectorAll('#column button')) {
      button.addEventListener('click', () => {
        if (field === null) return;
        const change = { change: button.value };
        if (button.value === 'rename') change.name = $('column-name').value;
        correctColumn(records.fields[field].column, change);
      });
    }
    for (const button of document.querySelectorAll('#dropped button')) {
      button.addEventListener('click', () => {
        correctColumn(button.dataset.column, { change: button.value });
      });
    }
  }
  // A click on a value of the page chooses its column.
  function columnAt(node) {
    if (!records || !records.rows.length) return;
    const at = records.rows[row].nodes.findIndex((nodes) => nodes.includes(node));
    if (at >= 0) chooseColumn(at, row);
  }

  // Select and correct regions.
  function pick(node, scroll) {
    if (records) {
      columnAt(node);
      return;
    }
    picked = node;
    send({ do: 'pick', nodes: [node], scroll });
    explain(node);
    for (const button of document.querySelectorAll('#correct button')) button.disabled = false;
    if ($('picked') && nodes) { prepare(); $('picked').textContent = path(node); }
  }
  for (const button of document.querySelectorAll('#correct button')) {
    button.addEventListener('click', () => {
      if (picked === null) return;
      if (button.value === 'wider') {
        if (nodes && picked > 0) pick(nodes.parents[picked], true);
        return;
      }
      const scope = document.querySelector('input[name=scope]:checked').value;
      const page = Number(here.page);
      const body = JSON.stringify({ page, node: picked, verdict: button.value, scope });
      const headers = { 'Content-Type': 'application/json' };
      fetch('override', { method: 'POST', headers, body })
        .then(async (answer) => {
          const text = await answer.text();
          if (!answer.ok) throw new Error(text);
          sessionStorage.setItem('status', text);
          location.reload();
        })
        .catch((error) => { $('status').textContent = error.message; });
    });
  }
  try {
    const status = sessionStorage.getItem('status');
    if (status && $('status')) $('status').textContent = status;
    sessionStorage.removeItem('status');
  } catch { /* storage is disabled */ }

  function list(message) {
    const place = $('regions');
    if (!place) return;
    place.textContent = '';
    for (const region of message.regions.slice(0, 300)) {
      const item = document.createElement('li');
      const button = document.createElement('button');
      button.type = 'button';
      button.className = `kind-${region.kind}`;
      button.textContent = `${kinds[region.kind] || '?'}: ${region.text || '(no text)'}`;
      button.addEventListener('click', () => pick(region.node, true));
      item.append(button);
      place.append(item);
    }
    const { t, u, c } = message.counts;
    const percent = (part) => `${Math.round(100 * part / (t + u + c || 1))} %`;
    $('shares').textContent = `${message.all} regions: template ${percent(t)}, `
      + `uncertain ${percent(u)}, content ${percent(c)} of the text`;
  }

  // Accept messages from our own frame only, and trust nothing in them but numbers.
  addEventListener('message', (event) => {
    if (event.source !== frame.contentWindow || !event.data || event.data.unmold !== true) return;
    const message = event.data;
    if (message.say === 'hover' && Number.isInteger(message.node)) explain(message.node);
    else if (message.say === 'pick' && Number.isInteger(message.node)) pick(message.node, false);
    else if (message.say === 'key') key(String(message.key));
    else if (message.say === 'regions' && Array.isArray(message.regions)) list(message);
    else if (message.say === 'settled') {
      if (!body.dataset.settled) settled();
      showSections();
      showColumn();
    }
  });

  const sections = $('sections');
  const listed = sections ? JSON.parse(sections.textContent) : [];
  function showSections() { if (sections) send({ do: 'sections', sections: listed }); }
  for (const button of document.querySelectorAll('button[data-section-number]')) {
    const { nodes: own } = listed[Number(button.dataset.sectionNumber)];
    button.addEventListener('click', () => send({ do: 'pick', nodes: own, scroll: true }));
  }
  // Work that can wait until the page is painted.
  function settled() {
    body.dataset.settled = 'yes';
    loadNodes();
    if ($('why')) refreshText();
  }
  // The frame may have loaded before this script.
  send({ do: 'hello' });
  showSections();
})();
