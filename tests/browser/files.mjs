// What a page hands on: its files have all rows that the page counts, and its commands run as they are copied:
// `node files.mjs URL SIGN-IN-LINK KEY`.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { signIn, start, watched } from './browser.mjs';

const [origin, link, key] = process.argv.slice(2);
const browser = await start();
const context = await browser.newContext({ storageState: await signIn(browser, link), viewport: { width: 1440, height: 900 } });
const { page, seen } = await watched(context, origin);

const paths = [];
for (const market of ['india', 'us']) {
  await page.goto(`${origin}/${market}`);
  const sections = await page.$$eval('.sections a:not(.palette)', links => links.map(one => one.getAttribute('href')));
  for (const section of sections) {
    await page.goto(origin + section);
    paths.push(section, ...await page.$$eval('.tabs a', links => links.map(one => one.getAttribute('href'))));
  }
}
const wrong = [];
let files = 0;
for (const path of new Set(paths)) {
  await page.goto(origin + path);
  const extent = page.locator('.tools .extent'), csv = page.locator('.files a[href*=".csv"]');
  if (!await csv.count() || !await extent.count()) continue;
  // The words name the number of all rows, and the first and the last that are shown.
  const total = Math.max(...(await extent.first().innerText()).replaceAll(',', '').match(/\d+/g).map(Number));
  const reply = await context.request.get(origin + await csv.first().getAttribute('href'));
  // Quoted texts may hold line ends.
  const rows = (await reply.text()).replace(/"[^"]*"/g, '').trim().split('\n').length - 1;
  if (!reply.ok() || rows !== total) wrong.push(`${path}: status ${reply.status()}, ${rows} of ${total} rows`);
  files += 1;
}
assert.deepEqual(wrong, []);
assert.ok(files > 10, `${files} lists have files`);

// A command is what a reader copies, with a key.
let commands = 0;
for (const path of ['/india', '/india/leaders', '/india/breadth', '/us/screener?min_rs=80']) {
  await page.goto(origin + path);
  for (const command of await page.locator('.behind .command code').allTextContents()) {
    assert.match(command, /^curl /);
    const shell = `${command.replace('<API_KEY>', key)} --silent --show-error --fail`;
    const answer = JSON.parse(execFileSync('sh', ['-c', shell], { encoding: 'utf8', maxBuffer: 1 << 26 }));
    assert.ok(answer.data !== undefined, `${path}: ${command}`);
    commands += 1;
  }
}
assert.ok(commands > 4, `${commands} commands`);
assert.deepEqual(seen.messages, []);
await browser.close();
console.log(`${files} files have all rows, and ${commands} commands run`);
