// The explorer in Firefox and in WebKit, whichever is installed: every page of the menu at two widths, an order by a heading, ticks, the live
// chart and a drawing: `node engines.mjs URL FIREFOX-LINK WEBKIT-LINK [FOLDER-OF-PICTURES]`. Firefox is driven over
// WebDriver BiDi, WebKitGTK over the classic protocol of its own driver, on a display of Xvfb.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import puppeteer from 'puppeteer-core';
import { share } from './browser.mjs';

const [origin, firefoxLink, webkitLink, pictures] = process.argv.slice(2);

/** Firefox; `null` where it is not installed. */
async function firefox() {
  const executablePath = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);
  if (!executablePath) return null;
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true });
  const page = await browser.newPage(), messages = [];
  page.on('console', message => { if (['error', 'warn'].includes(message.type())) messages.push(message.text()); });
  page.on('pageerror', error => messages.push(String(error)));
  return {
    name: await browser.version(),
    messages,
    open: url => page.goto(url, { waitUntil: 'load' }),
    run: text => page.evaluate(`(() => { ${text} })()`),
    size: (width, height) => page.setViewport({ width, height }),
    click: (x, y) => page.mouse.click(x, y),
    picture: () => page.screenshot(),
    end: () => browser.close(),
  };
}

/** WebKitGTK; `null` where its driver, its browser or Xvfb is not installed. */
async function webkit() {
  const libraries = '/usr/lib/x86_64-linux-gnu';
  const versions = existsSync(libraries) ? readdirSync(libraries).filter(name => name.startsWith('webkit2gtk-')) : [];
  const binary = versions.map(name => `${libraries}/${name}/MiniBrowser`).find(existsSync);
  if (!binary || !['/usr/bin/WebKitWebDriver', '/usr/bin/xvfb-run'].every(existsSync)) return null;
  const port = await new Promise(done => {
    const server = createServer().listen(0, '127.0.0.1', () => { const { port } = server.address(); server.close(() => done(port)); });
  });
  const driver = spawn('xvfb-run', ['-a', '-s', '-screen 0 1600x1200x24', 'WebKitWebDriver', `--port=${port}`], { stdio: 'ignore', detached: true });
  const call = async (method, path, body) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await reply.json();
    if (value?.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  const kill = () => { try { process.kill(-driver.pid); } catch { /* It has ended. */ } };
  process.on('exit', kill);
  for (let attempt = 0; ; attempt += 1) {
    try { await call('GET', '/status'); break; } catch (error) { if (attempt === 100) throw error; await pause(100); }
  }
  const browserOptions = { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } };
  const { sessionId, capabilities } = await call('POST', '/session', { capabilities: { alwaysMatch: browserOptions } });
  const session = `/session/${sessionId}`;
  const run = text => call('POST', `${session}/execute/sync`, { script: text, args: [] });
  return {
    name: `webkit/${capabilities.browserVersion}`,
    messages: [],
    open: url => call('POST', `${session}/url`, { url }),
    run,
    // The window has a frame around its page, and is at least as wide as its buttons.
    async size(width, height) {
      await call('POST', `${session}/window/rect`, { width, height });
      const [inner, innerHeight] = await run('return [innerWidth, innerHeight]');
      await call('POST', `${session}/window/rect`, { width: width + width - inner, height: height + height - innerHeight });
    },
    async click(x, y) {
      const pointer = { type: 'pointer', id: 'mouse', actions: [{ type: 'pointerMove', x, y }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }] };
      await call('POST', `${session}/actions`, { actions: [pointer] });
    },
    picture: async () => Buffer.from(await call('GET', `${session}/screenshot`), 'base64'),
    async end() { await call('DELETE', session); kill(); },
  };
}

/** Waits until an expression is true on the page that is open by then. */
async function until(engine, expression) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    // A page that is being replaced answers with an error.
    if (await engine.run(`return Boolean(${expression})`).catch(() => false)) return;
    await pause(100);
  }
  assert.fail(`${engine.name}: not true within 10 s: ${expression}`);
}

async function looked(engine, link) {
  const problems = [], fail = (where, what) => problems.push(`${engine.name} ${where}: ${what}`);
  await engine.size(1280, 900);
  await engine.open(link);
  await until(engine, "!location.pathname.startsWith('/login')");
  const links = selector => engine.run(`return [...document.querySelectorAll('${selector}')].map(link => link.getAttribute('href'))`);
  const paths = new Set();
  for (const market of ['india', 'us']) {
    await engine.open(`${origin}/${market}`);
    for (const section of await links('.sections a:not(.palette)')) {
      await engine.open(origin + section);
      for (const path of await links('.tabs a')) paths.add(path);
    }
    await engine.open(`${origin}/${market}/screener`);
    const [stock] = await links(`main a[href^="/${market}/company/"]`);
    await engine.open(origin + stock);
    for (const path of await links('.tabs a')) paths.add(path);
  }
  assert.ok(paths.size > 40, `${paths.size} pages`);
  const some = share([...paths]);
  for (const path of some) {
    engine.messages.length = 0;
    await engine.open(origin + path);
    const { headings, text, broken } = await engine.run(`
      const images = [...document.images].filter(image => image.complete && image.naturalWidth === 0 && image.loading !== 'lazy');
      return { headings: document.querySelectorAll('h1').length, text: document.querySelector('main').innerText.length, broken: images.length };`);
    if (headings !== 1) fail(path, `${headings} headings of the first level`);
    if (text < 80) fail(path, `${text} letters in all`);
    if (broken) fail(path, `${broken} broken images`);
    for (const width of [1280, 480]) {
      await engine.size(width, 900);
      const wider = await engine.run('return document.documentElement.scrollWidth - document.documentElement.clientWidth');
      if (wider > 0) fail(path, `scrolls sideways by ${wider} px at ${width} px`);
      if (pictures) writeFileSync(`${pictures}/${engine.name.replace('/', '-')}${path.replaceAll(/[^a-z0-9-]+/gi, '_')}-${width}.png`, await engine.picture());
    }
    await engine.size(1280, 900);
    if (engine.messages.length) fail(path, engine.messages.join(' | '));
  }

  // An order by a heading, and a tick that outlives it.
  await engine.open(`${origin}/india/leaders`);
  const symbol = await engine.run("const box = document.querySelector('.list .tick'); box.click(); return box.value");
  await engine.run("[...document.querySelectorAll('.list thead a')].find(link => link.innerText.startsWith('Change')).click()");
  await until(engine, "document.querySelector('.list th[aria-sort=descending]')?.innerText.startsWith('Change')");
  await until(engine, "document.querySelector('form.ticked')?.innerText.includes('1 ticked')");
  const changes = await engine.run(`
    const column = [...document.querySelectorAll('.list thead th')].findIndex(cell => cell.ariaSort === 'descending' || cell.getAttribute('aria-sort') === 'descending');
    return [...document.querySelectorAll('.list tbody tr')].map(row => parseFloat(row.children[column].innerText.replace('−', '-')));`);
  assert.ok(changes.length > 10, `${changes.length} changes`);
  assert.deepEqual(changes, [...changes].sort((one, other) => other - one));

  // The live chart reads a bar under the pointer, and has a level that a click draws.
  await engine.open(`${origin}/india/company/${encodeURIComponent(symbol)}/chart`);
  await until(engine, "document.querySelector('#chart .live-chart canvas')");
  // It is painted in a later frame.
  await until(engine, `[...document.querySelectorAll('#chart .live-chart canvas')].filter(canvas =>
    canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(byte => byte > 0)).length >= 2`);
  await until(engine, "document.querySelector('.live-chart button')");
  await engine.run("const live = document.querySelector('#chart .live-chart'); live.scrollIntoView(); [...live.querySelectorAll('button')].find(one => one.innerText === 'Level').click()");
  const { x, y } = await engine.run(`
    const { left, top } = document.querySelector('#chart .live-chart > div[aria-hidden]').getBoundingClientRect();
    return { x: Math.round(left + 300), y: Math.round(top + 80) };`);
  await engine.click(x, y);
  await until(engine, "document.querySelectorAll('#drawings li').length === 1");
  await engine.run("document.querySelector('#drawings li button').click()");
  await until(engine, "document.querySelectorAll('#drawings li').length === 0");

  assert.deepEqual(problems, []);
  console.log(`${engine.name}: ${some.length} pages, an order, a tick, a chart and a drawing`);
}

for (const [start, link, name] of [[firefox, firefoxLink, 'Firefox'], [webkit, webkitLink, 'WebKit with its driver and Xvfb']]) {
  const engine = await start();
  if (!engine) { console.log(`${name} is not there: not run`); continue; }
  try {
    await looked(engine, link);
  } finally {
    await engine.end();
  }
}
