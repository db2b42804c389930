// Helpers of the browser tests: the command, a browser, folders, and a server that expects no request.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
export const repository = resolve(here, '../../../..');
export const fixtures = join(repository, 'fixtures');
const target = process.env.CARGO_TARGET_DIR || join(repository, 'target');
export const unmold = process.env.UNMOLD_BIN || join(target, 'debug/unmold');
export const shots = process.env.UNMOLD_SCREENSHOTS || join(repository, 'out/viewer');
mkdirSync(shots, { recursive: true });

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function launch() {
  const executablePath = process.env.CHROMIUM || programs.find((program) => existsSync(program));
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  return chromium.launch({ executablePath, args });
}

export const run = (...words) => execFileSync(unmold, words, { encoding: 'utf8', cwd: repository });

// Creates a temporary folder with files, removed after the test.
export function folder(context, files = {}) {
  const path = mkdtempSync(join(tmpdir(), 'unmold-view-'));
  context.after(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

// Starts the viewer and waits for its address.
export async function view(context, ...words) {
  const child = spawn(unmold, ['view', '--quiet', ...words], { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = () => new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) return done();
    child.once('exit', done);
    child.kill();
  });
  context.after(stop);
  const address = await new Promise((done, failed) => {
    child.stdout.once('data', (data) => done(String(data).trim()));
    child.once('exit', (code) => failed(new Error(`unmold view ended with ${code}`)));
  });
  return { address, stop };
}

// Starts a server that records all requests.
export async function canary(context) {
  const asked = [];
  const server = http.createServer((request, answer) => {
    asked.push(`${request.method} ${request.url}`);
    answer.setHeader('Access-Control-Allow-Origin', '*');
    answer.end('caught');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  context.after(() => server.close());
  return { address: `http://127.0.0.1:${server.address().port}`, asked };
}

// Sends a request with the exact path; a browser would normalize it.
export function ask(address, { path, method = 'GET', headers = {}, body } = {}) {
  const url = new URL(address);
  return new Promise((done, failed) => {
    const request = http.request({ host: url.hostname, port: url.port, path: path ?? url.pathname, method, headers }, (answer) => {
      let text = '';
      answer.on('data', (data) => { text += data; });
      answer.on('end', () => done({ status: answer.statusCode, headers: answer.headers, text }));
    });
    request.on('error', failed);
    request.end(body);
  });
}

// Waits until the page is tinted and returns the frame.
export async function frameOf(page) {
  await page.waitForSelector('body[data-settled]');
  return page.frames().find((frame) => frame !== page.mainFrame());
}
