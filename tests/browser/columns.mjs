// What a page shows before anybody scrolls it sideways, at three widths: the columns that it names first, and those by which its rows are
// sorted or limited; the last bar of every picture on a phone; what is read of a bar; and how old the data is, in every top bar:
// `node columns.mjs URL SIGN-IN-LINK`.
import assert from 'node:assert/strict';
import { menuOf, parts, share, signIn, start, symbolsOf } from './browser.mjs';

const [origin, link] = process.argv.slice(2);
/** How many figures behind the name of a row are in view, at each width of a window. */
const WIDTHS = { 1440: 6, 1024: 4, 375: 2 };
/** Views with limits, and the titles of the columns that these are about. */
const LIMITED = [
  ['india/screener?query=RS+above+40+and+ROE+above+5', ['RS rating', 'ROE']],
  ['india/screener?min_roe=5&max_pe=60&sort_by=rs_rating', ['RS rating', 'ROE', 'P/E']],
  ['india/screener?query=P%2FE+below+60&cap=large', ['P/E']],
  ['us/screener?min_roe=5&sort_by=rs_rating', ['RS rating', 'ROE']],
  ['india/search?min_rs=10&min_mcap=1000', ['RS rating', 'Market cap']],
  ['us/search?q=a', ['Market cap']],
  ['india/movers?min_mcap=500', ['Change', 'Market cap']],
  ['india/rs-changes?min_delta=5', ['RS change']],
  ['india/conviction?min_matches=3', ['Scans', 'RS rating']],
  ['india/earnings?min_ecs=10', ['ECS score']],
];

const problems = [];
const counted = { tables: 0, pictures: 0 };
const browser = await start();
const state = await signIn(browser, link);

/** The lists of the menu, and the pages of a company. */
async function paths() {
  const context = await browser.newContext({ storageState: state });
  const page = await context.newPage();
  const found = new Map(LIMITED.map(([path, titles]) => [`/${path}`, titles]));
  for (const market of ['india', 'us']) {
    const [symbol] = await symbolsOf(page, origin, market);
    for (const path of await menuOf(page, origin, market)) found.set(path, []);
    await page.goto(`${origin}/${market}/company/${symbol}`);
    for (const path of await page.$$eval('.tabs a', links => links.map(link => link.getAttribute('href')))) found.set(path, []);
    found.set(`/${market}/indices?index=${market === 'india' ? 'NIFTY50' : 'SP500'}`, []);
  }
  await context.close();
  return [...found];
}

/** The columns of each table that lie outside of its box or of the window, among those that have to be seen. */
function unseen([figures, titles]) {
  const boxes = [...document.querySelectorAll('main .scroll')].filter(box => box.checkVisibility() && !box.closest('details'));
  return boxes.map(box => {
    const frame = box.getBoundingClientRect(), end = Math.min(frame.right, innerWidth) + 1;
    const shown = [...box.querySelectorAll('thead th')].filter(head => head.checkVisibility());
    const isOfRow = head => head.matches('.name, .drawn') || head.cellIndex === 0;
    const own = shown.filter(head => !isOfRow(head));
    // Periods have the newest at the right, and begin there.
    const first = box.matches('.newest-right') ? own.slice(-figures) : own.slice(0, figures);
    const asked = own.filter(head => head.ariaSort || titles.some(title => head.innerText.startsWith(title)));
    const out = [...new Set([...first, ...asked])].filter(head => {
      const { left, right } = head.getBoundingClientRect();
      return left < frame.left - 1 || right > end;
    });
    const missing = titles.filter(title => box.closest('[data-screen], #list, #companies') && !own.some(head => head.innerText.startsWith(title)));
    return { id: box.closest('section')?.id, out: [...out.map(head => head.innerText.replace(/\s+/g, ' ')), ...missing] };
  });
}

/** The pictures whose right end is out of sight. */
function cut() {
  const boxes = [...document.querySelectorAll('main .picture-form')].filter(box => box.checkVisibility());
  return boxes.map(box => {
    const svg = box.querySelector('svg'), frame = svg.getBoundingClientRect();
    return frame.right > Math.min(box.getBoundingClientRect().right, innerWidth) + 1 || box.scrollWidth > box.clientWidth ? svg.classList.value : '';
  });
}

const all = share(await paths());
for (const [width, figures] of Object.entries(WIDTHS)) {
  const context = await browser.newContext({ storageState: state, viewport: { width: Number(width), height: 900 } });
  const page = await context.newPage();
  for (const [path, titles] of all) {
    await page.goto(origin + path);
    const where = `${path} at ${width} px`;
    for (const { id, out } of await page.evaluate(unseen, [figures, titles])) {
      counted.tables += 1;
      if (out.length) problems.push(`${where}: #${id} hides ${out.join(', ')}`);
    }
    const age = page.locator('.top .age');
    assert.match(await age.innerText(), /^as of \d+ \w+ \d{4}/, where);
    const box = await age.boundingBox();
    if (box.x < 0 || box.x + box.width > Number(width)) problems.push(`${where}: the age of the data is out of sight`);
    if (Number(width) > 480) continue;
    for (const picture of await page.evaluate(cut)) {
      counted.pictures += 1;
      if (picture) problems.push(`${where}: ${picture} is cut off`);
    }
  }
  // The last bar is read before anybody points at one; what is read stands in its own place, so that the picture does not move.
  for (const market of ['india', 'us']) {
    await page.goto(`${origin}/${market}/leaders`);
    const symbol = (await page.locator('main tbody th').first().innerText()).trim();
    await page.goto(`${origin}/${market}/company/${symbol}`);
    const chart = page.locator('#chart [data-places]:visible').first();
    const svg = chart.locator('svg');
    await svg.scrollIntoViewIfNeeded();
    assert.match(await chart.locator('.readout').innerText(), /Change\s+[+−].*SMA 50\s.*RS rating\s+\d/s, symbol);
    const before = await svg.boundingBox();
    await svg.hover();
    const moved = (await svg.boundingBox()).y - before.y;
    assert.ok(Math.abs(moved) < 1, `${symbol} at ${width} px: the picture moves by ${moved} px when a bar is read`);
    assert.match(await chart.locator('.readout').innerText(), /Change\s+[+−].*SMA 50\s/s, symbol);
  }
  for (const path of ['', '/usage', '/sessions', '/log']) {
    await page.goto(`${origin}/portal${path}`);
    assert.equal(await page.locator('.top .age:visible').count(), 2, `portal${path} at ${width} px`);
  }
  await context.close();
}

await browser.close();
assert.ok(process.env.DATA || counted.tables > 120 / parts && counted.pictures > 6 / parts, JSON.stringify(counted));
if (problems.length) {
  console.error(problems.join('\n'));
  console.error(`${problems.length} problems`);
  process.exit(1);
}
console.log(`${all.length} views at ${Object.keys(WIDTHS).join(', ')} px: ${counted.tables} tables and ${counted.pictures} pictures show first what they are about`);
