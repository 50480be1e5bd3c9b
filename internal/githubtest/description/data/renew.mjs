// Renews the pruned descriptions beside this file from the packages GitHub's
// own description and the webhook examples are published in:
//   node internal/githubtest/description/data/renew.mjs
// Needs npm. ORIGIN.md says which versions are in use and under which licence;
// change them here and there together.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const packages = {
  api: "@octokit/openapi@23.0.2",
  examples: "@octokit/webhooks-examples@7.6.1",
  schemas: "@octokit/webhooks-schemas@7.6.1",
};
const here = dirname(fileURLToPath(import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "renew-"));

// read unpacks a published package and parses one JSON file of it.
function read(name, file) {
  const said = execFileSync("npm", ["pack", "--silent", name], { cwd: scratch });
  execFileSync("tar", ["xzf", said.toString().trim().split("\n").pop()], { cwd: scratch });
  const text = readFileSync(join(scratch, "package", file), "utf8");
  rmSync(join(scratch, "package"), { recursive: true });
  return JSON.parse(text);
}

function lines(file) {
  const all = readFileSync(join(here, file), "utf8").split("\n");
  return new Set(all.filter((l) => l && !l.startsWith("#")));
}

// Gzip's header holds a time and a system; without them the same input gives the same bytes.
function write(file, value) {
  const bytes = gzipSync(JSON.stringify(value), { level: 9 });
  bytes.fill(0, 4, 8);
  bytes[9] = 255;
  writeFileSync(join(here, file), bytes);
  console.log(file, bytes.length);
}

// What is only prose or example has no say in whether a message is valid.
const prose = new Set(["description", "summary", "example", "examples", "x-github", "x-octokit", "tags", "title"]);

function strip(node, named) {
  if (Array.isArray(node)) return node.map((n) => strip(n, false));
  if (node === null || typeof node !== "object") return node;
  const kept = {};
  for (const [key, value] of Object.entries(node)) {
    if (!named && prose.has(key)) continue;
    // Below these, keys are names that somebody chose, not keywords.
    const names = !named && ["properties", "schemas", "paths", "responses", "parameters", "headers", "definitions"].includes(key);
    kept[key] = strip(value, names && !Array.isArray(value));
  }
  // A response without a description is none.
  if ("content" in kept && !("in" in kept) && !named) kept.description ??= "";
  return kept;
}

function follow(root, start, keep) {
  const queue = [start];
  while (queue.length) {
    const node = queue.pop();
    if (node === null || typeof node !== "object") continue;
    if (typeof node.$ref === "string" && node.$ref.startsWith("#/") && !keep.has(node.$ref)) {
      keep.add(node.$ref);
      queue.push(at(root, node.$ref));
    }
    queue.push(...Object.values(node));
  }
}

function at(root, ref) {
  return ref.slice(2).split("/").reduce((n, k) => n[k.replaceAll("~1", "/").replaceAll("~0", "~")], root);
}

function pick(root, refs) {
  const out = {};
  for (const ref of [...refs].sort()) {
    const [, section, kind, name] = ref.split("/");
    if (section !== "components") continue;
    ((out[kind] ??= {})[name] = root.components[kind][name]);
  }
  return out;
}

function pruneAPI() {
  const api = read(packages.api, "generated/api.github.com.json");
  const wanted = lines("operations.txt");
  const paths = {};
  for (const [path, item] of Object.entries(api.paths)) {
    for (const [method, op] of Object.entries(item)) {
      if (!wanted.delete(op?.operationId)) continue;
      (paths[path] ??= {})[method] = op;
    }
  }
  if (wanted.size) throw new Error("no such operation: " + [...wanted].join(", "));
  const keep = new Set();
  // Examples are huge and have no say; drop them before references are followed.
  const bare = strip({ paths }, false).paths;
  const components = strip({ components: api.components }, false).components;
  follow({ components }, bare, keep);
  for (const item of Object.values(bare))
    for (const op of Object.values(item)) for (const r of Object.values(op.responses)) if (!r.$ref) r.description ??= "";
  const picked = pick({ components }, keep);
  for (const r of Object.values(picked.responses ?? {})) r.description ??= "";
  write("api.json.gz", { openapi: api.openapi, info: { title: "GitHub", version: packages.api.split("@").pop() }, paths: bare, components: picked });
}

function pruneWebhooks() {
  const events = lines("events.txt");
  const schema = read(packages.schemas, "schema.json");
  const keep = new Set();
  const start = Object.keys(schema.definitions).filter((d) => events.has(d.split("$")[0]) && d.includes("$"));
  for (const name of start) keep.add("#/definitions/" + name), follow(schema, schema.definitions[name], keep);
  const definitions = {};
  for (const ref of [...keep].sort()) {
    const name = ref.slice("#/definitions/".length);
    definitions[name] = strip(schema.definitions[name], false);
  }
  write("webhooks.json.gz", { $schema: schema.$schema, definitions });
  const examples = read(packages.examples, "api.github.com/index.json");
  const kept = examples.filter((e) => events.has(e.name)).map((e) => ({ name: e.name, examples: e.examples }));
  write("examples.json.gz", kept);
}

try {
  pruneAPI();
  pruneWebhooks();
} finally {
  rmSync(scratch, { recursive: true });
}
