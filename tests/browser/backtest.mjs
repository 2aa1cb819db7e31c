// A back-test on its page, in both markets: `node backtest.mjs URL SIGN-IN-LINK`. The form leads to a result with scripts and without, what is
// refused can be changed, and a printed sheet has the rules in the place of the form.
import assert from 'node:assert/strict';
import { barriers, led, sideways, signIn, start, watched } from './browser.mjs';

const [origin, link] = process.argv.slice(2);
const browser = await start();
const state = await signIn(browser, link);

/** Fills the form in and sends it. */
async function run(page, market) {
  await page.goto(`${origin}/${market}/backtest`);
  await page.getByLabel('Scan', { exact: true }).selectOption('nearHigh');
  await page.getByLabel('Days of picks', { exact: true }).selectOption('weekly');
  await page.getByLabel('Stop, %', { exact: true }).fill('10');
  const show = () => page.locator('main').getByRole('button', { name: 'Show', exact: true }).click();
  await show();
  await page.waitForURL(url => url.searchParams.get('stop') === '10');
  const query = new URL(page.url()).searchParams;
  assert.deepEqual(Object.fromEntries(query), { scan: 'nearHigh', every: 'weekly', stop: '10' });
}

/** What the page says of the result. */
async function shown(page) {
  const texts = selector => page.locator(selector).allInnerTexts();
  const trades = page.getByRole('group', { name: 'Trades', exact: true }).locator('tbody tr');
  return {
    headings: (await texts('#test h3')).filter(text => ['Statistics', 'Years', 'Trades', 'Charges'].includes(text)),
    pictures: await texts('#test figcaption'),
    trades: await trades.count(),
  };
}

const found = {};
for (const javaScriptEnabled of [true, false]) {
  for (const market of ['india', 'us']) {
    const context = await browser.newContext({ storageState: state, javaScriptEnabled, viewport: { width: 1280, height: 900 } });
    const { page, seen } = await watched(context, origin);
    await run(page, market);
    const result = await shown(page);
    assert.deepEqual(result.headings, ['Statistics', 'Years', 'Trades', 'Charges']);
    assert.deepEqual(result.pictures, ['Equity and benchmark', 'Fall from the high']);
    assert.ok(result.trades > 10, `${market}: ${result.trades} trades`);
    // The same back-test says the same without scripts, and is no other try: the page without a request and this one were tried.
    assert.deepEqual(result, found[market] ?? result);
    if (found[market]) assert.equal(await page.locator('#tried dd').first().innerText(), '2');
    if (javaScriptEnabled) {
      await page.locator('details').evaluateAll(all => all.forEach(one => { one.open = true; }));
      assert.deepEqual(await barriers(page), []);
      // A picture is read by keys.
      const picture = page.locator('#test .picture-form:visible').first();
      const last = await picture.locator('.readout').innerText();
      await picture.focus();
      await page.keyboard.press('Home');
      assert.notEqual(await picture.locator('.readout').innerText(), last);
      await page.setViewportSize({ width: 320, height: 640 });
      assert.equal(await sideways(page), 0);
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.emulateMedia({ media: 'print' });
      assert.ok(!await page.locator('#test .controls').isVisible());
      assert.match(await page.locator('.printed').innerText(), /Stop, %: 10/);
      await page.emulateMedia({ media: 'screen' });
      assert.deepEqual(seen.messages, []);
      assert.deepEqual(seen.elsewhere, []);
      // A refused request has its form still, and a changed one is answered.
      await page.goto(`${origin}/${market}/backtest?weight=given`);
      assert.match(await page.locator('.refusal').innerText(), /weight=given/);
      await page.getByLabel('Weight', { exact: true }).selectOption('equal');
      await led(page, () => page.locator('main').getByRole('button', { name: 'Show', exact: true }).click());
      assert.equal(await page.locator('.refusal').count(), 0);
      found[market] = result;
    }
    await context.close();
  }
}
await browser.close();
console.log(`back-tests: ${found.india.trades} trades in India and ${found.us.trades} in the US, the same without scripts`);
