// The page that shows charts in chats, in Chromium inside a host that plays the protocol: `node chart_app.mjs URL KEY`.
// `chart_host.html` lies beside it; CHROMIUM is the browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const [origin, key] = process.argv.slice(2);
const HOST = 'http://host.test/';
const VIEW = 'http://sandbox.test/chart.html';
// What a host must use for a page that names no domain, and the parts that a sandbox adds.
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; " +
  "connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'";

async function ask(method, params) {
  const reply = await fetch(`${origin}/mcp?toolsets=all`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await reply.json();
  if (error) throw new Error(error.message);
  return result;
}

// The stock that the screener names first, so that it does for any data.
const screened = await fetch(`${origin}/v1/explore/screen?limit=1`, { headers: { 'x-api-key': key } });
const SYMBOL = (await screened.json()).data[0].symbol;
const INPUT = { operation: 'explore/chart', arguments: { symbol: SYMBOL, range: '6m' } };
// The server on the loopback address tells its own pages.
const PAGE = `${origin}/india/company/${encodeURIComponent(SYMBOL)}?range=6M`;

const tool = (await ask('tools/list', {})).tools.find(({ name }) => name === 'get_chart');
const resource = (await ask('resources/read', { uri: tool._meta.ui.resourceUri })).contents[0];
const hostPage = readFileSync(new URL('chart_host.html', import.meta.url), 'utf8');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });

/** A host with the page in it; `changed` may alter a result on its way to the page. */
async function visit({ input = INPUT, theme = 'light', hands = 'all', changed = result => result }) {
  const page = await browser.newPage();
  const seen = { messages: [], requests: [], calls: [] };
  page.on('console', message => seen.messages.push(message.text()));
  page.on('pageerror', error => seen.messages.push(String(error)));
  page.on('request', request => {
    if (!request.url().startsWith('data:image/png')) seen.requests.push(request.url());
  });
  await page.route('**/*', route => {
    const url = route.request().url();
    if (url === HOST) return route.fulfill({ contentType: 'text/html', body: hostPage });
    if (url === VIEW) return route.fulfill({ contentType: 'text/html', headers: { 'content-security-policy': POLICY }, body: resource.text });
    return url.endsWith('favicon.ico') ? route.fulfill({ status: 204 }) : route.abort();
  });
  await page.exposeFunction('callServer', async ({ first, ...params }) => {
    if (!first) seen.calls.push(params);
    return changed(await ask('tools/call', params), !!first);
  });
  await page.goto(HOST);
  await page.evaluate(options => window.startHost(options), { view: VIEW, input, theme, hands });
  const view = page.frameLocator('iframe');
  const host = (name, ...values) => page.evaluate(([name, values]) => window.host[name](...values), [name, values]);
  const until = condition => page.waitForFunction(condition);
  return { page, seen, view, host, until };
}

/** What holds at the end of every visit: the page says goodbye, then nothing; no message of the console, no request elsewhere. */
async function end({ page, seen, host }, where) {
  const said = await host('end');
  assert.deepEqual(said.result, {}, `${where}: ${JSON.stringify(said)}`);
  await host('turn', 'light');
  await host('turn', 'dark');
  await page.waitForTimeout(100);
  assert.deepEqual(await page.evaluate(() => window.host.faults), [], where);
  assert.deepEqual(seen.messages, [], where);
  assert.deepEqual(seen.requests.filter(url => ![HOST, VIEW].includes(url) && !url.endsWith('favicon.ico')), [], where);
  await page.close();
}

const elements = svg => (svg.match(/<[a-z]/g) ?? []).length;
const served = async theme => (await ask('tools/call', { name: 'get_chart', arguments: { ...INPUT, theme, form: 'svg' } })).content[0].text;
const ground = svg => /<rect[^>]* fill="([^"]+)"/.exec(svg)[1];

// Hosts that hand on all of a result, more than came, and the content alone: the PNG first, then the SVG, then that of the other theme.
for (const hands of ['all', 'more', 'content']) {
  const visited = await visit({ hands });
  const { page, seen, view, host, until } = visited;
  const image = view.locator('#picture img');
  await image.waitFor();
  await until(() => window.host.waiting() === 1);
  assert.deepEqual(await image.evaluate(async it => { await it.decode(); return [it.naturalWidth, it.naturalHeight]; }), [960, 540]);
  assert.ok((await image.getAttribute('alt')).includes(SYMBOL));
  assert.equal(await view.locator('svg').count(), 0, 'the PNG comes first');

  await host('release');
  const svg = view.locator('#picture svg');
  await svg.waitFor();
  assert.equal(await image.count(), 0);
  const light = await served('light');
  assert.equal(await svg.evaluate(it => it.querySelectorAll('*').length + 1), elements(light));
  assert.ok((await svg.locator('> title').textContent()).includes(SYMBOL));
  assert.deepEqual(seen.calls, [{ name: 'get_chart', arguments: { ...INPUT, theme: 'light', form: 'svg' } }]);

  await host('turn', 'dark');
  await until(() => window.host.waiting() === 1);
  await host('release');
  const dark = ground(await served('dark'));
  assert.notEqual(dark, ground(light));
  await view.locator(`#picture svg rect[fill="${dark}"]`).first().waitFor();
  assert.equal(seen.calls.at(-1).arguments.theme, 'dark');

  // The frame is as high as what is in it.
  const heights = await until(() => {
    const sizes = window.host.log.filter(({ method }) => method === 'ui/notifications/size-changed');
    return sizes.at(-1)?.params.height > 400 && sizes.at(-1).params;
  });
  const { width, height } = await heights.jsonValue();
  const real = await view.locator('html').evaluate(it => [it.scrollWidth, it.scrollHeight]);
  assert.ok(width === 720 && Math.abs(real[1] - height) <= 1 && real[0] <= 720, `${width} ${height} ${real}`);

  await view.locator('summary').click();
  const request = `Request: GET /v1/explore/chart?symbol=${encodeURIComponent(SYMBOL)}&range=6m`;
  assert.ok((await view.locator('#words').textContent()).includes(request));
  await view.locator('#open').click();
  await until(() => window.host.log.some(({ method }) => method === 'ui/open-link'));
  const opened = await page.evaluate(() => window.host.log.filter(({ method }) => method === 'ui/open-link').map(({ params }) => params));
  assert.deepEqual(opened, [{ url: PAGE }]);
  await end(visited, hands);
}

// A host that lets no page call a tool: the PNG stays. No link where the server tells none.
{
  const visited = await visit({ changed: (result, first) => {
    if (!first) throw new Error('not allowed');
    result.content[0].text = result.content[0].text.replace(/^Explorer: .*$/m, '');
    return result;
  } });
  await visited.until(() => window.host.waiting() === 1);
  await visited.host('release');
  await visited.page.waitForTimeout(200);
  assert.equal(await visited.view.locator('#picture img').count(), 1);
  assert.equal(await visited.view.locator('#open').isHidden(), true);
  await end(visited, 'refusing');
}

// Markup that is none of ours does not get into the page.
{
  const hostile =
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9" onload="parent.postMessage(1)">' +
    '<script>parent.postMessage(2, "*")</script><style>* { fill: red }</style><image href="https://evil.test/a.png"/>' +
    '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="https://evil.test/"/></foreignObject><a href="javascript:alert(1)"><text>in</text></a>' +
    '<use xlink:href="https://evil.test/#a"/><rect fill="url(https://evil.test/#b)" style="fill:url(https://evil.test/c)" width="9" height="9"/>' +
    '<animate attributeName="href" to="javascript:alert(1)"/><g transform="rotate(-90 1 2)" onclick="alert(1)"><text x="1">&lt;b&gt;</text></g></svg>';
  const visited = await visit({ changed: (result, first) => (first ? result : { content: [{ type: 'text', text: hostile }] }) });
  await visited.until(() => window.host.waiting() === 1);
  await visited.host('release');
  const svg = visited.view.locator('#picture svg');
  await svg.waitFor();
  assert.equal(
    await svg.evaluate(it => it.outerHTML),
    '<svg viewBox="0 0 9 9"><rect width="9" height="9"></rect>' +
      '<g transform="rotate(-90 1 2)"><text x="1">&lt;b&gt;</text></g></svg>',
  );
  await end(visited, 'hostile');
}

// What is no XML changes nothing; a refusal is told in its words; a picture asked for as SVG is shown as it comes.
{
  const visited = await visit({ changed: (result, first) => (first ? result : { content: [{ type: 'text', text: '<svg><g></svg>' }] }) });
  await visited.until(() => window.host.waiting() === 1);
  await visited.host('release');
  await visited.page.waitForTimeout(200);
  assert.equal(await visited.view.locator('#picture img').count(), 1);
  await end(visited, 'broken');

  const refused = await visit({ input: { operation: 'explore/chart', arguments: { symbol: 'NOSUCH' } } });
  await refused.view.locator('#status', { hasText: 'NOSUCH' }).waitFor();
  assert.equal(refused.seen.calls.length, 0);
  await end(refused, 'refused');

  const drawn = await visit({ input: { ...INPUT, form: 'svg' } });
  await drawn.view.locator('#picture svg').waitFor();
  assert.equal(drawn.seen.calls.length, 0);
  await end(drawn, 'svg');
}

await browser.close();
console.log('the page of charts plays the protocol');
