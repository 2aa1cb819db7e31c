// Every page of the explorer in a browser: `node pages.mjs URL SIGN-IN-LINK`. The stocks that are looked at are those that the screener
// of a market names first, so that it does for any data.
import assert from 'node:assert/strict';
import { barriers, led, menuOf, share, sideways, signIn, start, symbolsOf, watched } from './browser.mjs';

const [origin, link] = process.argv.slice(2);
const BUDGETS = { home: 60_000, screener: 44_000, company: 60_000, heat: 60_000, rotation: 60_000, chart: 130_000 };
// Prices of more digits are longer.
if (process.env.DATA) Object.assign(BUDGETS, { chart: 145_000 });
const problems = [];
const fail = (where, what) => problems.push(`${where}: ${what}`);

const browser = await start();
const state = await signIn(browser, link);
const stocks = await named();

/** Two stocks of each market. */
async function named() {
  const context = await browser.newContext({ storageState: state });
  const page = await context.newPage();
  const found = {};
  for (const market of ['india', 'us']) found[market] = (await symbolsOf(page, origin, market)).slice(0, 2);
  await context.close();
  return found;
}

/** The address of a company. */
const company = (market, more = '') => `/${market}/company/${encodeURIComponent(stocks[market][0])}${more}`;

// The pages that the menu names, and those of a company.
async function paths() {
  const context = await browser.newContext({ storageState: state });
  const page = await context.newPage();
  const found = new Set();
  for (const market of ['india', 'us']) {
    for (const path of await menuOf(page, origin, market)) found.add(path);
    await page.goto(origin + company(market));
    for (const path of await page.$$eval('.tabs a', links => links.map(link => link.getAttribute('href')))) found.add(path);
    found.add(company(market, '?range=5Y'));
    found.add(company(market, '?bars=Weekly&scale=Log&mean_10=true&mean_21=true&mean_200=false'));
    found.add(`/${market}/indices?index=${market === 'india' ? 'NIFTY50' : 'SP500'}`);
    found.add(`/${market}/company/NOSUCH`);
    found.add(`/${market}/screener?min_rs=60&sort_by=roe&fields=symbol%2Croe%2Crs_rating`);
    found.add(`/${market}/screener?query=RS+above+90+and+ROE+above+15+and+debt+free&cap=mid`);
    found.add(`/${market}/screener?query=banks+with+vorpal+above+3`);
    found.add(`/${market}/screener?view=charts&query=RS+above+50`);
    found.add(`/${market}/nothing-lies-here`);
  }
  found.add(`/india/compare?symbols=${encodeURIComponent(stocks.india.join())}`);
  await context.close();
  return [...found];
}

const all = await paths();
assert.ok(all.length > 40, `${all.length} pages`);
const looked = share(all);

// In both colour schemes, with scripts: accessibility, console, other places, a phone of 320 px.
for (const colorScheme of ['light', 'dark']) {
  const context = await browser.newContext({ storageState: state, colorScheme, viewport: { width: 1280, height: 900 }, bypassCSP: false });
  const { page, seen } = await watched(context, origin);
  for (const path of looked) {
    const where = `${path} (${colorScheme})`;
    seen.messages.length = 0;
    const reply = await page.goto(origin + path, { waitUntil: 'load' });
    const isRefused = path.includes('NOSUCH') || path.includes('nothing-lies');
    // Data of one's own may lack a table; the page must say which.
    const isLacking = process.env.DATA && !isRefused && reply.status() === 404
      && / lacks the table/.test(await page.locator('.refusal').first().innerText());
    if (reply.status() !== (isRefused || isLacking ? 404 : 200)) fail(where, `status ${reply.status()}`);
    await page.$$eval('details', all => all.forEach(one => { one.open = true; }));
    // The dark scheme has the same elements in other colours.
    for (const barrier of await barriers(page, colorScheme === 'dark')) fail(where, barrier);
    await page.setViewportSize({ width: 320, height: 640 });
    if (await sideways(page) > 0) fail(where, `scrolls sideways by ${await sideways(page)} px at 320 px`);
    await page.setViewportSize({ width: 1280, height: 900 });
    const messages = seen.messages.filter(text => !(isRefused && text.includes('404') || isLacking && text.includes('404')));
    if (messages.length) fail(where, `console: ${messages.join(' | ')}`);
    if (seen.elsewhere.length) fail(where, `asks elsewhere: ${seen.elsewhere.join(' ')}`);
  }
  await context.close();
}

// Without scripts every page says the same, and a form leads to the view that it asks for.
{
  const context = await browser.newContext({ storageState: state, javaScriptEnabled: false });
  const page = await context.newPage();
  for (const path of all) {
    await page.goto(origin + path);
    if (await page.locator('h1').count() !== 1) fail(path, 'no heading without scripts');
  }
  await page.goto(`${origin}/india/screener`);
  await page.locator('.limits > summary').click();
  await page.getByLabel('Min RS', { exact: true }).fill('60');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.waitForURL('**/india/screener?min_rs=60');
  await page.getByLabel('Search companies').fill('bank');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL('**/india/search?q=bank');
  await page.getByLabel('Search companies').fill(stocks.india[0].toLowerCase());
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL(`**${company('india')}`);
  await context.close();
}

// One load in a browser that has nothing yet: bytes, requests, the time of the largest paint, and how much the layout shifts.
async function measured(path) {
  const context = await browser.newContext({ storageState: state });
  await context.addInitScript(() => {
    window.measured = { largest: 0, shift: 0 };
    new PerformanceObserver(list => { window.measured.largest = list.getEntries().at(-1).startTime; }).observe({ type: 'largest-contentful-paint', buffered: true });
    new PerformanceObserver(list => { for (const one of list.getEntries()) window.measured.shift += one.value; }).observe({ type: 'layout-shift', buffered: true });
  });
  const { page, seen } = await watched(context, origin);
  await page.goto(origin + path, { waitUntil: 'networkidle' });
  // The browser tells of a paint some time after it.
  await page.waitForFunction(() => window.measured.largest > 0);
  await Promise.all(seen.sizes);
  const { largest, shift } = await page.evaluate(() => window.measured);
  await context.close();
  return { bytes: seen.bytes, requests: seen.requests, largest, shift };
}

// Budgets. On a busy machine every page paints late: what the small page of sign-in takes beside it says how busy it is.
const slowest = { largest: 0 };
for (const market of ['india', 'us']) {
  const heavy = ['screener', 'heat', 'rotation'].map(kind => [kind, `/${market}/${kind}`]);
  for (const [kind, path] of [['home', `/${market}`], ['company', company(market)], ['chart', company(market, '/chart')], ...heavy]) {
    const loads = [];
    let small = Infinity, largest = Infinity;
    const isSlow = () => largest > Math.max(300, 4 * small);
    for (let load = 0; load < 3 || (isSlow() && load < 10); load += 1) {
      small = Math.min(small, (await measured('/login')).largest);
      loads.push(await measured(path));
      largest = Math.min(largest, loads.at(-1).largest);
    }
    const { bytes, requests } = loads[0];
    const shift = Math.max(...loads.map(load => load.shift));
    console.log(`${path}: ${bytes} bytes, ${requests} requests, largest paint ${Math.round(largest)} ms (sign-in ${Math.round(small)} ms), shift ${shift}`);
    if (bytes > BUDGETS[kind]) fail(path, `${bytes} bytes`);
    // The interactive chart is a file of its own.
    if (requests > (kind === 'chart' ? 5 : 4)) fail(path, `${requests} requests`);
    if (largest > slowest.largest) Object.assign(slowest, { path, largest, small });
    if (isSlow()) fail(path, `largest paint after ${Math.round(largest)} ms`);
    // A tenth of what counts as still: on a busy machine a line of a table may come a moment after the others.
    if (shift > 0.01) fail(path, `shifts by ${shift}`);
  }
}
console.log(`the slowest is ${slowest.path}: largest paint ${Math.round(slowest.largest)} ms (sign-in ${Math.round(slowest.small)} ms)`);

// A company in one screen: the newest quarter is what a box shows first, marks tell what happened, and the chart answers by links and a form.
for (const javaScriptEnabled of [true, false]) {
  const context = await browser.newContext({ storageState: state, javaScriptEnabled, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(origin + company('india'));
  // Other data may have no statements, and nothing that happened.
  const always = ['chart', 'peers', 'momentum'], has = async part => !process.env.DATA || await page.locator(`section#${part}`).count() === 1;
  for (const part of process.env.DATA ? always : [...always, 'beside', 'quarters', 'events']) {
    if (await page.locator(`section#${part}`).count() !== 1) fail(company('india'), `no part ${part}`);
  }
  const sizes = await page.locator('main .figures dd').evaluateAll(all => all.map(one => getComputedStyle(one).fontSize));
  if (sizes.filter(size => size === '28px').length !== 1) fail(company('india'), `figures of ${sizes.join(' ')}`);
  const edges = async width => {
    await page.setViewportSize({ width, height: 900 });
    const box = await page.locator('#quarters .scroll').boundingBox();
    const newest = await page.locator('#quarters thead th').last().boundingBox();
    return newest.x >= box.x && newest.x + newest.width <= box.x + box.width + 1;
  };
  const widths = await has('quarters') ? [1440, 375] : [];
  for (const width of widths) if (!await edges(width)) fail(company('india'), `the newest quarter is out of sight at ${width} px`);
  await page.setViewportSize({ width: 1440, height: 900 });
  if (await has('beside')) {
    const [chart, beside] = [await page.locator('#chart').boundingBox(), await page.locator('#beside').boundingBox()];
    if (beside.x < chart.x + chart.width || Math.abs(beside.y - chart.y) > 1) fail(company('india'), 'the ratios do not stand beside the chart');
  }
  const titles = await page.locator('#chart .picture-form:visible svg .mark title').allTextContents();
  if (!process.env.DATA && !titles.some(title => /^\d+ \w+ \d{4}: .+ results: /.test(title))) fail(company('india'), `marks say ${titles.join(' | ')}`);
  await page.locator('#chart').getByRole('link', { name: 'Log', exact: true }).click();
  await page.waitForURL('**?scale=Log');
  await page.locator('#chart').getByRole('link', { name: 'EMA 21', exact: true }).click();
  await page.waitForURL('**?scale=Log&mean_21=true');
  if (!/log scale/.test(await page.locator('#chart .picture-form:visible svg').textContent())) fail(page.url(), 'no log scale');
  await page.locator('#chart .own-span summary').click();
  await page.getByLabel('From', { exact: true }).fill('2026-06-01');
  await page.getByLabel('To', { exact: true }).fill('2026-08-31');
  await page.locator('#chart .own-span').getByRole('button', { name: 'Show' }).click();
  await page.waitForURL('**from=2026-06-01&to=2026-08-31*');
  if (!process.env.DATA && !/1 Jun 2026 – 31 Aug 2026/.test(await page.locator('#chart .picture-form:visible svg').textContent())) fail(page.url(), 'another span');
  await page.locator('#chart').getByRole('link', { name: '6M', exact: true }).click();
  await page.waitForURL(url => url.searchParams.get('range') === '6M' && !url.searchParams.has('from'));
  await page.locator('#peers').getByRole('link', { name: /^Compare these/ }).click();
  await page.waitForURL('**/india/compare?symbols=*');
  await context.close();
}

// A sentence takes two actions: to type it, and Enter. A count beside the rows keeps the sentence, and what was typed and not sent. Other
// data may have no figures of statements, and is left out.
for (const javaScriptEnabled of process.env.DATA ? [] : [true, false]) {
  const context = await browser.newContext({ storageState: state, javaScriptEnabled });
  const page = await context.newPage();
  await page.goto(`${origin}/india/screener`);
  await page.getByLabel('What you look for, in words').fill('RS above 40 and ROE above 5, by RS');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/india/screener?query=*');
  await page.getByRole('link', { name: /^Without relative-strength rating above 40/ }).waitFor();
  assert.match(await page.locator('thead').innerText(), /RS rating ↓/);
  if (javaScriptEnabled) {
    await page.locator('.limits > summary').click();
    await page.getByLabel('Max P/E', { exact: true }).fill('40');
  }
  await page.getByRole('link', { name: /^Mid cap/ }).click();
  await page.waitForURL(url => url.searchParams.get('cap') === 'mid');
  const asked = new URL(page.url()).searchParams;
  assert.equal(asked.get('query'), 'RS above 40 and ROE above 5, by RS');
  assert.equal(asked.get('max_pe'), javaScriptEnabled ? '40' : null);
  await page.getByRole('link', { name: /^Without return on equity above 5/ }).click();
  await page.waitForURL(url => url.searchParams.get('without') === '2');
  await page.getByRole('link', { name: /^With return on equity above 5/ }).waitFor();
  // Another order, and a limit: what was removed stays removed. Another sentence begins anew, in the size that was chosen.
  await page.locator('thead').getByRole('link', { name: 'Price' }).click();
  await page.waitForURL(url => url.searchParams.get('sort_by') === 'price_cmp');
  if (!javaScriptEnabled) await page.locator('.limits > summary').click();
  await page.getByLabel('Min P/E', { exact: true }).fill('2');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.waitForURL(url => url.searchParams.get('min_pe') === '2' && url.searchParams.get('without') === '2');
  await page.getByLabel('What you look for, in words').fill('ROE above 10 and RS above 20, by ROE');
  await page.keyboard.press('Enter');
  await page.waitForURL(url => url.searchParams.get('query')?.startsWith('ROE'));
  const anew = new URL(page.url()).searchParams;
  for (const name of ['without', 'sort_by', 'said']) assert.equal(anew.get(name), null, `${name} of ${anew}`);
  assert.equal(anew.get('cap'), 'mid');
  await page.getByRole('link', { name: /^Without return on equity above 10/ }).first().waitFor();
  assert.match(await page.locator('thead').innerText(), /ROE ↓/);
  await context.close();
}

// The first page has the largest stocks in small, and leads to all of them.
{
  const context = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  for (const market of ['india', 'us']) {
    await page.goto(`${origin}/${market}`);
    const [rotation, heat] = [await page.locator('#rotation').boundingBox(), await page.locator('#heat').boundingBox()];
    if (heat.x < rotation.x + rotation.width || Math.abs(heat.y - rotation.y) > 1) fail(`/${market}`, 'the heat map does not stand beside the rotation');
    const cells = await page.locator('#heat svg:visible a.cell').count();
    if (cells < 30) fail(`/${market}`, `${cells} stocks in the heat map`);
    await led(page, () => page.getByRole('link', { name: 'Heat map of all stocks' }).click());
    assert.equal(new URL(page.url()).pathname, `/${market}/heat`);
  }
  await context.close();
}

// A phone sees the whole picture without scrolling, and reads a bar beside it.
{
  const context = await browser.newContext({ storageState: state, viewport: { width: 375, height: 800 } });
  const page = await context.newPage();
  await page.goto(origin + company('india'));
  const box = page.locator('#chart .form-360');
  assert.ok(await box.evaluate(one => one.scrollWidth <= one.clientWidth), 'a picture of a phone is as wide as the phone');
  assert.equal(await page.locator('.picture-form:not(.form-360):visible').count(), 0);
  await box.locator('svg').hover();
  assert.match(await box.locator('.readout').textContent(), /Change[+−]\d+\.\d\d%/);
  await context.close();
}

// From a list to the chart of one of its stocks, and on to the next and the one before by keys; the marks stand in a list as well.
{
  const context = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${origin}/india/leaders`);
  const names = await page.locator('main tbody th a').allInnerTexts();
  await led(page, () => page.locator('main tbody th a').nth(1).click());
  await led(page, () => page.locator('.tabs').getByRole('link', { name: 'Chart', exact: true }).click());
  const at = () => decodeURIComponent(new URL(page.url()).pathname);
  assert.equal(at(), `/india/company/${names[1].trim()}/chart`);
  await led(page, () => page.keyboard.press(']'));
  assert.equal(at(), `/india/company/${names[2].trim()}/chart`);
  await led(page, () => page.keyboard.press('k'));
  await led(page, () => page.keyboard.press('['));
  assert.equal(at(), `/india/company/${names[0].trim()}/chart`);
  assert.match(await page.locator('.neighbours').innerText(), /Leaders, 1 of \d+/);
  await page.goto(origin + company('india', '/chart'));
  const drawn = await page.locator('#chart .form-1080 .mark title').allTextContents();
  const listed = await page.locator('#chart .events li').count();
  if ((!drawn.length && !process.env.DATA) || listed < drawn.length) fail(company('india', '/chart'), `${listed} marks are listed, ${drawn.length} drawn`);
  // The interactive chart stands where the picture was, is read by keys, and is not printed.
  const live = page.locator('#chart .live-chart');
  await live.waitFor();
  assert.equal(await page.locator('#chart .picture-form:visible').count(), 0);
  await live.focus();
  await page.keyboard.press('Home');
  const first = await live.locator('.readout').innerText();
  await page.keyboard.press('ArrowRight');
  assert.notEqual(await live.locator('.readout').innerText(), first);
  await page.emulateMedia({ media: 'print' });
  assert.ok(!await live.isVisible() && await page.locator('#chart .picture-form:visible').count() === 1, 'the drawn picture is printed');
  await page.emulateMedia({ media: 'screen' });
  await page.getByLabel('Compare with').fill(stocks.india[1]);
  await page.locator('#compared').getByRole('button', { name: 'Show' }).click();
  await page.waitForURL('**compare_with=*');
  assert.match(await page.locator('#compared .readout:visible').innerText(), new RegExp(`${stocks.india[0]}[^]*${stocks.india[1]}`));
  await context.close();
}

// While the server is away, a page stays and says so, and what was requested comes once the server is back.
{
  const context = await browser.newContext({ storageState: state, viewport: { width: 375, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${origin}/india/leaders`);
  const rows = await page.locator('main tbody tr').count(), away = page.locator('.away');
  await context.setOffline(true);
  await page.locator('main tbody th a').first().click();
  await away.getByText(/cannot be reached.*Trying again in 2 s/).waitFor();
  assert.match(await page.locator('.live').textContent(), /cannot be reached/);
  assert.deepEqual([new URL(page.url()).pathname, await page.locator('main tbody tr').count()], ['/india/leaders', rows]);
  assert.equal(await page.locator('main').getAttribute('aria-busy'), null);
  assert.deepEqual(await barriers(page), []);
  assert.ok(await sideways(page) <= 0, 'the note is as wide as the phone');
  await away.getByText(/Trying again in 4 s/).waitFor();
  await led(page, () => context.setOffline(false));
  assert.match(page.url(), /\/company\//);
  assert.equal(await away.count(), 0);
  // A proxy whose server is away has no page either; a link that is chosen in the meantime is another request.
  await page.route('**/india/company/*/ratios', route => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }));
  await page.locator('.tabs').getByRole('link', { name: 'Ratios', exact: true }).click();
  await away.waitFor();
  await led(page, () => page.locator('.tabs').getByRole('link', { name: 'Events', exact: true }).click());
  assert.match(page.url(), /\/events$/);
  // A form that changes something stays as it was filled in, and is sent again only by hand.
  await page.goto(`${origin}${company('india')}`);
  const note = page.locator('form[aria-label=Note]'), written = note.locator('textarea'), sent = [];
  page.on('request', request => { if (request.method() === 'POST') sent.push(request.url()); });
  await page.getByText('Write a note').click();
  await written.fill('Sent to an absent server');
  await context.setOffline(true);
  await note.locator('button').click();
  await away.getByText(/cannot be reached. It may lack what you sent/).waitFor();
  assert.equal(await written.inputValue(), 'Sent to an absent server');
  await context.setOffline(false);
  assert.equal(sent.length, 1);
  await led(page, () => away.getByRole('link', { name: 'Try now' }).click());
  assert.deepEqual([sent.length, await written.inputValue(), await away.count()], [2, 'Sent to an absent server', 0]);
  await page.reload();
  assert.equal(await written.inputValue(), 'Sent to an absent server');
  await page.getByText('Change the note').click();
  await written.fill('');
  await led(page, () => note.locator('button').click());
  await context.close();
}

// Every picture is shown in letters of one size, and one of steps is read by the pointer, by keys and by a tap.
for (const width of [375, 1024, 1440, 1920, 2560]) {
  const context = await browser.newContext({ storageState: state, hasTouch: width < 400, viewport: { width, height: 900 } });
  const page = await context.newPage();
  for (const path of [company('india'), company('india', '/financials'), `/india/compare?symbols=${encodeURIComponent(stocks.india.join())}`, '/india/breadth', '/india/sectors', '/india/rotation', '/india/indices?index=NIFTY50']) {
    await page.goto(origin + path);
    const sizes = await page.locator('.picture-form:visible svg').evaluateAll(all => all.flatMap(svg => {
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      return [...svg.querySelectorAll('[font-size]')].map(one => one.getAttribute('font-size') * scale);
    }));
    if (!sizes.length || Math.min(...sizes) < 10.5 || Math.max(...sizes) > 16) fail(path, `letters of ${Math.min(...sizes)} to ${Math.max(...sizes)} px at ${width} px`);
    const form = page.locator('[data-places]:visible').first();
    if (!await form.count()) continue;
    const told = () => form.locator('.readout').innerText(), before = await told(), box = await form.locator('svg').boundingBox();
    await form.locator('svg').scrollIntoViewIfNeeded();
    const near = { position: { x: box.width / 3, y: box.height / 2 } };
    if (width < 400) await form.locator('svg').tap(near); else await form.locator('svg').hover(near);
    const pointed = await told();
    assert.notEqual(pointed, before, `${path} at ${width} px: nothing is read under the pointer`);
    // The same is beside the crosshair, in view, and gone without the pointer.
    const tip = form.locator('.tip'), [shown, upright] = [await tip.boundingBox(), await form.locator('.crosshair').first().boundingBox()];
    const gap = Math.max(shown.x - upright.x, upright.x - shown.x - shown.width);
    assert.ok(gap > 0 && gap < 20 && shown.x >= 0 && shown.x + shown.width <= width, `${path} at ${width} px: what is read is ${gap} px beside the crosshair`);
    assert.deepEqual(await tip.locator('dd').allTextContents(), await form.locator('.readout dd').allTextContents());
    assert.ok(await form.locator('.readout').evaluate(one => one.offsetHeight <= 1), 'a readout above the picture as well');
    if (width > 400) {
      await page.mouse.move(1, 1);
      assert.ok(!await tip.isVisible() && await told() === before, `${path} at ${width} px: the pointer has left`);
    }
    await form.focus();
    await page.keyboard.press('ArrowRight');
    assert.notEqual(await told(), pointed, `${path} at ${width} px: nothing is read by keys`);
  }
  // Shapes that have a name and figures show them at once; a tap reads them, and the next one opens what is behind them.
  for (const [path, shape] of [['/india/heat', '.cell'], ['/india/rotation', '.sector']]) {
    await page.goto(origin + path);
    const one = page.locator(`.picture-form:visible ${shape}`).last(), part = one.locator('rect, circle').last();
    if (width < 400) await part.tap(); else await part.hover();
    const [text, name] = [await page.locator('.tip:visible').innerText(), await one.getAttribute('aria-label')];
    assert.ok(text === name && /\d/.test(text), `${path} at ${width} px: ${text} of ${name}`);
    assert.equal(page.url(), origin + path);
    await led(page, () => (width < 400 ? part.tap() : part.click()));
    assert.notEqual(page.url(), origin + path);
  }
  // A cell of a heat map has letters that can be read, or none.
  for (const path of ['/india', '/india/heat']) {
    await page.goto(origin + path);
    const sizes = await page.locator('.picture-form:visible .picture-heat_map .cell text').evaluateAll(all => all.map(text => {
      const svg = text.ownerSVGElement;
      return parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    }));
    if (!sizes.length || Math.min(...sizes) < (width < 400 ? 10.5 : 11.95) || Math.max(...sizes) > 16.05) fail(path, `cells in letters of ${Math.min(...sizes)} to ${Math.max(...sizes)} px at ${width} px`);
  }
  // The prices have the room: the pane is higher than all others together.
  await page.goto(origin + company('india'));
  const high = await page.locator('#chart [data-places]:visible').evaluate(form => {
    const svg = form.querySelector('svg'), { axis } = JSON.parse(form.dataset.places);
    return (axis.from - axis.to) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  });
  if (high < (width < 400 ? 150 : 300)) fail(company('india'), `prices ${Math.round(high)} px high at ${width} px`);
  await context.close();
}

// By keys alone: skip link, search by `/`, a company, the crosshair, back.
{
  const context = await browser.newContext({ storageState: state });
  const { page, seen } = await watched(context, origin);
  await page.goto(`${origin}/india`);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to content');
  await page.keyboard.press('/');
  const symbol = stocks.india[0], typed = symbol.toLowerCase();
  await page.keyboard.type(typed);
  await led(page, () => page.keyboard.press('Enter'));
  assert.equal(page.url(), origin + company('india'));
  const chart = page.locator('#chart [data-places]:visible');
  await chart.focus();
  await page.keyboard.press('ArrowLeft');
  const readout = chart.locator('.readout');
  const last = await readout.textContent();
  assert.match(last, /^Date\d+ \w{3} \d{4}Open[\d,]+\.\d\d/);
  const spoken = await page.locator('.live').textContent();
  assert.match(spoken, /^Date \d+ \w{3} \d{4}, Open [\d,]+\.\d\d, /);
  const pairs = await readout.locator('div').evaluateAll(all => all.map(one => [...one.querySelectorAll('dt, dd')].map(part => part.textContent).join(' ')));
  assert.equal(spoken, pairs.join(', '));
  await page.keyboard.press('ArrowLeft');
  assert.notEqual(await readout.textContent(), last);
  // The address is that of the view before at once; the view follows.
  await led(page, () => page.goBack());
  assert.equal(new URL(page.url()).pathname, '/india');
  // The way back leads to where the view was left.
  await page.goto(`${origin}/india/screener`);
  await page.evaluate(() => scrollTo(0, 400));
  await led(page, () => page.locator('main table a').last().evaluate(link => link.click()));
  await led(page, () => page.goBack());
  await page.waitForFunction(() => document.querySelector('h1').textContent === 'Screener' && scrollY === 400);
  assert.deepEqual(seen.messages, []);
  await context.close();
}

// Colours are chosen by a form, without scripts as well, and hold for every page of the server, whatever the browser prefers.
for (const javaScriptEnabled of [true, false]) {
  const context = await browser.newContext({ storageState: state, javaScriptEnabled, colorScheme: 'light' });
  const page = await context.newPage();
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.goto(`${origin}/india/sectors`);
  const light = await ground();
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Dark', exact: true }).click();
  await page.waitForURL('**/india/sectors');
  const dark = await ground();
  assert.notEqual(dark, light);
  for (const path of ['/us', '/portal', '/v1/docs/market/sectors']) {
    await page.goto(origin + path);
    assert.equal(await ground(), dark, path);
  }
  await page.emulateMedia({ media: 'print' });
  await page.goto(`${origin}/india/leaders?liquidity=all`);
  assert.notEqual(await ground(), dark, 'dark colours are not printed');
  assert.match(await page.locator('.dated').innerText(), /^as of \d+ \w+ \d{4}/);
  assert.match(await page.locator('.printed').innerText(), /Liquidity: all/);
  assert.equal(await page.locator('.bar').isVisible(), false);
  await context.close();
}

// Signing out ends it: the way back shows nothing.
{
  const context = await browser.newContext({ storageState: state });
  const page = await context.newPage();
  await page.goto(`${origin}/india`);
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/login');
  await page.goto(`${origin}/india`);
  assert.equal(new URL(page.url()).pathname, '/login');
  await context.close();
}

await browser.close();
if (problems.length) {
  console.error(problems.join('\n'));
  console.error(`${problems.length} problems`);
  process.exit(1);
}
console.log(`${looked.length} of ${all.length} pages: no finding`);
