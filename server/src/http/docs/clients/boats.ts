// A copy of all boats in boats.json, kept current: run this again and again. BASE is the address of the server, KEY a key.
import { readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Boat = components["schemas"]["Boat"];
type Failure = components["schemas"]["ErrorEnvelope"];
/** Boats by id, each with the tag of its answer, and the release that all of them are of; null while they are not. */
type Copy = { release: string | null; boats: Record<string, { etag: string; boat: Boat }> };

const FILE = "boats.json";
/** How many requests in a row may be refused by a limit of the minute or a pause of the server. */
const ATTEMPTS = 10;
const { BASE = "", KEY = "" } = process.env;
const client = createClient<paths>({ baseUrl: BASE, headers: { Authorization: `Bearer ${KEY}` } });

async function stored(): Promise<Copy> {
  try {
    return JSON.parse(await readFile(FILE, "utf8")) as Copy;
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== "ENOENT") throw failure;
    return { release: null, boats: {} };
  }
}

/** Writes a file beside the copy, then puts it in its place: no one ever sees half of it. */
async function store(copy: Copy): Promise<void> {
  await writeFile(`${FILE}.new`, JSON.stringify(copy));
  await rename(`${FILE}.new`, FILE);
}

/** Sends a request, and again after each pause that the server asks for. */
async function patiently<T extends { response: Response; error?: Failure }>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send();
    const { headers, status } = answer.response;
    // A 304 is no error, though it has no data.
    if (status === 304 || answer.error === undefined) return answer;
    const { code, message, requestId } = answer.error.error;
    if (code === "QUOTA_EXCEEDED") throw new QuotaExceeded(new Date(Number(headers.get("X-Quota-Reset")) * 1000));
    const passes = code === "RATE_LIMITED" || code === "SERVICE_UNAVAILABLE";
    if (!passes || attempt === ATTEMPTS) {
      if (status === 404) return answer;
      throw new Error(`${code}: ${message} (request ${requestId})`);
    }
    // Others that wait for the same moment should not all come at once.
    await sleep((Number(headers.get("Retry-After")) + Math.random()) * 1000);
  }
}

class QuotaExceeded extends Error {
  constructor(readonly renews: Date) {
    super(`the quota of the month is used up; it renews at ${renews.toISOString()}`);
  }
}

/** The ids of all boats that are published. */
async function published(): Promise<string[]> {
  const ids: string[] = [];
  for (let total = 1; ids.length < total; ) {
    const query = { limit: 100, offset: ids.length };
    const { data } = await patiently(() => client.GET("/v1/boats", { params: { query } }));
    if (data === undefined || data.data.length === 0) break;
    total = data.pagination.total;
    ids.push(...data.data.map(({ id }) => id));
  }
  return ids;
}

/** Asks for every boat with the tag that is kept of it; says how many were fetched. */
async function update(copy: Copy, ids: string[]): Promise<number> {
  let fetched = 0;
  for (const id of ids) {
    const etag = copy.boats[id]?.etag;
    const header = etag === undefined ? {} : { "If-None-Match": etag };
    const params = { path: { idOrSlug: id }, header };
    const { data, response } = await patiently(() => client.GET("/v1/boats/{idOrSlug}", { params }));
    // Without data it is the one that is kept, or was withdrawn since the list was read.
    if (data === undefined) continue;
    copy.boats[id] = { etag: response.headers.get("ETag") ?? "", boat: data.data };
    fetched += 1;
  }
  return fetched;
}

const copy = await stored();
const version = await patiently(() => client.GET("/v1"));
const release = version.data?.data.catalogue.release ?? null;
if (release === copy.release) {
  console.log(`nothing new: ${Object.keys(copy.boats).length} boats`);
  process.exit();
}
copy.release = null;
try {
  const ids = await published();
  const before = Object.keys(copy.boats).length;
  copy.boats = Object.fromEntries(Object.entries(copy.boats).filter(([id]) => ids.includes(id)));
  const dropped = before - Object.keys(copy.boats).length;
  const fetched = await update(copy, ids);
  copy.release = release;
  console.log(`${ids.length} boats: ${fetched} fetched, ${ids.length - fetched} unchanged, ${dropped} dropped`);
} catch (failure) {
  if (!(failure instanceof QuotaExceeded)) throw failure;
  console.error(failure.message);
  process.exitCode = 75;
} finally {
  await store(copy);
}
