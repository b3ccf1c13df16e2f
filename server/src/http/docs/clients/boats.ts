// A copy of all boats in boats-copy.ndjson, kept current: run this again and again. BASE is the address of the server, KEY a key.
// Node.js 22.18 or later, without packages.
import { appendFileSync, createReadStream, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

type Row = { id: string; kind?: string; change?: string };
type Failure = { code: string; message: string; requestId: string };

const { BASE = "", KEY = "" } = process.env;
/** The first line of a file names a release, each other is a boat of it. The second is the next copy, as far as it is made. */
const [COPY, PART, BESIDE, LOCK] = ["boats-copy.ndjson", "boats.part", "boats.new", "boats.lock"];
/** How many boats are fetched one by one where all can be had at once, and how many before they are written. */
const [FEW, BATCH] = [100, 10];
/** How often an answer had to be waited for. */
let waits = 0;

/** Another release is served than the one that was begun with. */
class Moved extends Error {}

class Refused extends Error {
  status = 0;
  failure: Failure = { code: "", message: "", requestId: "" };
}

/** Whether the process that the lock names still runs. One from before the machine started does not, whoever has its number now. */
function isHeld(): boolean {
  try {
    const holder = Number(readFileSync(LOCK, "utf8"));
    const started = Date.now() - uptime() * 1000;
    return holder > 0 && holder !== process.pid && statSync(LOCK).mtimeMs > started && process.kill(holder, 0);
  } catch (failure) {
    // It may belong to another user.
    return (failure as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Keeps any other copy out of the folder until this process ends. Whether there is none. */
async function lock(): Promise<boolean> {
  const mine = String(process.pid);
  if (isHeld()) return false;
  // Of several that come at once, the last one to write has it.
  writeFileSync(LOCK, mine);
  await sleep(500);
  if (readFileSync(LOCK, "utf8") !== mine) return false;
  process.on("exit", () => writeFileSync(LOCK, ""));
  return true;
}

/** The answer, once no limit of the minute and no pause of the server stands before it. */
async function ask(path: string): Promise<Response> {
  for (;;) {
    const answer = await fetch(BASE + path, { headers: { Authorization: `Bearer ${KEY}` } });
    if (answer.ok) return answer;
    const { error } = (await answer.json().catch(() => ({}))) as { error?: Failure };
    if (!error) throw new Error(`${BASE}${path} is answered with ${answer.status}, and not by the catalogue`);
    if (!["RATE_LIMITED", "SERVICE_UNAVAILABLE"].includes(error.code)) {
      throw Object.assign(new Refused(error.message), { status: answer.status, failure: error });
    }
    console.error(error.message);
    waits += 1;
    // Others that wait for the same moment should not all come at once.
    await sleep((Number(answer.headers.get("Retry-After")) + Math.random()) * 1000);
  }
}

/** Gives nothing where the server refuses with this status. */
async function unless<T>(status: number, work: Promise<T>): Promise<T | undefined> {
  return work.catch((failure: unknown) => {
    if (failure instanceof Refused && failure.status === status) return undefined;
    throw failure;
  });
}

async function served(): Promise<string> {
  return (await (await ask("/v1")).json()).data.catalogue.release;
}

/** Every row of a list, and the release that all of its pages are of. */
async function rows(path: string, release?: string): Promise<{ found: Row[]; release: string }> {
  const found: Row[] = [];
  for (let total = 1; found.length < total; ) {
    const answer = await ask(`${path}&offset=${found.length}`);
    const of = answer.headers.get("X-Release") ?? "";
    if (of !== (release ??= of)) throw new Moved();
    const page = (await answer.json()) as { data: Row[]; pagination: { total: number } };
    total = page.pagination.total;
    found.push(...page.data);
  }
  return { found, release: release ?? "" };
}

const idOf = (line: string): string => JSON.parse(line).id;

/** The release of a file, unless it is damaged. Nothing else is read where that is all that is asked for. */
async function releaseOf(file: string): Promise<string | undefined> {
  try {
    if (existsSync(file)) for await (const first of createInterface(createReadStream(file))) return JSON.parse(first).release;
  } catch (failure) {
    if (!(failure instanceof SyntaxError || failure instanceof TypeError)) throw failure;
  }
  return undefined;
}

/** The boats of a file by id. A last line that does not end was cut short. */
function boatsOf(file: string): Map<string, string> {
  const boats = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(1, -1) : [];
  return new Map(boats.map((boat) => [idOf(boat), boat]));
}

/** Writes the next copy under another name, then puts it in its place: no one ever sees half of it. */
function start(release: string, boats: Iterable<string>): void {
  writeFileSync(BESIDE, [JSON.stringify({ release }), ...boats, ""].join("\n"), { flush: true });
  renameSync(BESIDE, PART);
}

/** All boats in one answer, of one release whatever is published meanwhile. The key needs the scope for it. */
async function download(): Promise<string> {
  const answer = await ask("/v1/boats.ndjson");
  const release = answer.headers.get("X-Release");
  writeFileSync(BESIDE, `${JSON.stringify({ release })}\n`);
  for await (const chunk of answer.body ?? []) appendFileSync(BESIDE, chunk);
  appendFileSync(BESIDE, "", { flush: true });
  renameSync(BESIDE, COPY);
  rmSync(PART, { force: true });
  return `${release}: all boats`;
}

/** Adds boats to the next copy. A batch is written once it is sure that the server still has the release. */
async function add(ids: string[], release: string): Promise<void> {
  let batch: string[] = [];
  let before = waits;
  for (const id of ids) {
    const answer = await unless(404, ask(`/v1/boats/${id}`));
    if (answer === undefined) throw new Moved();
    if (batch.length === 0) before = waits;
    batch.push(`${JSON.stringify((await answer.json()).data)}\n`);
    // A limit may keep the next boat away for long.
    const ends = ["X-RateLimit-Remaining", "X-Quota-Remaining"].some((left) => answer.headers.get(left) === "0");
    if (!ends && batch.length < BATCH && id !== ids.at(-1)) continue;
    // While a batch waits, another release may come and go. Some servers follow a second later.
    for (const seconds of [0, 1]) {
      await sleep(seconds * 1000);
      if ((await served()) !== release || waits !== before) throw new Moved();
    }
    appendFileSync(PART, batch.join(""), { flush: true });
    batch = [];
  }
}

async function update(): Promise<string> {
  const former = (await releaseOf(PART)) ? PART : COPY;
  const since = await releaseOf(former);
  if (former === COPY && since === (await served())) return `${since}: nothing new`;
  const changes = since === undefined ? undefined : await unless(410, rows(`/v1/changes?since=${since}&limit=1000`));
  const boats = changes === undefined ? new Map<string, string>() : boatsOf(former);
  const changed = (changes?.found ?? []).filter(({ kind }) => kind === "boat");
  for (const { id } of changed) boats.delete(id);
  let missing = changed.filter(({ change }) => change !== "removed");
  let release = changes?.release ?? "";
  const isPart = former === PART || changes === undefined;
  if (isPart || FEW < missing.length) {
    const whole = await unless(403, download());
    if (whole !== undefined) return whole;
  }
  if (isPart) {
    const every = await rows("/v1/boats?limit=100", changes?.release);
    missing = every.found.filter(({ id }) => !boats.has(id));
    release = every.release;
  }
  start(release, boats.values());
  await add(missing.map(({ id }) => id), release);
  renameSync(PART, COPY);
  return `${release}: ${boats.size + missing.length} boats, ${missing.length} fetched`;
}

if (!(await lock())) {
  console.error("another copy is under way here");
  process.exit(75);
}
for (;;) {
  try {
    console.log(await update());
    break;
  } catch (failure) {
    if (failure instanceof Moved) {
      await sleep(Math.random() * 1000);
      continue;
    }
    const refused = failure instanceof Refused ? failure.failure : undefined;
    console.error(refused ? `${refused.message} (request ${refused.requestId})` : String((failure as Error).cause ?? failure));
    process.exit(refused?.code === "QUOTA_EXCEEDED" ? 75 : 1);
  }
}
