// The official TypeScript clients, the one of the earlier revisions and the one of both.
// Usage: node typescript_client.mjs URL KEY TOOLS, from the folder into which they are installed.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [url, key, tools] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const require = createRequire(pathToFileURL(`${process.cwd()}/package.json`));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const first = await load("@modelcontextprotocol/sdk/client/index.js");
const firstHttp = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
const second = await load("@modelcontextprotocol/client");

const about = { name: "parquote-clients", version: "1" };
const bearer = [new URL(url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }];
const query = [new URL(`${url}?apiKey=${key}`), {}];

async function exercise(name, client, transport) {
  await client.connect(transport);
  const listed = await client.listTools();
  assert.equal(listed.tools.length, tools, name);
  const answer = await client.callTool({ name: "get_market_breadth", arguments: { days: 3 } });
  assert.equal(answer.structuredContent.data.length, 3, name);
  const columns = await client.callTool({ name: "get_market_momentum", arguments: { limit: 2, format: "columns" } });
  assert.equal(columns.structuredContent.data.rows.length, 2, name);
  const refused = await client.callTool({ name: "get_market_breadth", arguments: { days: 99 } });
  assert.ok(refused.isError && refused.content[0].text.includes("`days`"), name);
  await assert.rejects(client.callTool({ name: "get_nothing", arguments: {} }), /Unknown tool/, name);
  const prompt = await client.getPrompt({ name: "morning_brief", arguments: {} });
  assert.match(prompt.messages[0].content.text, /get_market_breadth/);
  const manual = await client.readResource({ uri: "parquote://manual" });
  assert.match(manual.contents[0].text, /^# Manual/);
  await client.close();
  console.log(`typescript ${name}: ok`);
}

for (const [place, [address, options]] of Object.entries({ bearer, query })) {
  const transport = new firstHttp.StreamableHTTPClientTransport(address, options);
  await exercise(`sdk, ${place}`, new first.Client(about), transport);
  for (const mode of ["legacy", "auto"]) {
    const transport = new second.StreamableHTTPClientTransport(address, options);
    await exercise(`client ${mode}, ${place}`, new second.Client(about, { versionNegotiation: { mode } }), transport);
  }
}
const locked = new firstHttp.StreamableHTTPClientTransport(new URL(url));
await assert.rejects(new first.Client(about).connect(locked), /key|401|Unauthorized/);
console.log("typescript without a key: refused");
