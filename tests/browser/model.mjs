// A language model that follows a script, behind Chat Completions as OpenAI has them: `node model.mjs`. It prints its address.
//
// Asked with tools, it calls one and then says that it has read. Asked for an answer of a schema, it fills the schema: every word
// is the first that is allowed, every figure one that a tool told it, and each text has a number that nobody gave it. POST /hold makes
// replies wait until POST /release; POST /look-at/india/SYMBOL says which stock of a market it asks tools about.
import http from 'node:http';

/** The number that no tool gave. */
const INVENTED = 987654.25;

const stocks = {};
let held = null;

/** The text of a message, which may come in parts. */
const textOf = ({ content }) => (Array.isArray(content) ? content.map(part => part.text ?? '').join('') : content ?? '');
const told = body => body.messages.map(textOf).join('\n');

/** The schema of the answer: a field of the request, or the end of the instructions. */
function schemaOf(body) {
  if (body.response_format?.json_schema) return body.response_format.json_schema.schema;
  const [, words] = told(body).split('It must match this JSON schema:\n');
  return words && JSON.parse(words.split('\n')[0]);
}

/** The first number in an answer that is no whole one, with its field and the symbol beside it. */
function number(value, symbol = '') {
  if (Array.isArray(value)) return value.map(one => number(one, symbol)).find(Boolean);
  if (!value || typeof value !== 'object') return undefined;
  const own = value.symbol ?? symbol;
  const found = Object.entries(value).find(([, one]) => typeof one === 'number' && !Number.isInteger(one));
  return found ? { symbol: own, field: found[0], value: found[1] } : Object.values(value).map(one => number(one, own)).find(Boolean);
}

/** A figure that the conversation has from a tool, or that a colleague cited. */
function figure(body) {
  for (const [, , from, text] of told(body).matchAll(/<data id="([^"]*)" from="([^"]*)">\n([\s\S]*?)\n<\/data id="\1">/g)) {
    let json;
    try { json = JSON.parse(text.replace(/^called with .*\n/, '').replaceAll('&lt;', '<')); } catch { continue; }
    const cited = json.findings?.flatMap(finding => finding.figures ?? [])[0];
    if (cited) return cited;
    const found = /^(us_)?(get|market)_/.test(from) && number(json);
    if (found) return { operation: from, ...found };
  }
  return undefined;
}

/** A value of a schema. */
function filled(schema, name, body) {
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'object') return Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, filled(one, name, body)]));
  if (schema.type === 'array') return name === 'figures' ? [figure(body)].filter(Boolean) : [filled(schema.items, name, body)];
  return `What was read bears the ${name} out. Sales will reach ${INVENTED} crore.`;
}

/** A call of the tool that says most of one stock, or of the first. */
function call(body) {
  const stock = stocks[told(body).includes('The market is US') ? 'us' : 'india'];
  const tools = body.tools.map(tool => tool.function);
  const { name, parameters } = tools.find(({ parameters }) => String(parameters.required) === 'symbol') ?? tools[0];
  const given = (parameters.required ?? []).map(name => {
    const { type, minimum, enum: words } = parameters.properties[name];
    if (type === 'array') return [name, [stock]];
    return [name, type === 'integer' || type === 'number' ? minimum ?? 1 : words?.[0] ?? stock];
  });
  return { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(Object.fromEntries(given)) } };
}

function message(body) {
  const schema = schemaOf(body);
  if (schema) return { content: JSON.stringify(filled(schema, '', body)) };
  const hasRead = body.messages.some(({ role }) => role === 'tool');
  if (body.tools?.length && !hasRead) return { content: null, tool_calls: [call(body)] };
  return { content: 'I have read what I need.' };
}

async function answered(request) {
  if (request.method === 'POST' && request.url === '/hold') {
    held ??= waiting();
    return {};
  }
  if (request.method === 'POST' && request.url === '/release') {
    held?.resolve();
    held = null;
    return {};
  }
  const [, command, market, symbol] = request.url.split('/');
  if (request.method === 'POST' && command === 'look-at') {
    stocks[market] = decodeURIComponent(symbol);
    return {};
  }
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = JSON.parse(Buffer.concat(parts).toString());
  await held?.promise;
  const said = { role: 'assistant', ...message(body) };
  const finish = said.tool_calls ? 'tool_calls' : 'stop';
  return {
    id: 'chatcmpl-1', object: 'chat.completion', created: 1_790_000_000, model: body.model,
    choices: [{ index: 0, message: said, logprobs: null, finish_reason: finish }],
    usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
  };
}

/** A promise with what settles it. */
function waiting() {
  let resolve;
  const promise = new Promise(settle => { resolve = settle; });
  return { promise, resolve };
}

const server = http.createServer(async (request, reply) => {
  try {
    const body = JSON.stringify(await answered(request));
    reply.writeHead(200, { 'content-type': 'application/json' }).end(body);
  } catch (error) {
    const body = JSON.stringify({ error: { message: String(error), type: 'invalid_request_error', param: null, code: null } });
    reply.writeHead(400, { 'content-type': 'application/json' }).end(body);
  }
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
