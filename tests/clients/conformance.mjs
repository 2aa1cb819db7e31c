// The scenarios of the conformance suite that a server with tools of its own can pass; the others want tools that exist
// for the suite alone. Usage: node conformance.mjs URL FOLDER, from the folder into which the suite is installed.
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const [url, folder] = process.argv.slice(2);
const both = ["tools-list", "prompts-list", "resources-list", "completion-complete", "dns-rebinding-protection"];
const scenarios = {
  "2025-06-18": ["server-initialize", "ping", "tools-list"],
  "2025-11-25": ["server-initialize", "ping", "server-session-lifecycle", "server-sse-multiple-streams", ...both],
  "2026-07-28": [
    "server-stateless",
    "caching",
    "http-header-validation",
    "sep-2164-resource-not-found",
    "server-sse-multiple-streams",
    "input-required-result-unsupported-methods",
    ...both,
  ],
};

/** The results of a run: every file of checks below a folder. */
function checks(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith("checks.json"));
  return files.flatMap((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
}

let failed = 0;
for (const [version, names] of Object.entries(scenarios)) {
  for (const name of names) {
    const results = join(folder, version, name);
    rmSync(results, { recursive: true, force: true });
    const suite = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
    const options = ["server", "--url", url, "--scenario", name, "--spec-version", version, "-o", results];
    const run = spawnSync(process.execPath, [suite, ...options], { encoding: "utf8", timeout: 60_000 });
    let all = [];
    try {
      all = checks(results);
    } catch {
      console.error(run.stdout, run.stderr);
    }
    // A check that needs a tool of the suite's own says so, and tells nothing of this server.
    const counts = (check) => check.status === "FAILURE" && !/not testable/i.test(check.errorMessage ?? "");
    const wrong = all.filter(counts);
    const passed = all.filter((check) => check.status === "SUCCESS").length;
    console.log(`conformance ${version} ${name}: ${passed} passed, ${wrong.length} failed`);
    for (const check of wrong) console.log(`  ${check.id}: ${check.errorMessage}`);
    failed += wrong.length + (all.length === 0 ? 1 : 0);
  }
}
process.exit(failed === 0 ? 0 : 1);
