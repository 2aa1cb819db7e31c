// Charts as traders use them: levels and trend lines that stay, a second chart beside the first, and the next stock of a list by a swipe:
// `node charts.mjs URL SIGN-IN-LINK`.
import assert from 'node:assert/strict';
import { barriers, led, signIn, start, symbolsOf, watched } from './browser.mjs';

const [origin, link] = process.argv.slice(2);
const browser = await start();
const state = await signIn(browser, link);

async function opened(options) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 }, ...options });
  return { context, ...await watched(context, origin) };
}
const stocks = await (async () => {
  const { context, page } = await opened();
  const found = await symbolsOf(page, origin, 'india');
  await context.close();
  return found;
})();
const chart = `${origin}/india/company/${encodeURIComponent(stocks[0])}/chart`;

// Drawn by clicks and by keys, there on the next visit and for the form without scripts, deleted and back again.
{
  const { context, page, seen } = await opened();
  await page.goto(chart);
  const live = page.locator('#chart .live-chart'), lines = page.locator('#drawings li'), button = name => live.getByRole('button', { name, exact: true });
  const count = async wanted => {
    await page.waitForFunction(wanted => document.querySelectorAll('#drawings li').length === wanted, wanted);
  };
  await button('Level').click();
  await live.locator('> div[aria-hidden]').click({ position: { x: 300, y: 80 } });
  await count(1);
  const told = await lines.first().innerText();
  assert.match(told, /Level[^]*% from the last close/);
  // A trend line through the close of the first bar and that of the last.
  await button('Trend line').click();
  await live.focus();
  // A pointer that rests on the chart leaves the reading to the keys.
  const { x, y } = await live.boundingBox(), rest = () => page.mouse.move(x + 300, y + 120);
  await rest();
  for (const key of ['Home', 'Enter', 'End', 'Enter']) {
    await page.keyboard.press(key);
    await rest();
  }
  await count(2);
  const [day, price, later, other] = (await lines.last().getAttribute('data-points')).split(' ');
  const { at, closes } = await page.evaluate(() => {
    const figures = JSON.parse([...document.querySelectorAll('#chart figure script')].at(-1).textContent);
    return { at: figures.at, closes: figures.series.find(one => one.key === 'close').values };
  });
  assert.deepEqual([day, later], [at[0], at.at(-1)]);
  for (const [drawn, close] of [[price, closes[0]], [other, closes.at(-1)]]) assert.ok(Math.abs(drawn - close) < 0.006, `${drawn} of ${close}`);
  await page.reload();
  await count(2);
  assert.equal(await lines.first().innerText(), told);
  assert.deepEqual(await barriers(page), []);
  await page.getByRole('button', { name: 'Delete drawing 1', exact: true }).click();
  await count(1);
  await button('Undo').click();
  await count(2);
  await button('Undo').click();
  await live.getByText('Nothing was drawn or deleted on this visit.').waitFor();
  // The chart fills the window, and has its place again.
  const size = async () => { const { width, height } = await live.boundingBox(); return [Math.round(width), Math.round(height)]; };
  const before = await size();
  await button('Full screen').click();
  assert.deepEqual(await size(), [1440, 900]);
  await button('Close').click();
  assert.deepEqual(await size(), before);
  await button('Full screen').click();
  await page.keyboard.press('Escape');
  assert.deepEqual(await size(), before);
  // Escape ends a tool before anything is drawn.
  await button('Level').click();
  await live.focus();
  for (const key of ['Escape', 'Enter']) await page.keyboard.press(key);
  assert.equal(await button('Level').getAttribute('aria-pressed'), 'false');
  assert.equal(await lines.count(), 2);
  // Another scale, other bars and another span show the same drawings.
  for (const query of ['?scale=Log', '?range=3M', '?range=5Y&scale=Log']) {
    await page.goto(chart + query);
    await live.waitFor();
    assert.equal(await lines.count(), 2);
  }
  assert.deepEqual(seen.messages, []);
  assert.deepEqual(seen.elsewhere, []);
  await context.close();
}
{
  const { context, page } = await opened({ javaScriptEnabled: false });
  await page.goto(chart);
  const lines = page.locator('#drawings li');
  assert.equal(await lines.count(), 2);
  await page.getByLabel('Price of a level').fill('123.45');
  await page.getByRole('button', { name: 'Draw a level', exact: true }).click();
  const told = left => page.locator('.form-answer').getByText(`: ${left}.`).waitFor();
  await told(3);
  assert.match(await lines.last().innerText(), /123\.45/);
  for (let left = 3; left; left -= 1) {
    assert.equal(await lines.count(), left);
    await lines.first().getByRole('button').click();
    await told(left - 1);
  }
  await page.getByText('There is no drawing yet.').waitFor();
  await context.close();
}

// The prices of the interactive chart have the room at every width.
for (const width of [1024, 1440, 1920, 2560]) {
  const { context, page } = await opened({ viewport: { width, height: 900 } });
  await page.goto(chart);
  const pane = page.locator('#chart .live-chart tr').first();
  await pane.waitFor();
  await page.waitForFunction(() => document.querySelector('#chart .live-chart tr').offsetHeight > 0);
  const { height } = await pane.boundingBox();
  assert.ok(height >= 280, `prices ${height} px high at ${width} px`);
  await context.close();
}

// Another stock beside the first, and one over it.
{
  const { context, page, seen } = await opened();
  await page.goto(chart);
  await page.getByLabel('Second stock').fill(stocks[1]);
  await page.locator('#second').getByRole('button', { name: 'Show' }).click();
  await page.waitForURL('**second_stock=*');
  await page.locator('#second .live-chart').waitFor();
  const [one, other] = await Promise.all(['#chart', '#second'].map(part => page.locator(part).boundingBox()));
  assert.ok(other.x >= one.x + one.width && Math.abs(other.y - one.y) < 1, 'the second chart stands beside the first');
  assert.ok(Math.abs(other.width - one.width) < 1, 'both are as wide');
  // Only the chart of the page's stock is drawn on.
  assert.equal(await page.locator('.drawing-tools').count(), 1);
  await page.setViewportSize({ width: 375, height: 800 });
  const [above, below] = await Promise.all(['#chart', '#second'].map(part => page.locator(part).boundingBox()));
  assert.ok(below.y > above.y + above.height - 1, 'a phone shows it below');
  assert.deepEqual(seen.messages, []);
  await context.close();
}

// A swipe on a phone leads to the next stock of the list and back; a short one, one up or down, and one on a chart do not.
{
  const { context, page } = await opened({ hasTouch: true, viewport: { width: 375, height: 800 } });
  await page.goto(`${origin}/india/leaders`);
  await led(page, () => page.locator('main tbody th a').nth(1).click());
  const symbols = await page.evaluate(() => JSON.parse(sessionStorage.getItem('list')).symbols);
  const swipe = (what, x, y) => page.locator(what).first().evaluate((target, [x, y]) => {
    const send = (kind, clientX, clientY) => {
      const finger = new Touch({ identifier: 1, target, clientX, clientY });
      target.dispatchEvent(new TouchEvent(kind, { bubbles: true, touches: kind === 'touchend' ? [] : [finger], changedTouches: [finger] }));
    };
    send('touchstart', 200, 300);
    send('touchend', 200 + x, 300 + y);
  }, [x, y]);
  const at = () => decodeURIComponent(new URL(page.url()).pathname.split('/')[3]);
  for (const [what, x, y] of [['h1', -30, 0], ['h1', -120, 110], ['#chart svg', -120, 0]]) {
    await swipe(what, x, y);
    assert.equal(at(), symbols[1], `${what} by ${x}, ${y}`);
  }
  // A tap reads the interactive chart, and draws on it.
  await led(page, () => page.locator('.tabs').getByRole('link', { name: 'Chart', exact: true }).click());
  const live = page.locator('#chart .live-chart'), area = live.locator('> div[aria-hidden]'), read = () => live.locator('.readout').innerText();
  await live.waitFor();
  const before = await read();
  await area.tap({ position: { x: 60, y: 60 } });
  await page.waitForFunction(before => document.querySelector('#chart .live-chart .readout').innerText !== before, before);
  await live.getByRole('button', { name: 'Level', exact: true }).tap();
  await area.tap({ position: { x: 90, y: 70 } });
  await page.getByRole('button', { name: 'Delete drawing 1', exact: true }).tap();
  await page.getByText('There is no drawing yet.').waitFor();
  await led(page, () => swipe('h1', -120, 10));
  assert.equal(at(), symbols[2]);
  await led(page, () => swipe('h1', 120, -10));
  assert.equal(at(), symbols[1]);
  await context.close();
}

await browser.close();
console.log('drawings stay, two charts stand beside each other, and a swipe leads through a list');
