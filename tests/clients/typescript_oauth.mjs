// The official TypeScript clients let themselves in by OAuth: discovery, registration, PKCE, consent, tokens, their renewal, their end.
// Usage: node typescript_oauth.mjs URL LINK, from the folder into which they are installed; URL is that of the tools, LINK signs a
// browser in.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [url, link] = process.argv.slice(2);
const server = url.replace(/\/mcp$/, "");
const BACK = "http://127.0.0.1:6274/callback";
/** How a client says that it has sent the person to the server. */
const ASKS = (error) => error.constructor.name === "UnauthorizedError";
const require = createRequire(pathToFileURL(`${process.cwd()}/package.json`));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const first = await load("@modelcontextprotocol/sdk/client/index.js");
const firstHttp = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
const second = await load("@modelcontextprotocol/client");

/** What a client is asked for and keeps; where it sends its person is written down. */
class Provider {
  sentTo = [];
  kept = {};
  constructor(name, documentUrl) {
    this.name = name;
    this.clientMetadataUrl = documentUrl;
  }
  get redirectUrl() {
    return BACK;
  }
  get clientMetadata() {
    return { client_name: this.name, redirect_uris: [BACK], grant_types: ["authorization_code", "refresh_token"] };
  }
  state() {
    this.kept.state = crypto.randomUUID();
    return this.kept.state;
  }
  clientInformation() {
    return this.kept.client;
  }
  saveClientInformation(client) {
    this.kept.client = client;
  }
  tokens() {
    return this.kept.tokens;
  }
  saveTokens(tokens) {
    this.kept.tokens = tokens;
  }
  saveCodeVerifier(verifier) {
    this.kept.verifier = verifier;
  }
  codeVerifier() {
    return this.kept.verifier;
  }
  saveDiscoveryState(state) {
    this.kept.discovered = state;
  }
  discoveryState() {
    return this.kept.discovered;
  }
  redirectToAuthorization(address) {
    this.sentTo.push(new URL(address));
  }
  invalidateCredentials(scope) {
    if (scope === "all" || scope === "tokens") delete this.kept.tokens;
    if (scope === "all" || scope === "client") delete this.kept.client;
    if (scope === "all" || scope === "discovery") delete this.kept.discovered;
  }
}

/** A person with a browser that is signed in: consents to what asks, and takes it back. */
const person = {
  cookie: "",
  async visit(address, form) {
    const headers = { cookie: this.cookie, "sec-fetch-site": "same-origin" };
    const body = form && new URLSearchParams(form);
    const reply = await fetch(address, { method: form ? "POST" : "GET", headers, body, redirect: "manual" });
    for (const line of reply.headers.getSetCookie()) this.cookie = line.split(";")[0];
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  },
  async signIn() {
    const { status, headers } = await this.visit(`${server}/login`, { code: new URL(link).hash.slice(1) });
    assert.deepEqual([status, headers.get("location")], [303, "/india"]);
  },
  /** Where the app is led back to, with what it is told there. */
  async decide(address, decision) {
    const page = await this.visit(address);
    assert.equal(page.status, 200, page.text);
    const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
    const plain = (text) => text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
    const form = hidden.map(([, name, value]) => [plain(name), plain(value)]);
    const answer = await this.visit(`${server}/authorize`, [...form, ["tier", "api_pro"], ["decision", decision]]);
    const back = new URL(answer.headers.get("refresh").replace(/^0;url=/, ""));
    assert.equal(back.origin + back.pathname, BACK);
    return back.searchParams;
  },
  /** Revokes the newest key of an app. */
  async revoke(name) {
    const rows = (await this.visit(`${server}/portal`)).text.split("<tr").filter((row) => row.includes(`<td>${name}</td>`));
    const id = Math.max(...rows.map((row) => Number(/Revoke key (\d+)/.exec(row)?.[1] ?? 0)));
    assert.equal((await this.visit(`${server}/portal/keys/revoke`, { id })).status, 303);
  },
};

/** How each of the two is made, is told what the browser brought back, and how its access is ended. */
const SDKS = {
  "Official sdk": {
    make: () => new first.Client({ name: "parquote-clients", version: "1" }),
    transport: (provider) => new firstHttp.StreamableHTTPClientTransport(new URL(url), { authProvider: provider }),
    finish: (transport, told) => transport.finishAuth(told.get("code")),
    async end({ kept }) {
      const { revocation_endpoint: address } = kept.discovered.authorizationServerMetadata;
      const body = new URLSearchParams({ token: kept.tokens.refresh_token, client_id: kept.client.client_id });
      assert.equal((await fetch(address, { method: "POST", body })).status, 200);
    },
  },
  "Official client": {
    make: () => new second.Client({ name: "parquote-clients", version: "1" }, { versionNegotiation: { mode: "auto" } }),
    transport: (provider) => new second.StreamableHTTPClientTransport(new URL(url), { authProvider: provider }),
    async finish(transport, told) {
      // What another server might say in the place of this one is not taken.
      const mixed = new URLSearchParams(told);
      mixed.set("iss", "https://evil.example");
      await assert.rejects(transport.finishAuth(mixed), /iss/i);
      await transport.finishAuth(told);
    },
    end: (provider) => person.revoke(provider.name),
  },
};

/** Connects and calls a tool. */
async function use(sdk, provider) {
  const client = sdk.make();
  await client.connect(sdk.transport(provider));
  const answer = await client.callTool({ name: "get_market_breadth", arguments: { days: 3 } });
  assert.equal(answer.structuredContent.data.length, 3);
  await client.close();
}

/** Is sent to the person, comes back with a code, and exchanges it. */
async function enter(sdk, provider) {
  const transport = sdk.transport(provider);
  await assert.rejects(sdk.make().connect(transport), ASKS);
  const asked = provider.sentTo.at(-1).searchParams;
  const { client, state } = provider.kept;
  const expected = { response_type: "code", code_challenge_method: "S256", client_id: client.client_id, redirect_uri: BACK, state, resource: url, scope: "mcp" };
  for (const [name, value] of Object.entries(expected)) assert.equal(asked.get(name), value, name);
  const told = await person.decide(provider.sentTo.at(-1), "allow");
  assert.deepEqual([told.get("state"), told.get("iss")], [state, server]);
  await sdk.finish(transport, told);
}

await person.signIn();
for (const [name, sdk] of Object.entries(SDKS)) {
  const provider = new Provider(name);
  await enter(sdk, provider);
  await use(sdk, provider);
  const known = provider.kept.discovered;
  assert.equal(known.resourceMetadata.resource, url);
  assert.equal(known.authorizationServerMetadata.issuer, server);
  assert.ok(provider.kept.client.client_id.startsWith("pqc_"), "it is registered");
  console.log(`typescript by oauth, ${name}: let in`);

  // An access token that has ended is renewed without a person, and so is the refresh token.
  const before = provider.kept.tokens;
  let after = before;
  for (let times = 0; times < 2; times += 1) {
    const last = after;
    provider.kept.tokens = { ...last, access_token: "0".repeat(64) };
    await use(sdk, provider);
    after = provider.kept.tokens;
    assert.ok(after.access_token !== last.access_token && after.refresh_token !== last.refresh_token);
  }
  assert.equal(provider.sentTo.length, 1);
  console.log(`typescript by oauth, ${name}: renewed`);

  // The newest used refresh token may come again within half a minute. An older one is stolen: it is refused, all that came of it ends,
  // and the person is asked again.
  provider.kept.tokens = before;
  await enter(sdk, provider);
  await use(sdk, provider);
  assert.equal(provider.sentTo.length, 2);
  const ended = await fetch(url, { method: "POST", headers: { authorization: `Bearer ${after.access_token}` } });
  assert.equal(ended.status, 401);
  console.log(`typescript by oauth, ${name}: an old refresh token is refused, and it is let in again`);

  await sdk.end(provider);
  await enter(sdk, provider);
  await use(sdk, provider);
  assert.equal(provider.sentTo.length, 3);
  console.log(`typescript by oauth, ${name}: ended, and let in again`);
  await sdk.end(provider);

  // A person who does not consent.
  const denied = new Provider(`${name} denied`);
  await assert.rejects(sdk.make().connect(sdk.transport(denied)), ASKS);
  const told = await person.decide(denied.sentTo[0], "deny");
  assert.deepEqual([told.get("error"), told.get("code"), told.get("iss")], ["access_denied", null, server]);

  // An app that publishes what it is comes under the address of its document; this one is on no web, so that nobody vouches for it.
  const published = new Provider(`${name} published`, "https://app.invalid/client.json");
  await assert.rejects(sdk.make().connect(sdk.transport(published)), ASKS);
  assert.equal(published.sentTo[0].searchParams.get("client_id"), "https://app.invalid/client.json");
  const page = await person.visit(published.sentTo[0]);
  assert.ok(page.status === 400 && page.text.includes("the document of this client_id cannot be used"), page.text);
  console.log(`typescript by oauth, ${name}: denied, and not known`);
}
