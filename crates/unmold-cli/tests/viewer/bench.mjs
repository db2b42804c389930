// Measures the time to first paint and prints the figures for docs/viewer.md. `make bench-viewer`
// runs it on a release build.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch, unmold } from './harness.mjs';

const BYTES = 500_000;
const PAGES = 12;
const MANY = Number(process.env.UNMOLD_MANY || 100_000);

// Repeating words, the same on every run.
function* randomWords(seed) {
  const list = 'harbour lamp keeper tide granite valley market orchard winter ledger signal bridge copper meadow letter engine'.split(' ');
  for (let state = seed; ; ) {
    state = (state * 1103515245 + 12345) % 2147483648;
    yield list[state % list.length] + (state % 7 === 0 ? String(state % 1000) : '');
  }
}

function pageOf(number, bytes) {
  const words = randomWords(number + 1);
  const sentence = (length) => Array.from({ length }, () => words.next().value).join(' ');
  const menu = Array.from({ length: 40 }, (_, at) => `<li><a href="/topic/${at}">Topic ${at} of the site</a></li>`).join('');
  const parts = [`<!doctype html><html><head><title>Page ${number}</title><style>body{font-family:sans-serif} nav{background:#eee} .card{border:1px solid #ccc}</style></head>`,
    `<body><nav><ul>${menu}</ul></nav><main><h1>${sentence(6)}</h1>`];
  let size = 0;
  while (size < bytes) {
    const block = `<div class="card"><h2>${sentence(5)}</h2><p>${sentence(40)} <a href="/x">${sentence(3)}</a> ${sentence(20)}</p><ul><li>${sentence(6)}</li><li>${sentence(6)}</li></ul><table><tr><td>${sentence(3)}</td><td>${sentence(3)}</td></tr></table></div>`;
    parts.push(block);
    size += block.length;
  }
  parts.push('</main><footer><p>Imprint and privacy of the site</p></footer></body></html>');
  return parts.join('\n');
}

function start(...words) {
  const child = spawn(unmold, ['view', '--quiet', ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((done) => child.stdout.once('data', (data) => done({ address: String(data).trim(), child })));
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const shown = (list) => `median ${median(list).toFixed(0)} ms, slowest ${Math.max(...list).toFixed(0)} ms of ${list.length}`;

async function paints(root) {
  const site = join(root, 'large');
  mkdirSync(site);
  for (let n = 0; n < PAGES; n += 1) writeFileSync(join(site, `${n}.html`), pageOf(n, BYTES));
  const templates = join(root, 'large.json');
  execFileSync(unmold, ['learn', site, '--site', 'large', '-t', templates, '-q']);
  const { address, child } = await start(site, '--site', 'large', '-t', templates);
  const browser = await launch();
  const [first, framed, bare] = [[], [], []];
  for (let n = 0; n < PAGES; n += 1) {
    // Warm up the browser process with another page first.
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(address);
    await page.goto(`${address}page-${n}`, { waitUntil: 'commit' });
    await page.waitForSelector('body[data-settled]');
    const frame = page.frames().find((one) => one !== page.mainFrame());
    const paint = () => new Promise((done) => {
      const look = () => {
        const entry = performance.getEntriesByName('first-contentful-paint')[0];
        if (entry) done(performance.timeOrigin + entry.startTime); else setTimeout(look, 10);
      };
      look();
    });
    const origin = await page.evaluate(() => performance.timeOrigin);
    first.push(await page.evaluate(paint) - origin);
    framed.push(await frame.evaluate(paint) - origin);
    await page.close();
    // The same page without the viewer.
    const alone = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await alone.goto(pathToFileURL(join(site, `${n}.html`)).href);
    bare.push(await alone.evaluate(paint) - await alone.evaluate(() => performance.timeOrigin));
    await alone.close();
  }
  await browser.close();
  child.kill();
  console.log(`page of ${(BYTES / 1000).toFixed(0)} KB, from the request on (${cpus().length} cores, load ${loadavg()[0].toFixed(1)}):`);
  console.log(`  first paint of the page view         ${shown(first)}`);
  console.log(`  first paint of the page in its frame ${shown(framed)}`);
  console.log(`  the bare page, opened from disk      ${shown(bare)}`);
}

async function many(root) {
  const site = join(root, 'many');
  for (let n = 0; n < MANY; n += 1) {
    const folder = join(site, String(n % 100));
    if (n < 100) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${n}.html`), pageOf(n, 1000));
  }
  const templates = join(root, 'many.json');
  const some = join(root, 'some');
  mkdirSync(some);
  for (let n = 0; n < 50; n += 1) writeFileSync(join(some, `${n}.html`), pageOf(n, 1000));
  execFileSync(unmold, ['learn', some, '--site', 'many', '-t', templates, '-q']);
  const began = performance.now();
  const { address, child } = await start(site, '--site', 'many', '-t', templates);
  const listening = performance.now() - began;
  const ask = async (path) => { const at = performance.now(); const text = await (await fetch(address + path)).text(); return [performance.now() - at, text]; };
  const [home] = await ask('');
  const [list] = await ask('pages-0?from=50000');
  const [page] = await ask(`page-${MANY - 1}`);
  let seen;
  do {
    await new Promise((done) => setTimeout(done, 1000));
    [, seen] = await ask('site-0');
  } while (seen.includes('data-surveying'));
  const surveyed = (performance.now() - began) / 1000;
  const memory = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1] / 1024;
  child.kill();
  console.log(`${MANY} pages in a folder:`);
  console.log(`  listens after ${(listening / 1000).toFixed(1)} s; site ${home.toFixed(0)} ms, list ${list.toFixed(0)} ms, page ${page.toFixed(0)} ms`);
  console.log(`  all pages surveyed in the background after ${surveyed.toFixed(0)} s; ${memory.toFixed(0)} MiB at most`);
}

const root = mkdtempSync(join(tmpdir(), 'unmold-bench-'));
try {
  await paints(root);
  await many(root);
} finally {
  rmSync(root, { recursive: true, force: true });
}
