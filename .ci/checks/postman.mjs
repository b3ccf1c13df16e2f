// Sends every request of the collection, as it is imported, and once more with all that can be switched on.
//
// .ci/postman starts it: BASE is a server with the sample, KEY a key of it, TOOLS where newman is.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";

const { BASE, KEY, TOOLS } = process.env;
const newman = createRequire(path.join(TOOLS, "package.json"))("newman");

const get = async (target) => (await fetch(BASE + target, { headers: { Authorization: `Bearer ${KEY}` } })).json();
const collection = await get("/postman.json");
const requests = collection.item.flatMap((folder) => folder.item);

// The examples are records of another catalogue than the sample.
const [boat] = (await get("/v1/boats?limit=1")).data;
for (const { name, request } of requests) {
  const slug = name === "Get one boat" ? boat.slug : boat.manufacturer.slug;
  for (const variable of request.url.variable) variable.value = slug;
}

function run() {
  const envVar = [{ key: "baseUrl", value: BASE }, { key: "key", value: KEY }];
  return new Promise((resolve, reject) => {
    newman.run({ collection, envVar }, (error, summary) => (error ? reject(error) : resolve(summary.run)));
  });
}

function check({ executions, failures }, label) {
  assert.deepEqual(failures, []);
  const answers = executions.map(({ item, response }) => [item.name, response.code]);
  assert.deepEqual(answers, requests.map(({ name }) => [name, 200]), label);
  const bodies = executions.map(({ response }) => response.json());
  assert.equal(bodies[1].data.slug, boat.slug);
  console.log(`${label}: ${answers.length} requests, each answered with 200`);
}

check(await run(), "as imported");
// What has no value yet gets one that fits: years and lengths that hold everything, and a word of a name.
const values = { yearFrom: "1800", yearTo: "2100", lengthMin: "0.1", lengthMax: "1000", search: "fun" };
for (const { request } of requests) {
  for (const parameter of [...request.url.query, ...request.header]) {
    parameter.disabled = false;
    parameter.value = values[parameter.key] ?? parameter.value;
    if (parameter.value === "") parameter.value = '"none"';
  }
}
check(await run(), "with every parameter");
