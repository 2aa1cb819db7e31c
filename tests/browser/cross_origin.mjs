// What scripts of other web pages may read, in a browser that holds to it: `node cross_origin.mjs URL SIGN-IN-LINK KEY`. The server lets
// apps in under URL. A page of this machine lets itself in by OAuth as an inspector of tools does; a page from elsewhere may let
// itself in as well, but not ask the tools; neither reads what a person sees.
import assert from 'node:assert/strict';
import { signIn, start } from './browser.mjs';

const [origin, link, key] = process.argv.slice(2);
const NEAR = 'http://localhost:6274/';
const FAR = 'https://inspector.test/';
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

const browser = await start();
const state = await signIn(browser, link);

/** A page at an address, in a browser that is signed in to the server. */
async function visit(address) {
  const context = await browser.newContext({ storageState: state, ignoreHTTPSErrors: true });
  // A person who is asked lets the page reach servers of this machine; what it may read of them is another matter.
  await context.grantPermissions(['local-network-access']);
  const page = await context.newPage();
  await page.route(`${address}**`, route => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>App</title>' }));
  await page.goto(address);
  /** What a script of the page reads of a reply: null where the browser keeps it from the script. */
  const read = (path, options = {}) => page.evaluate(async ([url, options]) => {
    try {
      const reply = await fetch(url, options);
      return { status: reply.status, text: await reply.text(), headers: Object.fromEntries(reply.headers) };
    } catch {
      return null;
    }
  }, [origin + path, options]);
  return { context, read };
}

const form = fields => ({ method: 'POST', body: new URLSearchParams(fields).toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' } });
const json = (body, headers = {}) => ({ method: 'POST', body, headers: { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25', ...headers } });

for (const [address, mayAsk] of [[NEAR, true], [FAR, false]]) {
  const { context, read } = await visit(address);

  // Where tokens are asked for is found, whatever headers the client sends.
  const versioned = { headers: { 'mcp-protocol-version': '2025-11-25' } };
  const about = JSON.parse((await read('/.well-known/oauth-protected-resource/mcp', versioned)).text);
  assert.equal(about.resource, `${origin}/mcp`);
  const server = JSON.parse((await read('/.well-known/oauth-authorization-server', versioned)).text);
  assert.equal(server.token_endpoint, `${origin}/oauth/token`);
  assert.equal((await read('/.well-known/openid-configuration')).status, 404);
  const registered = await read('/oauth/register', json(JSON.stringify({ redirect_uris: [`${NEAR}callback`], client_name: 'Page' })));
  assert.equal(registered.status, 201);
  const client = JSON.parse(registered.text).client_id;
  const wrong = await read('/oauth/token', form({ grant_type: 'authorization_code', client_id: client, code: '0'.repeat(64) }));
  assert.deepEqual([wrong.status, JSON.parse(wrong.text).error], [400, 'invalid_grant']);
  assert.equal((await read('/oauth/revoke', form({ token: '0'.repeat(64), client_id: client }))).status, 200);

  // The tools answer to pages of this machine, and those read how to get in and what is left.
  const refused = await read('/mcp', json(LIST));
  const listed = await read('/mcp', json(LIST, { authorization: `Bearer ${key}` }));
  if (mayAsk) {
    assert.equal(refused.status, 401);
    assert.match(refused.headers['www-authenticate'], /resource_metadata=/);
    assert.ok(JSON.parse(listed.text).result.tools.length > 0);
    assert.match(listed.headers['x-ratelimit-remaining-daily'], /^\d+$/);
    assert.equal((await read('/mcp', { method: 'DELETE', headers: { authorization: `Bearer ${key}` } })).status, 405);
  } else {
    assert.deepEqual([refused, listed], [null, null]);
  }

  // What a person sees is read by no other page, signed in or not, and neither is the API below /v1.
  for (const path of ['/portal', '/india', '/login', `/authorize?client_id=${client}`, '/v1/market/sectors', '/v1/status']) {
    for (const options of [{ credentials: 'include' }, { credentials: 'omit' }, { headers: { 'x-api-key': key } }]) {
      assert.equal(await read(path, options), null, `${address} reads ${path}`);
    }
  }
  // The tools take no cookie, and no reply may be read that one came with.
  assert.equal(await read('/mcp', { ...json(LIST), credentials: 'include' }), null);
  await context.close();
  console.log(`a page at ${address}: lets itself in, ${mayAsk ? 'asks the tools' : 'does not reach the tools'}, reads nothing else`);
}
await browser.close();
