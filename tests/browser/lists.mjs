// Lists as people read them: how many rows are in view, an order by a heading, ticks that outlive it, and the way back to a row:
// `node lists.mjs URL SIGN-IN-LINK`.
import assert from 'node:assert/strict';
import { led, signIn, start, watched } from './browser.mjs';

const [origin, link] = process.argv.slice(2);
/** Rows of a long list that are wholly in view before anybody scrolls, at 1440 by 900. */
const ROWS = 26;
const LISTS = ['india/leaders', 'india/rs-changes', 'india/deals', 'india/scorecards', 'india/earnings', 'us/leaders', 'india/screener'];

const browser = await start();
const state = await signIn(browser, link);
const context = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 } });
const { page, seen } = await watched(context, origin);

const few = [];
for (const path of LISTS) {
  await page.goto(`${origin}/${path}`);
  const rows = await page.$$eval('.list tbody tr', all => {
    const box = all[0].closest('.scroll').getBoundingClientRect();
    const end = Math.min(innerHeight, getComputedStyle(all[0].closest('.scroll')).overflowY === 'visible' ? innerHeight : box.bottom);
    return [all.filter(row => row.getBoundingClientRect().bottom <= end + 1).length, all.length];
  });
  const high = await page.$$eval('.list tbody tr', all => Math.max(...all.map(row => row.getBoundingClientRect().height)));
  if (high > 26.5) few.push(`${path}: a row is ${high} px high`);
  const rules = await page.$$eval('.list tbody th a', all => all.map(link => getComputedStyle(link).textDecorationLine));
  if (rules.some(rule => rule !== 'none')) few.push(`${path}: links are underlined`);
  if (rows[0] < Math.min(ROWS, rows[1])) few.push(`${path}: ${rows[0]} of ${rows[1]} rows are in view`);
}
assert.deepEqual(few, []);

// Ticks of three views of a list are compared together.
await page.goto(`${origin}/india/leaders`);
const symbols = () => page.$$eval('.list .tick', all => all.map(box => box.value));
const [first] = await symbols();
await page.getByLabel(`Tick ${first}`, { exact: true }).check();
await led(page, () => page.locator('.list thead').getByRole('link', { name: 'Change', exact: true }).click());
assert.equal(new URL(page.url()).search, '?order=-change_pct');
assert.equal(await page.locator('.list th[aria-sort=descending]').innerText().then(text => text.startsWith('Change')), true);
const second = (await symbols()).find(symbol => symbol !== first);
await page.getByLabel(`Tick ${second}`, { exact: true }).check();
await led(page, () => page.getByRole('link', { name: 'Next →' }).click());
const third = (await symbols()).find(symbol => ![first, second].includes(symbol));
await page.getByLabel(`Tick ${third}`, { exact: true }).check();
await page.getByText('3 ticked:').waitFor();
// What can be done with them is in view.
const bar = await page.locator('form.ticked').boundingBox();
assert.ok(bar.y + bar.height <= 901, `the bar ends at ${bar.y + bar.height}`);
// A company and back: the row is where it was, and so are the ticks.
await page.evaluate(() => { scrollTo(0, 500); for (const box of document.querySelectorAll('.scroll')) box.scrollTop = 400; });
const place = () => page.evaluate(() => [scrollY, document.querySelector('.scroll').scrollTop]);
const left = await place();
const company = page.locator(`.list a[href="/india/company/${third}"]`);
await led(page, () => company.evaluate(one => one.click()));
await led(page, () => page.goBack());
assert.deepEqual(await place(), left);
await page.getByText('3 ticked:').waitFor();
await page.getByRole('button', { name: 'Compare', exact: true }).click();
await page.waitForURL(url => url.pathname === '/india/compare');
assert.deepEqual(new URL(page.url()).searchParams.get('symbols').split(',').sort(), [first, second, third].sort());
await page.goto(`${origin}/india/leaders`);
await page.getByRole('button', { name: 'Clear the ticks' }).click();
assert.equal(await page.locator('.tick:checked').count(), 0);
// All rows in view are ticked at once; with one row less not all of them are.
const all = page.getByLabel('Tick all rows');
await all.check();
const shownRows = await page.locator('.list tbody tr').count();
await page.getByText(`${shownRows} ticked:`).waitFor();
await page.locator('.tick').first().uncheck();
assert.ok(!await all.isChecked());
await all.check();
await all.uncheck();
assert.equal(await page.locator('.tick:checked').count(), 0);

// Columns that are chosen are there on the next visit, until the usual ones are chosen.
await page.getByText('Columns', { exact: true }).click();
await page.getByLabel('Elite', { exact: true }).uncheck();
await led(page, () => page.getByRole('button', { name: 'Show these' }).click());
for (const [section, tab] of [['Today', 'Movers'], ['Screen', 'Leaders']]) {
  await led(page, () => page.locator('.sections').getByRole('link', { name: section }).click());
  await led(page, () => page.locator('.tabs').getByRole('link', { name: tab }).click());
}
assert.equal(await page.locator('.list thead').getByRole('link', { name: 'Elite', exact: true }).count(), 0);
await page.getByText('Columns', { exact: true }).click();
await led(page, () => page.getByRole('link', { name: 'The usual columns' }).click());
assert.equal(await page.locator('.list thead').getByRole('link', { name: 'Elite', exact: true }).count(), 1);

// A filter applies once it is changed, and keeps the focus; so does the figure of a condition.
await page.goto(`${origin}/india/leaders`);
await page.getByLabel('Liquidity', { exact: true }).focus();
await led(page, () => page.getByLabel('Liquidity', { exact: true }).selectOption('all'));
assert.equal(new URL(page.url()).search, '?liquidity=all');
assert.equal(await page.evaluate(() => document.activeElement.name), 'liquidity');
await page.goto(`${origin}/india/screener?query=RS+above+80`);
const limit = page.getByLabel('relative-strength rating above 80', { exact: true });
// The estimate beside a figure that is edited is within a bar of the count that the page has afterwards.
await limit.fill('60');
const estimate = Number((await page.locator('.distribution output').first().innerText()).match(/^about (\d+) match$/)[1]);
// A moment later the server has counted them, and that is the number that the page has.
const exact = page.locator('.distribution output').filter({ hasText: /^[\d,]+ match(es)?$/ });
await exact.waitFor();
const live = Number((await exact.innerText()).replace(/,/g, '').match(/^\d+/)[0]);
await led(page, () => page.keyboard.press('Enter'));
assert.equal(new URL(page.url()).searchParams.get('figures'), '1:60');
await page.getByLabel('relative-strength rating above 60', { exact: true }).waitFor();
const counted = Number((await page.locator('.tools .extent').innerText()).replace(/,/g, '').match(/^\d+/)[0]);
assert.ok(Math.abs(estimate - counted) <= Math.max(3, counted / 10), `about ${estimate}, and ${counted} match`);
assert.equal(live, counted);
// So are the matches within the limits of the form, none included; where the server does not count, the estimate remains.
await page.goto(`${origin}/india/screener?min_roe=15`);
await page.getByLabel('Min RS', { exact: true }).fill('99');
await page.getByLabel('Max RS', { exact: true }).fill('1');
await page.locator('.ranges output').filter({ hasText: /^none match$/ }).waitFor();
await page.route(/limit=1(&|$)/, route => route.fulfill({ contentType: 'text/html', body: '' }));
const answered = page.waitForResponse(/limit=1(&|$)/);
await page.locator('form.condition input').first().fill('12');
await answered;
assert.match(await page.locator('.distribution output').first().innerText(), /^about \d+ match$/);
await page.unroute(/limit=1(&|$)/);
// A copied table has the sign that spreadsheets read.
await page.goto(`${origin}/india/movers?direction=losers`);
const copied = await page.evaluate(() => {
  getSelection().selectAllChildren(document.querySelector('.list tbody'));
  const event = new ClipboardEvent('copy', { clipboardData: new DataTransfer(), bubbles: true, cancelable: true });
  document.querySelector('.list').dispatchEvent(event);
  return event.clipboardData.getData('text/plain');
});
assert.ok(/-\d/.test(copied) && !copied.includes('−'), copied.slice(0, 80));

// The same without scripts: columns are remembered, and a button sends the filters.
{
  const plain = await browser.newContext({ storageState: state, javaScriptEnabled: false });
  const page = await plain.newPage();
  await page.goto(`${origin}/india/leaders`);
  await page.getByText('Columns', { exact: true }).click();
  await page.getByLabel('Elite', { exact: true }).uncheck();
  await page.getByRole('button', { name: 'Show these' }).click();
  await page.waitForURL(url => url.searchParams.has('fields'));
  await page.goto(`${origin}/india/leaders`);
  assert.equal(await page.locator('.list thead').getByRole('link', { name: 'Elite', exact: true }).count(), 0);
  await page.getByLabel('Liquidity', { exact: true }).selectOption('all');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.waitForURL(url => url.searchParams.get('liquidity') === 'all');
  await plain.close();
}

// A phone has five sections and the search at its lower edge; the tab of the page is in view, and rows begin in the upper half.
{
  const phone = await browser.newContext({ storageState: state, hasTouch: true, viewport: { width: 375, height: 812 } });
  const page = await phone.newPage();
  for (const path of LISTS) {
    await page.goto(`${origin}/${path}`);
    const row = await page.locator('.list tbody tr').first().boundingBox();
    assert.ok(row.y < 420, `${path}: the first row begins at ${row.y} px`);
    const tab = await page.locator('.tabs [aria-current]').boundingBox();
    assert.ok(tab.x >= 0 && tab.x + tab.width <= 375, `${path}: the present tab is at ${tab.x} px`);
    const bars = await page.locator('.sections a:visible').evaluateAll(all => all.map(link => link.getBoundingClientRect().toJSON()));
    assert.equal(bars.length, 6);
    for (const bar of bars) assert.ok(bar.bottom > 800 && bar.bottom <= 812 && bar.width >= 44 && bar.height >= 44, JSON.stringify(bar));
  }
  await page.locator('.sections').getByRole('link', { name: 'Search' }).tap();
  await page.locator('[data-search]:focus').waitFor();
  await page.keyboard.type('rs chan');
  await led(page, () => page.locator('.suggestions [role=option]', { hasText: 'RS changes' }).tap());
  assert.equal(new URL(page.url()).pathname, '/india/rs-changes');
  await page.getByText('More', { exact: true }).tap();
  await led(page, () => page.locator('.more').getByRole('link', { name: 'Research' }).tap());
  assert.equal(await page.locator('.more nav').isVisible(), false);
  await phone.close();
}

assert.deepEqual(seen.messages, []);
assert.deepEqual(seen.elsewhere, []);
await browser.close();
console.log(`${LISTS.length} lists show ${ROWS} rows, are ordered by a heading, and keep ticks and places`);
