// Keys of models, presets and committees in a browser, from the start to the report or to their end before it, with scripts and without:
// `node committee.mjs URL SIGN-IN-LINK MODEL`. MODEL is the address of `model.mjs`, which the server asks as OpenAI.
import assert from 'node:assert/strict';
import { barriers, led, sideways, signIn, start, symbolsOf, watched } from './browser.mjs';

const [origin, link, model] = process.argv.slice(2);
/** The key by which the server asks the model. */
const KEY = 'sk-browser-0000-1111';
/** The number that the model makes up, as a page may write it. */
const INVENTED = /9,?87,?654/;
/** A run takes seconds, unless the machine has much else to do. */
const PATIENCE = { timeout: 120_000 };

async function tell(path) {
  assert.equal((await fetch(`${model}/${path}`, { method: 'POST' })).status, 200);
}

const browser = await start();
const state = await signIn(browser, link);

/** What a page says under a name. */
const fact = (page, name) => page.locator('dl.facts').first().locator('div', { has: page.locator(`dt:text-is("${name}")`) }).locator('dd').innerText();
const press = (page, name) => led(page, () => page.getByRole('button', { name, exact: true }).click());
const follow = (page, name) => led(page, () => page.getByRole('link', { name, exact: true }).first().click());

/** Asks again until a run has ended, as it should; how many agents were done each time. */
async function watch(page, end) {
  const until = Date.now() + PATIENCE.timeout;
  const done = [];
  for (;;) {
    done.push(Number(await fact(page, 'Agents done')));
    const status = await fact(page, 'Status');
    if (status !== 'running') {
      assert.equal(status, end, await page.locator('main').innerText());
      return done;
    }
    assert.ok(Date.now() < until, `it is still at work: ${await fact(page, 'Step')}`);
    await page.waitForTimeout(100);
    await follow(page, 'Ask again');
  }
}

/** The page for everyone: no barrier, no message, nothing sideways on a phone. Without scripts the first is not asked. */
async function sound({ page, seen, hasScripts }, where) {
  if (hasScripts) {
    await page.locator('details').evaluateAll(all => all.forEach(one => { one.open = true; }));
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await barriers(page), [], `${where} (${colorScheme})`);
    }
  }
  await page.setViewportSize({ width: 320, height: 640 });
  assert.ok(await sideways(page) <= 0, `${where} scrolls sideways at 320 px`);
  await page.setViewportSize({ width: 1280, height: 900 });
  assert.deepEqual(seen.messages, [], where);
  assert.deepEqual(seen.elsewhere, [], where);
}

/** A run that is begun and waits for the model, as its page shows it. */
async function begun(visit, what) {
  const { page } = visit;
  await page.waitForURL(url => url.pathname.endsWith(`/${what}/run`));
  assert.equal(await fact(page, 'Status'), 'running', await page.locator('main').innerText());
  assert.equal(await fact(page, 'Provider'), 'openai');
  await sound(visit, `${what} at work`);
}

/** A run that is over cannot be cancelled. */
async function over(page, status) {
  assert.equal(await fact(page, 'Status'), status);
  assert.equal(await page.getByRole('button', { name: /^Cancel/ }).count(), 0, `a run that is ${status} is not cancelled`);
}

/** What a report says: nothing of the number that nobody gave the model but that it is not supported. */
async function told(page) {
  const struck = page.locator('h3:text-is("Unsupported numbers")');
  assert.equal(await struck.count(), 1);
  const said = await page.locator('main').innerText();
  const report = said.split('Unsupported numbers')[0];
  assert.match(report, /bears the summary out\. Sales will reach \[unsupported\] crore/);
  assert.doesNotMatch(report, INVENTED);
}

/** The key of the model is saved, tested, removed and saved again. */
async function modelKeys(visit, market) {
  const { page } = visit;
  const send = async (label, fill) => {
    const form = page.getByRole('form', { name: label });
    await form.getByLabel('Provider *').selectOption('openai');
    await fill?.(form);
    await led(page, () => form.getByRole('button', { name: label }).click());
    assert.equal(await page.locator('.refusal').count(), 0, await page.locator('main').innerText());
    assert.ok(!(await page.content()).includes(KEY), 'a key is not shown again');
    // The result is shown once.
    assert.match(await page.locator('.form-answer').innerText(), new RegExp(`^${label}`));
  };
  const saved = () => page.locator('#keys tbody tr').allInnerTexts();
  const save = () => send('Save this key', form => form.getByLabel('Key *', { exact: true }).fill(KEY));
  await page.goto(`${origin}/${market}/models`);
  assert.equal(await page.locator('input[name=key]').getAttribute('type'), 'password');
  await save();
  assert.match((await saved()).join(), /openai\s+sk-\S*1111\s+yes/);
  await sound(visit, `${market} keys of models`);
  await send('Test the key');
  assert.match((await saved()).join(), /works/i);
  await send('Remove the key');
  assert.deepEqual((await saved()).filter(row => row.includes('openai')), []);
  await save();
  await send('Prefer the key');
}

async function committees(visit, market, symbol) {
  const { page } = visit;
  const open = () => page.goto(`${origin}/${market}/committee`);
  const begin = async asked => {
    await open();
    await page.getByLabel('Symbol *').fill(asked);
    await press(page, 'Start');
  };
  await open();
  assert.equal(await fact(page, 'Has a key'), 'yes');
  await sound(visit, `${market} committee`);
  // A stock that there is not: the words of the operation, and the form again.
  await begin('NOSUCHSTOCK');
  assert.match(await page.locator('.refusal').first().innerText(), /NOSUCHSTOCK/);
  assert.equal(await page.getByRole('button', { name: 'Start', exact: true }).count(), 1);
  visit.seen.messages.length = 0;

  await tell('hold');
  await begin(symbol);
  await begun(visit, 'committee');
  assert.match(await page.locator('#report').innerText(), /is not done yet/);
  const job = await fact(page, 'Job id');
  assert.equal(new URL(page.url()).search, `?job_id=${job}`);
  await tell('release');
  // The page looks again by itself.
  await page.locator('#report .verdict').waitFor(PATIENCE);
  await over(page, 'completed');
  assert.equal(await page.locator('#report .verdict .word b').innerText(), 'BUY');
  assert.ok(await page.locator('#report .checks .holds').count() > 0, 'gates are ticks');
  assert.equal(await page.getByRole('link', { name: 'Stop that' }).count(), 0, 'a run that is over is not followed');
  await told(page);
  await sound(visit, `${market} report of a committee`);

  await tell('hold');
  await begin(symbol);
  await begun(visit, 'committee');
  await press(page, 'Cancel this committee');
  await watch(page, 'cancelled');
  await over(page, 'cancelled');
  assert.match(await page.locator('#report').innerText(), /cancelled/);
  await tell('release');

  await open();
  const rows = await page.locator('#runs tbody tr').allInnerTexts();
  assert.ok(rows[0].includes('cancelled') && rows[1].includes('completed') && rows[1].includes('BUY'), rows.join('\n'));
  await follow(page, job);
  await over(page, 'completed');
}

async function presets(visit, market) {
  const { page } = visit;
  const begin = async () => {
    await page.goto(`${origin}/${market}/presets`);
    await follow(page, 'Technical analysis panel');
    await page.getByLabel('Goal *').fill('Which stock has the strongest trend?');
    await press(page, 'Start');
  };
  await page.goto(`${origin}/${market}/presets/start`);
  await page.getByLabel('Preset *').selectOption('technical_analysis_panel');
  await press(page, 'Show');
  assert.equal(await fact(page, 'Agents'), '5');
  await sound(visit, `${market} start of a preset`);

  await tell('hold');
  await begin();
  await begun(visit, 'presets');
  const run = await fact(page, 'Run');
  await tell('release');
  await watch(page, 'completed');
  await over(page, 'completed');
  await told(page);
  await sound(visit, `${market} report of a preset`);

  await tell('hold');
  await begin();
  await begun(visit, 'presets');
  await press(page, 'Cancel this run');
  await watch(page, 'cancelled');
  await over(page, 'cancelled');
  await tell('release');

  await page.goto(`${origin}/${market}/presets`);
  const rows = await page.locator('#runs tbody tr').allInnerTexts();
  assert.ok(rows[0].includes('cancelled') && rows[1].includes('completed'), rows.join('\n'));
  await sound(visit, `${market} presets`);
  await follow(page, run);
  await over(page, 'completed');
}

for (const [market, hasScripts] of [['india', true], ['us', false]]) {
  // Colours that fade from one scheme into the other have no contrast on the way.
  const looks = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' };
  const context = await browser.newContext({ storageState: state, javaScriptEnabled: hasScripts, ...looks });
  const visit = { ...await watched(context, origin), hasScripts };
  const [symbol] = await symbolsOf(visit.page, origin, market);
  await tell(`look-at/${market}/${encodeURIComponent(symbol)}`);
  await modelKeys(visit, market);
  await committees(visit, market, symbol);
  await presets(visit, market);
  await context.close();
  console.log(`${market}, ${hasScripts ? 'with' : 'without'} scripts: runs are started, watched, read and cancelled`);
}
await browser.close();
