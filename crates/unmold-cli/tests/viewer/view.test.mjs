// End-to-end tests of the viewer in a browser. Run by `make test`, or directly with `node --test`.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ask, canary, fixtures, folder, frameOf, launch, run, shots, view } from './harness.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function open(context, address, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  context.after(() => page.close());
  const requests = [];
  const problems = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('dialog', (dialog) => { problems.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(address);
  return { page, requests, problems };
}

const tinted = (frame, kind) => frame.locator(`[data-k="${kind}"]`).count();
// Waits for the clean text.
async function textOf(page) {
  await page.waitForSelector('pre[data-format=text][data-at]', { state: 'attached' });
  return page.textContent('pre[data-format=text]');
}
// Clicks until the page has heard of it: on a busy machine its script may still be loading.
async function pick(page, frame, selector) {
  for (let tries = 0; tries < 50; tries++) {
    await frame.click(selector);
    await page.waitForTimeout(200);
    if ((await page.textContent('#picked')).startsWith('/html')) return;
  }
  assert.fail('nothing was picked');
}
const shot = (page, name) => page.screenshot({ path: join(shots, `${name}.png`) });

test('navigation from sites to templates and pages works with links and keys', async (context) => {
  const { address } = await view(context, fixtures);
  const { page, requests, problems } = await open(context, address);
  assert.match(await page.textContent('h1'), /64 pages of 6 sites/);
  await page.click('a:text-is("wiki")');
  await page.waitForFunction(() => !document.body.dataset.surveying);
  await page.waitForSelector('[data-part] svg');
  assert.ok(await page.locator('svg[role=group] a').count() >= 1, 'a treemap of templates');
  assert.equal(await page.locator('svg[role=img]').count(), 2, 'match and cost');
  await page.click('table a:text-is("wiki#1")');
  assert.match(await page.textContent('h1'), /Template wiki#1/);
  await page.click('.tree a:has-text("Navigation")');
  assert.match(await page.textContent('section.panel'), /Not found on \d+ of 11 pages/);
  await page.goBack();
  await page.goBack();
  await page.click('a:text-is("All pages")');
  await page.click('a:has-text("callow-lighthouse.html")');
  assert.match(await page.textContent('h1'), /Callow Lighthouse/);
  const frame = await frameOf(page);
  assert.ok(await tinted(frame, 't') > 0 && await tinted(frame, 'c') > 0);
  assert.match(await textOf(page), /chalk tower/);
  const first = page.url();
  await page.keyboard.press('j');
  await page.waitForURL((url) => url.href !== first);
  await page.keyboard.press('ArrowLeft');
  await page.waitForURL(first);
  await frameOf(page);
  await page.click('a:text-is("Sections")');
  await frameOf(page);
  assert.ok(await page.locator('ol.sections li').count() > 3);
  assert.deepEqual(problems, []);
  const foreign = requests.filter((url) => !url.startsWith(address));
  assert.deepEqual(foreign, []);
});

test('the slider updates tint and text', async (context) => {
  const { address } = await view(context, join(fixtures, 'blog/pages'), '--site', 'blog');
  const { page } = await open(context, `${address}page-0`);
  const frame = await frameOf(page);
  const before = await tinted(frame, 't');
  const text = await textOf(page);
  assert.doesNotMatch(text, /About the author/);
  await page.$eval('#threshold', (slider) => { slider.value = 100; slider.dispatchEvent(new Event('input')); });
  await page.waitForFunction((old) => document.querySelector('pre[data-format=text]').textContent !== old, text);
  assert.match(await page.textContent('pre[data-format=text]'), /About the author/);
  const strict = await tinted(frame, 't');
  assert.ok(strict < before, `${strict} < ${before}`);
  await page.$eval('#threshold', (slider) => { slider.value = 1; slider.dispatchEvent(new Event('input')); });
  await frame.waitForFunction(() => document.querySelectorAll('[data-k="c"]').length === 0);
  await page.$eval('#threshold', (slider) => { slider.value = 50; slider.dispatchEvent(new Event('input')); });
  await page.check('input[value=markdown]');
  // Visible once the server has responded.
  await page.waitForSelector('pre[data-format=markdown]', { state: 'visible' });
  assert.ok(!await page.isVisible('pre[data-format=text]'));
});

test('hovering over a region explains its verdict', async (context) => {
  const { address } = await view(context, join(fixtures, 'blog/pages'), '--site', 'blog');
  const { page } = await open(context, `${address}page-0`);
  const frame = await frameOf(page);
  await frame.hover('h2:has-text("About the author")');
  await page.waitForFunction(() => /template/.test(document.getElementById('why-verdict').textContent));
  assert.match(await page.textContent('#why-reason'), /text on 11 of 11 pages.*words/);
  assert.match(await page.textContent('#why-path'), /^\/html\/body\/aside\/section\[1\]\/h2$/);
});

test('other methods are learned on demand', async (context) => {
  const { address } = await view(context, join(fixtures, 'shop/pages'), '--site', 'shop');
  for (const method of ['chunk-frequency', 'alignment', 'tree-mapping', 'tree-pattern']) {
    const { page } = await open(context, `${address}page-3?method=${method}`);
    const frame = await frameOf(page);
    assert.ok(await tinted(frame, 't') > 0, method);
    assert.equal(await page.textContent('.methods [aria-current]'), method);
    assert.match(await page.textContent('#correct'), /Only the templates in use/);
  }
});

test('a correction survives a restart and affects strip', async (context) => {
  const input = join(fixtures, 'blog/pages');
  const templates = join(folder(context), 'templates.json');
  run('learn', input, '--site', 'blog', '-t', templates, '-q');
  const strip = () => run('strip', input, '--site', 'blog', '-t', templates, '-q');
  assert.doesNotMatch(strip(), /About the author/);
  const words = [input, '--site', 'blog', '-t', templates];
  const first = await view(context, ...words);
  let { page } = await open(context, `${first.address}page-0`);
  let frame = await frameOf(page);
  await pick(page, frame, 'h2:has-text("About the author")');
  await page.click('#correct button[value=wider]');
  assert.match(await page.textContent('#picked'), /section\[1\]$/);
  await frame.click('h2:has-text("About the author")');
  await page.click('#correct button[value=content]');
  await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('Override 1'));
  const saved = JSON.parse(readFileSync(templates, 'utf8')).templates[0].overrides;
  assert.equal(saved.length, 1);
  assert.equal(saved[0].verdict, 'content');
  await first.stop();

  const stripped = strip().trim().split('\n').map((line) => JSON.parse(line).text);
  assert.equal(stripped.filter((text) => text.includes('About the author')).length, 11, 'on all pages of the template');
  const second = await view(context, ...words);
  ({ page } = await open(context, `${second.address}page-1`));
  frame = await frameOf(page);
  const heading = frame.locator('h2:has-text("About the author")');
  assert.equal(await heading.getAttribute('data-v'), '0');
  await heading.hover();
  await page.waitForFunction(() => /override #?1/.test(document.getElementById('why-reason').textContent));

  // Override by text; the history keeps the first override.
  await heading.click();
  await page.check('input[value=text]');
  await page.click('#correct button[value=template]');
  await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('Override 2'));
  assert.doesNotMatch(strip(), /About the author/);
  const history = JSON.parse(readFileSync(templates, 'utf8')).templates[0].overrides;
  assert.deepEqual(history.map((one) => one.serial), [1, 2]);
  assert.equal(history[1].text, 'about the author');
});

const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

// A page that uses every known technique to run scripts, load resources or navigate.
const hostile = (trap) => `<!doctype html><html onclick="pwn('a')"><head><base href="${trap}/base/">
<meta http-equiv="refresh" content="0;url=${trap}/refresh"><link rel="preconnect" href="${trap}"><link rel="prefetch" href="${trap}/prefetch">
<link rel="stylesheet" href="${trap}/sheet.css"><link rel="stylesheet" href="style.css"><link rel="icon" href="${trap}/icon.ico">
<style>@import "${trap}/import.css"; body{background:url(${trap}/background.png)} @font-face{font-family:x;src:url(${trap}/font.woff)} p{font-family:x}</style>
<script>window.pwned=1;fetch('${trap}/script')</script><script src="${trap}/script.js"></script></head>
<body onload="pwn('b')" background="${trap}/bg.gif"><nav>Home Shop Contact</nav><h1>Hostile</h1>
<img src="${trap}/image.png" onerror="pwn('c')" srcset="${trap}/set.png 2x"><img id="good" src="img/good.png"><img src="nowhere.png" onerror="pwn('d')">
<a id="js" href="javascript:pwn('e')">one</a> <a id="file" href="file:///etc/passwd">two</a> <a id="out" href="${trap}/link" target="_blank" ping="${trap}/ping">three</a>
<a id="top" href="${trap}/top" target="_top">four</a>
<form id="form" action="${trap}/form" method="post"><input name="q" value="x"><button id="send" formaction="${trap}/formaction">send</button></form>
<iframe src="${trap}/iframe"></iframe><iframe srcdoc="<script>parent.pwned=1</script>"></iframe><object data="${trap}/object"></object><embed src="${trap}/embed">
<video src="${trap}/video.mp4" poster="${trap}/poster.png" autoplay></video><audio src="${trap}/audio.mp3" autoplay></audio>
<svg width="20" height="20" onload="pwn('f')"><script>pwn('g')</script><image href="${trap}/svg.png"/><use href="${trap}/use.svg#a"/><a href="javascript:pwn('h')"><text y="10">svg</text></a>
<animate attributeName="x" onbegin="pwn('i')" dur="1s"/></svg><math href="javascript:pwn('j')"><mtext>math</mtext></math>
<p style="background:url('${trap}/inline.png')" onmouseover="pwn('k')">Some text of its own.</p><input autofocus onfocus="pwn('l')"><details open ontoggle="pwn('m')"><summary>d</summary></details>
<marquee onstart="pwn('n')">m</marquee><noscript><img src="${trap}/noscript.png"></noscript><template><img src="${trap}/template.png"></template>
<xmp><img src="${trap}/xmp.png"></xmp><textarea><img src="${trap}/textarea.png"></textarea><button popovertarget="x">p</button>
<svg><style><img src="${trap}/mutation.png" onerror="pwn('o')"></style></svg><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=pwn('p')&gt;"></table></mtext></math>
</body></html>`;

test('a hostile page runs nothing and requests nothing', async (context) => {
  const trap = await canary(context);
  const plain = (n) => `<nav>Home Shop Contact</nav><h1>Page ${n}</h1><p>Words of page ${n}.</p>`;
  const site = folder(context, {
    'a.html': hostile(trap.address), 'b.html': plain(1), 'c.html': plain(2), 'd.html': plain(3),
    'img/good.png': PIXEL, 'style.css': `h1{color:rgb(1,2,3)} h2{background:url(${trap.address}/css.png)} @import url(${trap.address}/css.css);`,
  });
  // Opened directly, the page does send requests: this proves that the trap works.
  const naive = await browser.newPage();
  await naive.goto(pathToFileURL(join(site, 'a.html')).href).catch(() => {});
  await naive.waitForTimeout(500);
  await naive.close();
  assert.ok(trap.asked.length > 10, `the trap works: ${trap.asked}`);
  trap.asked.length = 0;

  const { address } = await view(context, site, '--site', 'x');
  const { page, requests, problems } = await open(context, `${address}page-0`);
  const popups = [];
  page.context().on('page', (other) => popups.push(other.url()));
  const frame = await frameOf(page);
  const url = frame.url();
  for (const id of ['js', 'file', 'out', 'top', 'send']) await frame.click(`#${id}`, { force: true });
  await frame.evaluate(() => document.getElementById('form').requestSubmit());
  await frame.hover('p');
  await page.waitForTimeout(700);
  assert.equal(frame.url(), url, 'the frame stays where it is');
  assert.equal(await frame.evaluate(() => window.pwned), undefined);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.deepEqual(requests.filter((asked) => !asked.startsWith(address)), [], 'the request log of the browser');
  assert.deepEqual(trap.asked, [], 'the request log of the trap');
  assert.deepEqual(popups, []);
  assert.deepEqual(problems, []);
  // Files of the input folder are shown.
  assert.ok(await frame.evaluate(() => document.getElementById('good').naturalWidth > 0), 'its own picture');
  assert.equal(await frame.evaluate(() => getComputedStyle(document.querySelector('h1')).color), 'rgb(1, 2, 3)');
  assert.equal(await frame.evaluate(() => self.origin), 'null');
});

test('the policy blocks content that the writer lets through', async (context) => {
  const trap = await canary(context);
  const plain = (n) => `<nav>Home Shop Contact</nav><h1 id=h>Page ${n}</h1><p>Words of page ${n}.</p>`;
  const site = folder(context, { 'a.html': plain(1), 'b.html': plain(2), 'c.html': plain(3) });
  const { address } = await view(context, site, '--site', 'x');
  const attack = (trap) => {
    const add = (name, attributes, text = '') => {
      const element = document.createElement(name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      element.textContent = text;
      document.body.append(element);
      return element;
    };
    add('script', {}, 'window.ran = 1');
    add('script', { src: `${trap}/script.js` });
    add('img', { src: `${trap}/img.png`, onerror: 'window.ran = 2' });
    add('img', { src: 'x', onerror: 'window.ran = 3' });
    add('iframe', { src: `${trap}/iframe` });
    add('iframe', { srcdoc: '<script>parent.ran = 4</script>' });
    add('link', { rel: 'stylesheet', href: `${trap}/sheet.css` });
    add('style', {}, `@import "${trap}/import.css"; body { background: url(${trap}/background.png) }`);
    add('object', { data: `${trap}/object` });
    add('video', { src: `${trap}/video` });
    add('form', { action: `${trap}/form` }).submit();
    add('a', { href: 'javascript:window.ran = 5' }).click();
    add('a', { href: `${trap}/top`, target: '_top' }).click();
    add('a', { href: `${trap}/new`, target: '_blank' }).click();
    fetch(`${trap}/fetch`).catch(() => {});
    navigator.sendBeacon(`${trap}/beacon`);
    try { localStorage.setItem('x', '1'); window.ran = 6; } catch { /* no origin, no storage */ }
    try { parent.document.title = 'x'; window.ran = 7; } catch { /* another origin */ }
    try { new WebSocket(trap.replace('http', 'ws')); } catch { /* refused */ }
  };
  const leave = (trap) => { setTimeout(() => { location.href = `${trap}/navigate`; }, 0); };
  const { page } = await open(context, `${address}page-0`);
  const frame = await frameOf(page);
  await frame.evaluate(attack, trap.address);
  await page.waitForTimeout(500);
  assert.equal(await frame.evaluate(() => window.ran), undefined);
  await frame.evaluate(leave, trap.address);
  await page.waitForTimeout(700);
  assert.deepEqual(trap.asked, []);
  assert.ok(page.url().startsWith(address), 'the viewer did not navigate away');

  // Without policies the attack succeeds: this proves that the policies block it.
  const careless = await open(context, `${address}page-0`, { bypassCSP: true });
  const open_frame = await frameOf(careless.page);
  await open_frame.evaluate(attack, trap.address);
  await careless.page.waitForTimeout(500);
  assert.ok(trap.asked.length > 5, `the trap works: ${trap.asked}`);
  assert.notEqual(await open_frame.evaluate(() => window.ran), undefined);
});

test('foreign hosts and origins, wrong tokens and outside paths are refused', async (context) => {
  const root = folder(context, { 'site/a.html': '<p>a', 'site/b.html': '<p>b', 'site/ok.png': PIXEL, 'secret.png': PIXEL, 'site/page.js': 'x' });
  const { address } = await view(context, join(root, 'site'), '--site', 'x');
  const base = new URL(address).pathname;
  const host = new URL(address).host;
  const check = async (expected, options) => {
    const answer = await ask(address, options);
    assert.equal(answer.status, expected, JSON.stringify(options));
    assert.doesNotMatch(answer.text, /PNG|root:/);
    return answer;
  };
  assert.equal((await ask(address, { path: `${base}files/0/ok.png` })).status, 200);
  for (const path of ['../secret.png', '%2e%2e/secret.png', '..%2fsecret.png', '%2e%2e%2fsecret.png', '..%5csecret.png', './../secret.png', '/etc/passwd', '%2fetc%2fpasswd',
    'ok.png/../../secret.png', '%00ok.png', 'page.js', 'a.html', '..', '']) {
    await check(404, { path: `${base}files/0/${path}` });
  }
  await check(404, { path: `${base}files/7/ok.png` });
  await check(404, { path: `${base}../files/0/ok.png` });
  for (const name of ['evil.example', `evil.example:${new URL(address).port}`, '127.0.0.1', `127.0.0.1.evil.example:${new URL(address).port}`]) {
    await check(403, { headers: { Host: name } });
  }
  for (const origin of ['http://evil.example', 'null', `https://${host}`, `http://${host}.evil.example`]) await check(403, { headers: { Origin: origin } });
  for (const path of ['/', '/x/', `/${'0'.repeat(32)}/`, base.slice(0, -2) + '/', '/view.js']) await check(404, { path });
  const body = JSON.stringify({ page: 0, node: 1, verdict: 'content', scope: 'place' });
  const json = { 'Content-Type': 'application/json' };
  await check(403, { path: `${base}override`, method: 'POST', headers: json, body });
  await check(403, { path: `${base}override`, method: 'POST', headers: { Origin: `http://${host}`, 'Content-Type': 'text/plain' }, body });
  await check(400, { path: `${base}override`, method: 'POST', headers: { ...json, Origin: `http://${host}` }, body: '{}' });
  await check(413, { path: `${base}override`, method: 'POST', headers: { ...json, Origin: `http://${host}` }, body: 'x'.repeat(20000) });
  await check(405, { method: 'DELETE' });
  const { headers } = await ask(address);
  assert.match(headers['content-security-policy'], /default-src 'none'.*frame-ancestors 'none'/);
  assert.equal(headers['referrer-policy'], 'no-referrer');
});

test('a column of the table is shown on the page, renamed and dropped', async (context) => {
  const templates = join(folder(context), 'templates.json');
  run('learn', join(fixtures, 'shop/pages/p'), '--site', 'shop', '--records', '-t', templates, '-q');
  const { address } = await view(context, join(fixtures, 'shop/pages/p'), '--site', 'shop', '-t', templates);
  const { page, problems } = await open(context, `${address}records-0`);
  const frame = await frameOf(page);
  await page.click('th button:text-is("material")');
  const picked = () => frame.waitForFunction(() => document.querySelector('[data-picked]'));
  await picked();
  assert.equal(await frame.locator('[data-picked]').textContent(), 'Walnut');
  await page.fill('#column-name', 'Made of');
  await page.click('button:text-is("Rename")');
  await page.waitForSelector('th button:text-is("made_of")');
  assert.match(await page.textContent('#status'), /Correction 1 of the columns of shop#1 saved/);
  // A cell of another row shows that page.
  await page.click('tr[data-row="2"] td[data-field="1"]');
  await page.waitForFunction(() => document.getElementById('frame').src.endsWith('frame-2'));
  await page.click('th button:text-is("made_of")');
  await page.click('button:text-is("Drop")');
  await page.waitForSelector('#dropped');
  assert.equal(await page.locator('th button:text-is("made_of")').count(), 0);
  assert.doesNotMatch(run('records', join(fixtures, 'shop/pages/p'), '--site', 'shop', '-t', templates), /made_of|material/);
  assert.deepEqual(problems, []);
});

test('an exported report works without a server', async (context) => {
  const report = join(folder(context), 'report');
  run('view', join(fixtures, 'blog/pages'), '--site', 'blog', '--export', report, '--export-pages', '3', '-q');
  const { page, requests, problems } = await open(context, pathToFileURL(join(report, 'index.html')).href);
  assert.equal(await page.textContent('h1'), 'blog');
  assert.equal(await page.locator('svg[role=img]').count(), 2);
  await page.click('table a[href^="page-"]');
  const frame = await frameOf(page);
  const before = await tinted(frame, 't');
  await page.$eval('#threshold', (slider) => { slider.value = 100; slider.dispatchEvent(new Event('input')); });
  await frame.waitForFunction((before) => document.querySelectorAll('[data-k="t"]').length < before, before);
  await frame.hover('h2');
  await page.waitForFunction(() => document.getElementById('why-reason').textContent.length > 0);
  await page.click('a:text-is("Sections")');
  const sections = await frameOf(page);
  await sections.waitForSelector('[data-section]');
  assert.ok(requests.every((url) => url.startsWith('file:')), requests.join(' '));
  assert.deepEqual(problems, []);
});

test('the viewer is accessible: light, dark, phone, keyboard, screen reader', async (context) => {
  const templates = join(folder(context), 'templates.json');
  run('learn', fixtures, '--site', 'all six', '--cluster', '-t', templates, '-q');
  const { address } = await view(context, fixtures, '--site', 'all six', '-t', templates);
  const wide = await open(context, address);
  await wide.page.waitForFunction(() => !document.body.dataset.surveying);
  await wide.page.waitForSelector('[data-part] svg');
  await shot(wide.page, 'site');
  const trees = await view(context, join(fixtures, 'forum/pages'), '--site', 'forum', '--method', 'tree-mapping');
  await wide.page.goto(`${trees.address}template-0`);
  assert.ok(await wide.page.locator('.tree details[open] details').count() > 5, 'a tree that folds');
  await shot(wide.page, 'template');
  const number = (await (await wide.page.goto(`${address}pages-0`)).text()).match(/href="(page-\d+)">[^<]*callow-lighthouse/)[1];
  for (const [name, options] of [['page', {}], ['page-dark', { colorScheme: 'dark' }], ['page-phone', { viewport: { width: 390, height: 844 } }]]) {
    const { page } = await open(context, address + number, options);
    const frame = await frameOf(page);
    await textOf(page);
    await frame.hover('h1');
    await page.waitForFunction(() => document.getElementById('why-reason').textContent.length > 0);
    await shot(page, name);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${name}: ${overflow} pixels too wide`);
  }
  await wide.page.goto(`${address}${number.replace('page', 'sections')}`);
  await frameOf(wide.page);
  await shot(wide.page, 'sections');
  for (const path of ['', 'template-0', 'pages-0', number, number.replace('page', 'sections')]) {
    await wide.page.goto(address + path);
    const nameless = await wide.page.evaluate(() => {
      const name = (element) => element.getAttribute('aria-label') || element.title || element.textContent.trim()
        || (element.labels && Array.from(element.labels, (label) => label.textContent.trim()).join(''));
      return Array.from(document.querySelectorAll('a, button, input, iframe, svg[role]')).filter((element) => !name(element)).map((element) => element.outerHTML);
    });
    assert.deepEqual(nameless, [], path);
    assert.equal(await wide.page.locator('h1').count(), 1, path);
    assert.equal(await wide.page.locator('main').count(), 1, path);
  }
  // Regions are reachable with the keyboard.
  await wide.page.goto(address + number);
  await frameOf(wide.page);
  await wide.page.click('details.panel summary');
  await wide.page.focus('#regions button');
  await wide.page.keyboard.press('Enter');
  await wide.page.waitForFunction(() => document.getElementById('picked').textContent.startsWith('/html'));
});

test('search compares results with and without templates', async (context) => {
  const index = join(folder(context), 'index');
  try {
    run('index', join(fixtures, 'wiki/pages'), '--site', 'wiki', '-o', index, '-q');
  } catch {
    context.skip('this unmold was built without search');
    return;
  }
  assert.ok(existsSync(index));
  const { address } = await view(context, join(fixtures, 'wiki/pages'), '--site', 'wiki', '--index', index);
  const { page } = await open(context, address);
  await page.click('a:text-is("Search")');
  await page.fill('input[type=search]', 'lighthouse keeper');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.columns');
  assert.equal(await page.locator('.columns section').count(), 2);
  await page.click('.columns section:last-child .hit a >> nth=0');
  assert.match(await page.textContent('h1'), /Lighthouse/);
});

test('tints cover their whole region', async (context) => {
  const html = (n) => `<style>aside{background:#eee} .c{display:contents}</style><a href=x><h1>Name of the site</h1></a><div><aside>Same on all pages</aside></div><div class=c><p>Also the same here</p></div><table><caption>Table of all</caption><tr><td>Cell of all</table><p>Only on page number ${n} of these</p>`;
  const site = folder(context, { 'a.html': html(1), 'b.html': html(2), 'c.html': html(3), 'd.html': html(4) });
  const { address } = await view(context, site, '--site', 'x', '--method', 'chunk-frequency');
  const { page } = await open(context, `${address}page-0`);
  const frame = await frameOf(page);
  for (const text of ['h1', 'aside', '.c p', 'caption', 'td']) {
    const under = await frame.evaluate((selector) => {
      let at = document.querySelector(selector);
      while (at && !at.dataset.k && getComputedStyle(at).backgroundColor === 'rgba(0, 0, 0, 0)') at = at.parentElement;
      return at && { kind: at.dataset.k, display: getComputedStyle(at).display };
    }, text);
    assert.equal(under?.kind, 't', text);
    assert.ok(!['contents', 'inline'].includes(under.display), text);
  }
});

test('archives are shown', async (context) => {
  const lines = [1, 2, 3].map((n) => JSON.stringify({ url: `http://site.example/${n}`, html: `<nav>Home Shop Contact</nav><p>Number ${n} of three</p>` }));
  const site = folder(context, { 'pages.jsonl': `${lines.join('\n')}\n` });
  const { address } = await view(context, join(site, 'pages.jsonl'));
  const { page } = await open(context, `${address}page-1`);
  const frame = await frameOf(page);
  assert.match(await frame.textContent('body'), /Number 2 of three/);
});
