// A proxy that adds a key to every request: the conformance suite has no option for headers, and drops the query of some.
// Usage: node with_key.mjs TARGET KEY. It prints its own address, and passes Host and Origin on as they came.
import http from "node:http";

const [target, key] = [new URL(process.argv[2]), process.argv[3]];
const server = http.createServer((request, reply) => {
  const headers = { ...request.headers, authorization: `Bearer ${key}` };
  const options = { host: target.hostname, port: target.port, method: request.method, path: request.url, headers };
  const forwarded = http.request(options, (answer) => {
    reply.writeHead(answer.statusCode, answer.headers);
    answer.pipe(reply);
  });
  forwarded.on("error", (error) => reply.destroy(error));
  request.pipe(forwarded);
});
server.listen(0, "127.0.0.1", () => console.log(`http://localhost:${server.address().port}`));
