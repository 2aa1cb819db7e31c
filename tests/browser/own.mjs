// Lists, screens and the search in a browser, by pointer, by keys and without scripts: `node own.mjs URL SIGN-IN-LINK`. Without a link the
// server is one that is open to guests, and the visit is a guest's.
import assert from 'node:assert/strict';
import { barriers, led, sideways, signIn, start, symbolsOf, watched } from './browser.mjs';

const [origin, link] = process.argv.slice(2);
const browser = await start();

/** Nothing keeps people from using a page, in both colour schemes and on a phone. */
async function sound(page, where) {
  await page.$$eval('main details', all => all.forEach(one => { one.open = true; }));
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    assert.deepEqual(await barriers(page), [], `${where} (${colorScheme})`);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  assert.ok(await sideways(page) <= 0, `${where} scrolls sideways at 320 px`);
  await page.setViewportSize({ width: 1280, height: 900 });
}

const box = page => page.getByRole('combobox', { name: 'Search companies' });
const options = page => page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');

async function search(page, symbol) {
  await page.goto(`${origin}/india`);
  await page.keyboard.press('Control+k');
  await options(page).first().waitFor();
  assert.equal(await box(page).getAttribute('aria-expanded'), 'true');
  await sound(page, 'the search');
  await page.keyboard.type(symbol.toLowerCase());
  await options(page).filter({ hasText: symbol }).first().waitFor();
  assert.equal(await box(page).getAttribute('aria-activedescendant'), null);
  await page.keyboard.press('ArrowDown');
  const chosen = await box(page).getAttribute('aria-activedescendant');
  assert.match(await page.locator(`#${chosen}[aria-selected=true]`).innerText(), new RegExp(`^${symbol}`));
  await page.keyboard.press('ArrowUp');
  assert.equal(await box(page).getAttribute('aria-activedescendant'), null);
  await page.keyboard.press('Escape');
  assert.equal(await options(page).count(), 0);
  assert.equal(await box(page).getAttribute('aria-expanded'), 'false');
  // An action, by keys: the last that is offered.
  await page.keyboard.press('Control+k');
  await page.keyboard.type(symbol);
  const ask = options(page).filter({ hasText: `Ask the committee about ${symbol}` });
  await ask.waitFor();
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press('ArrowDown');
    if (await ask.getAttribute('aria-selected') === 'true') break;
  }
  await led(page, () => page.keyboard.press('Enter'));
  assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, `/india/committee?symbol=${symbol}`);
  // By the pointer.
  await box(page).fill(symbol.slice(0, 4));
  await led(page, () => options(page).first().click());
  assert.match(page.url(), /\/company\//);
}

/** An answer that comes late neither drops what is selected nor opens what was closed. */
async function late(page, symbol) {
  await page.goto(`${origin}/india`);
  await page.keyboard.press('Control+k');
  const last = page.waitForResponse(reply => new URL(reply.url()).searchParams.get('q') === symbol);
  await page.keyboard.type(symbol);
  await last;
  await options(page).filter({ hasText: symbol }).first().waitFor();
  for (const key of ['ArrowDown', 'Escape']) {
    let release;
    const held = new Promise(go => { release = go; });
    // What was asked and given up has no page to go to.
    await page.route('**/suggest?**', async route => { await held; await route.continue().catch(() => {}); });
    const asked = page.waitForRequest('**/suggest?**');
    await page.keyboard.press('Control+k');
    const request = await asked;
    await page.keyboard.press(key);
    await options(page).evaluateAll(all => all.forEach(one => { one.dataset.old = ''; }));
    release();
    if (key === 'ArrowDown') {
      await page.locator('.suggestions li:not([data-old])').first().waitFor();
      assert.match(await page.locator('.suggestions [aria-selected=true]').innerText(), new RegExp(`^${symbol}`));
    } else {
      assert.equal((await request.response().catch(() => null)), null);
      assert.equal(await options(page).count(), 0);
    }
    await page.unroute('**/suggest?**');
  }
}

async function guest() {
  const context = await browser.newContext();
  const { page, seen } = await watched(context, origin);
  await page.goto(`${origin}/india`);
  assert.equal(await page.getByRole('link', { name: 'Sign in' }).count(), 1);
  const [symbol] = await symbolsOf(page, origin, 'india');
  await search(page, symbol);
  await page.goto(`${origin}/india/company/${symbol}`);
  assert.equal(await page.getByRole('button', { name: /Star/ }).count(), 0);
  await sound(page, 'a company for a guest');
  await page.goto(`${origin}/india/compare?symbols=${symbol},${symbol.toLowerCase()}`);
  assert.match(await page.locator('main').innerText(), new RegExp(`Named more than once, and shown once: ${symbol}\\.`));
  await page.goto(`${origin}/india/committee`);
  assert.equal(await page.getByRole('button', { name: 'Start', exact: true }).count(), 0);
  assert.deepEqual(seen.messages, []);
  await page.goto(`${origin}/portal`);
  assert.equal(new URL(page.url()).pathname, '/login');
  await page.getByRole('link', { name: 'Look around without a key' }).click();
  await page.waitForURL('**/india');
  await context.close();
  console.log('a guest looks at the explorer and changes nothing');
}

async function owner(state, javaScriptEnabled) {
  const context = await browser.newContext({ storageState: state, javaScriptEnabled, viewport: { width: 1280, height: 900 } });
  const { page, seen } = await watched(context, origin);
  const check = async where => { if (javaScriptEnabled) await sound(page, where); };
  const [first, second, third] = await symbolsOf(page, origin, 'india');
  if (javaScriptEnabled) {
    await search(page, first);
    await late(page, first);
  }
  // A star, and a list of ticked rows.
  await page.goto(`${origin}/india/company/${first}`);
  await page.getByRole('button', { name: `☆ Star ${first}` }).click();
  await page.getByRole('button', { name: `★ Starred ${first}: take out` }).waitFor();
  // A symbol that the market does not have has no star.
  const unknown = await page.request.get(`${origin}/india/company/NOSUCH`);
  assert.equal(unknown.status(), 404);
  assert.doesNotMatch(await unknown.text(), /Star|Save the note|As above/);
  await check('a company that is starred');
  // A note, its mark in a list, and the way back after it was deleted.
  const write = async (label, text) => {
    const field = page.getByLabel(/^Note on /), summary = page.getByText(label, { exact: true });
    await summary.waitFor();
    if (!await field.isVisible()) await summary.click();
    await field.fill(text);
    await page.getByRole('button', { name: 'Save the note' }).click();
  };
  await write('Write a note', 'Waits\nfor <b>orders</b>');
  await page.locator('p.note').waitFor();
  assert.equal(await page.locator('p.note').innerText(), 'Waits\nfor <b>orders</b>');
  await check('a company with a note');
  await page.goto(`${origin}/india/screener`);
  assert.equal(await page.locator('#screen tbody .noted').count(), 1);
  await check('a list with a mark');
  await page.goto(`${origin}/india/company/${first}`);
  await write('Change the note', '');
  await page.getByText(`There is no note on ${first} now.`).waitFor();
  await page.locator('.form-answer .undo').getByRole('button').click();
  assert.equal(await page.locator('p.note').innerText(), 'Waits\nfor <b>orders</b>');
  await write('Change the note', '');
  await page.getByText(`There is no note on ${first} now.`).waitFor();
  await page.goto(`${origin}/india/screener`);
  for (const symbol of [second, third]) await page.getByLabel(`Tick ${symbol}`, { exact: true }).check();
  await page.getByRole('button', { name: '☆ Starred' }).click();
  await page.waitForURL('**/india/screener');
  for (const symbol of [first, second]) await page.getByLabel(`Tick ${symbol}`, { exact: true }).check();
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await page.waitForURL(url => url.pathname === '/india/compare' && url.searchParams.get('symbols') === `${first},${second}`);
  // The page of the list.
  await page.goto(`${origin}/india/lists`);
  await check('lists');
  await page.locator('#lists').getByRole('link', { name: 'Starred', exact: true }).click();
  await page.waitForURL('**/india/list?list=Starred');
  assert.equal(await page.locator('#rows tbody tr').count(), 3);
  await page.locator('main details.about').evaluate(one => { one.open = true; });
  await check('a list');
  await page.getByLabel(`Tick ${third}`, { exact: true }).check();
  await page.getByRole('button', { name: 'Take out of Starred' }).click();
  await page.locator(`main:not(:has([value="${third}"]))`).waitFor();
  assert.equal(await page.locator('#rows tbody tr').count(), 2);
  await page.getByLabel('Since').fill('2026-09-30');
  await page.locator('#changes').getByRole('button', { name: 'Show' }).click();
  await page.waitForURL(url => url.searchParams.get('since') === '2026-09-30');
  await page.getByRole('link', { name: 'Screen within it' }).click();
  await page.waitForURL('**/india/screener?list=Starred');
  await page.getByRole('link', { name: 'Without the list Starred' }).waitFor();
  assert.equal(await page.locator('#screen tbody tr').count(), 2);
  // A screen with a name.
  await page.goto(`${origin}/india/screener?min_rs=60`);
  await page.getByLabel('Name of this screen').fill('Strong');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.saved').getByRole('link', { name: 'Strong' }).waitFor();
  await check('a saved screen');
  await page.goto(`${origin}/india/lists`);
  await page.getByRole('button', { name: 'Remove Strong' }).click();
  await page.locator('#screens', { hasText: 'There is no saved screen yet' }).waitFor();
  await page.locator('#lists summary', { hasText: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete the list Starred' }).click();
  await page.locator('#lists', { hasText: 'There is no list yet' }).waitFor();
  // A deleted list comes back with its stocks.
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('#lists tbody tr', { hasText: second }).waitFor();
  await page.locator('#lists summary', { hasText: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete the list Starred' }).click();
  await page.locator('#lists', { hasText: 'There is no list yet' }).waitFor();
  // A field of symbols offers companies.
  if (javaScriptEnabled) {
    await page.goto(`${origin}/india/compare`);
    const field = page.locator('[data-symbols]');
    await field.pressSequentially(first.slice(0, -1));
    await page.locator('.field .suggestions [role=option]').first().click();
    assert.equal(await field.inputValue(), `${first}, `);
    await check('suggestions in a field');
  }
  assert.deepEqual(seen.messages, []);
  assert.deepEqual(seen.elsewhere, []);
  await context.close();
  console.log(`${javaScriptEnabled ? 'with' : 'without'} scripts: lists and screens are made, used and removed`);
}

if (link) {
  const state = await signIn(browser, link);
  await owner(state, true);
  await owner(state, false);
} else {
  await guest();
}
await browser.close();
