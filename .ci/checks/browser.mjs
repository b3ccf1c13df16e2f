// What a person can do with /docs, done in Chromium: reading, searching, choosing a language, pasting a key, sending
// requests, copying examples that run.
//
// .ci/browser starts it: BASE is a server with the sample, KEY a key of it, CHROMIUM the browser, TOOLS where the packages
// of npm are, and SCREENSHOTS a folder for pictures, if any are wanted.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

const { BASE, CHROMIUM, KEY, TOOLS, SCREENSHOTS } = process.env;
const require = createRequire(path.join(TOOLS, "package.json"));
const { chromium } = require("playwright-core");
const AXE = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };
const NARROWEST = { width: 360, height: 780 };
const document = await (await fetch(`${BASE}/openapi.json`)).json();
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

let browser;
before(async () => {
  // Chromium refuses to run as root within its sandbox, and opens pages of our own only.
  const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath: CHROMIUM, args });
});
after(() => browser.close());

// Opens a page, hands it over, and holds that the browser had nothing to complain of and asked no other server.
async function visit({ viewport = WIDE, colorScheme = "light", at = "", javaScriptEnabled = true }, use) {
  const permissions = ["clipboard-read", "clipboard-write"];
  const context = await browser.newContext({ viewport, colorScheme, permissions, javaScriptEnabled });
  const page = await context.newPage();
  // As patient as a machine that does much else needs.
  page.setDefaultTimeout(90_000);
  const complaints = [];
  // Some tests ask to be refused.
  const expected = /status of (40\d|429|503)/;
  page.on("console", (line) => {
    if (["error", "warning"].includes(line.type()) && !expected.test(line.text())) complaints.push(line.text());
  });
  page.on("pageerror", (error) => complaints.push(error.stack));
  page.on("requestfailed", (request) => complaints.push(`${request.url()} failed`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${BASE}/`)) complaints.push(`${request.url()} is asked for`);
  });
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
  });
  try {
    await page.goto(`${BASE}/docs${at}`);
    if (javaScriptEnabled) await page.waitForSelector(".copy");
    await use(page, context);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

async function picture(page, name, options = {}) {
  if (!SCREENSHOTS) return;
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), ...options });
}

// Pastes a key and waits for what the page says of it.
async function paste(page, key) {
  const before = await page.textContent("#key-state");
  await page.fill("#key", key);
  await page.click("#key-form [type=submit]");
  await page.waitForFunction((said) => globalThis.document.getElementById("key-state").textContent !== said, before);
  return page.textContent("#key-state");
}

// Pastes the key of the sample and waits until there is a record in every path.
async function pasteKey(page) {
  const said = await paste(page, KEY);
  await page.locator("#key-forget").waitFor();
  return said;
}

const operation = (page, id) => page.locator(`.operation:has(> #${id})`);

async function unfold(page, id) {
  await operation(page, id).locator("details").evaluateAll((all) => all.forEach((one) => (one.open = true)));
}

// Sends the request of an operation; what the page shows of the answer.
async function send(page, id) {
  const box = operation(page, id);
  await unfold(page, id);
  await box.locator(".answer").evaluate((answer) => answer.replaceChildren());
  await box.locator("[type=submit]").click();
  await box.locator(".answer .status").waitFor();
  return shown(box);
}

async function shown(box) {
  const [head, body] = await box.locator(".answer pre").allTextContents();
  const status = Number((await box.locator(".answer .status").textContent()).split(" ")[0]);
  return { status, head, body: body === undefined ? undefined : JSON.parse(body) };
}

// The texts that a button stands beside, in a window that may be too narrow for both.
function covered() {
  const setups = [...globalThis.document.querySelectorAll(".setup")];
  const isCovered = (setup) => {
    const [button, text] = [".copy", "code"].map((part) => setup.querySelector(part).getBoundingClientRect());
    return innerWidth < 960 && text.top < button.bottom;
  };
  return setups.filter(isCovered).map((setup) => setup.textContent);
}

// Whether the page or any element is wider than the window without a bar of its own to scroll it.
function overflowing() {
  const isClipped = (element) => {
    for (let parent = element.parentElement; parent; parent = parent.parentElement) {
      if (getComputedStyle(parent).overflowX !== "visible") return true;
    }
    return false;
  };
  const elements = [...globalThis.document.querySelectorAll("body *:not(.skip)")];
  return elements
    .filter((element) => innerWidth + 1 < element.getBoundingClientRect().right && !isClipped(element))
    .map((element) => `${element.tagName}.${element.className}`);
}

for (const [size, viewport] of Object.entries({ wide: WIDE, narrow: NARROW, narrowest: NARROWEST })) {
  for (const colorScheme of ["light", "dark"]) {
    test(`${size} and ${colorScheme}: everything is shown, within the window`, () =>
      visit({ viewport, colorScheme }, async (page) => {
        const ids = await page.locator(".operation h3").evaluateAll((all) => all.map((one) => one.id));
        assert.deepEqual(ids.sort(), operations.map(({ operationId }) => operationId).sort());
        await picture(page, `${size}-${colorScheme}-top`);
        await picture(page, `${size}-${colorScheme}-all`, { fullPage: true });
        if (viewport === WIDE) assert.ok((await page.evaluate(() => globalThis.document.body.offsetHeight)) < 9000);
        assert.deepEqual(await page.evaluate(covered), []);
        const heights = await page.locator(".operation").evaluateAll((all) => all.map((one) => one.offsetHeight));
        assert.ok(Math.max(...heights) <= 2 * viewport.height, `${heights}`);
        await pasteKey(page);
        await page.locator("#first-request").evaluate((section) => section.scrollIntoView({ behavior: "instant" }));
        await picture(page, `${size}-${colorScheme}-key`);
        for (const id of ["list_boats", "get_boat"]) {
          await page.locator(`#${id}`).evaluate((heading) => heading.scrollIntoView({ behavior: "instant" }));
          await picture(page, `${size}-${colorScheme}-${id}`);
          await unfold(page, id);
          await send(page, id);
          assert.deepEqual(await page.evaluate(overflowing), []);
          await operation(page, id).locator(".answer").evaluate((answer) => answer.scrollIntoView({ behavior: "instant" }));
          await picture(page, `${size}-${colorScheme}-${id}-answer`);
        }
      }));
    test(`${size} and ${colorScheme}: the pages of the clients are within the window`, async () => {
      for (const client of ["typescript", "python", "rust"]) {
        await visit({ viewport, colorScheme, at: `/${client}` }, async (page) => {
          assert.deepEqual(await page.evaluate(overflowing), []);
          await picture(page, `${size}-${colorScheme}-${client}`);
        });
      }
    });
  }
}

test("without its script, everything can be read, and nothing is there that would do nothing", () =>
  visit({ javaScriptEnabled: false }, async (page) => {
    for (const { operationId } of operations) {
      await operation(page, operationId).locator(".path").click();
      assert.ok(await page.locator(`#example-${operationId} pre`).last().isVisible());
    }
    assert.ok(!(await page.textContent("main")).includes("127.0.0.1"));
    assert.ok(await page.getByText("Slug of the manufacturer.").first().isVisible());
    assert.equal(await page.locator("input, select, form, button").filter({ visible: true }).count(), 0);
  }));

test("on paper, all is there and open, nothing is cut, and there is neither a button nor the key", () =>
  visit({ viewport: { width: 720, height: 1000 }, colorScheme: "dark" }, async (page) => {
    await pasteKey(page);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("input, select, button, nav").filter({ visible: true }).count(), 0);
    const hidden = await page.locator("main pre, main .field, main tr").filter({ visible: false }).allTextContents();
    assert.deepEqual(hidden, []);
    const cut = await page.locator("main pre").evaluateAll((all) =>
      all.filter((one) => one.clientWidth < one.scrollWidth || one.clientHeight < one.scrollHeight).map((one) => one.textContent));
    assert.deepEqual(cut, []);
    const sizes = await page.locator("[data-read]").evaluateAll((all) => all.map((one) => getComputedStyle(one).fontSize));
    assert.deepEqual([...new Set(sizes)], ["0px"]);
    const background = await page.evaluate(() => getComputedStyle(globalThis.document.body).backgroundColor);
    assert.equal(background, "rgb(255, 255, 255)");
    await picture(page, "paper", { fullPage: true });
  }));

test("a pasted key is in the examples, sends requests, and is not kept", () =>
  visit({}, async (page, context) => {
    assert.match(await pasteKey(page), /^The examples have the key boat_live_/);
    assert.ok((await page.textContent("#example-list_boats [data-language=Python]")).includes(`"${KEY}"`));
    await unfold(page, "list_boats");
    await operation(page, "list_boats").locator("[name=lengthUnit]").selectOption("ft");
    await operation(page, "list_boats").locator("[name=lengthMin]").fill("30.5");
    assert.match(await page.textContent("#example-list_boats [data-language=curl]"), /boats\?lengthMin=30.5&lengthUnit=ft"/);
    const list = await send(page, "list_boats");
    assert.equal(list.status, 200);
    assert.match(list.head, /^x-ratelimit-remaining: \d+$/m);
    const { slug, model } = list.body.data[0];

    await unfold(page, "get_boat");
    await operation(page, "get_boat").locator("[name=idOrSlug]").fill(slug);
    const boat = await send(page, "get_boat");
    assert.deepEqual([boat.status, boat.body.data.model], [200, model]);

    assert.equal(await page.inputValue("#key"), "");
    const stores = await page.evaluate(async () => [localStorage.length, sessionStorage.length, (await indexedDB.databases()).length]);
    assert.deepEqual([stores, await context.cookies()], [[0, 0, 0], []]);
    await page.click("#key-forget");
    assert.ok(!(await page.content()).includes(KEY));
  }));

test("an answer can be asked for again with its tag", () =>
  visit({}, async (page) => {
    await pasteKey(page);
    await send(page, "get_boat");
    const box = operation(page, "get_boat");
    await box.locator(".again").click();
    await box.locator(".status", { hasText: "304" }).waitFor();
    assert.equal((await shown(box)).body, undefined);
  }));

test("what is no key, and a key that the server refuses, are not used", () =>
  visit({}, async (page) => {
    assert.equal((await send(page, "list_boats")).body.error.code, "MISSING_API_KEY");
    for (const text of ["half a key", KEY.slice(0, -1), `Bearer ${KEY}`, "<b>bold</b>"]) {
      assert.match(await paste(page, text), /^That is no key/, text);
      assert.equal(await page.inputValue("#key"), text);
      await page.evaluate(() => (globalThis.document.getElementById("key-state").textContent = ""));
    }
    // Well-formed, with a right checksum, and of no key that was issued.
    assert.match(await paste(page, "boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw"), /unknown/);
    assert.equal((await send(page, "list_boats")).body.error.code, "MISSING_API_KEY");
    assert.ok(await page.locator("#key-forget").isHidden());
    assert.ok(!(await page.content()).includes("boat_test_789"));
  }));

test("a key that is being checked gives way to one that is pasted after it", () =>
  visit({}, async (page) => {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    const first = KEY.replace("live", "test");
    await page.route("**/v1/**", async (route) => {
      if (route.request().headers().authorization === `Bearer ${first}`) await held;
      await route.continue();
    });
    await page.fill("#key", first);
    await page.click("#key-form [type=submit]");
    const said = await pasteKey(page);
    const ofFirst = (answer) => answer.request().headers().authorization === `Bearer ${first}`;
    const late = ["/boats", "/manufacturers", "/terms"].map((path) =>
      page.waitForResponse((answer) => answer.url().includes(path) && ofFirst(answer)),
    );
    release();
    await Promise.all(late);
    assert.equal(await page.textContent("#key-state"), said);
    assert.equal((await send(page, "list_boats")).status, 200);
  }));

test("a key is not used while the server says neither that it may read nor that it may not", () =>
  visit({}, async (page) => {
    for (const [status, body] of [
      [503, "<html>"],
      [429, '{"error":{"message":"Later."}}'],
    ]) {
      await page.route("**/v1/**", (route) => route.fulfill({ status, body }));
      const said = await paste(page, KEY);
      assert.match(said, status === 503 ? /status 503/ : /^Later\.$/);
      assert.ok(await page.locator("#key-forget").isHidden());
      assert.ok(!(await page.content()).includes(KEY));
    }
  }));

test("the key goes only where one is needed", () =>
  visit({}, async (page) => {
    await pasteKey(page);
    for (const [id, expected] of [["check_health", undefined], ["list_boats", `Bearer ${KEY}`]]) {
      const request = page.waitForRequest((request) => request.method() === "GET");
      await send(page, id);
      assert.equal((await request).headers().authorization, expected, id);
    }
  }));

test("an address with a name that cannot be decoded opens the page", () =>
  visit({ at: "#%" }, async (page) => {
    await page.locator("#key").waitFor();
    assert.equal((await send(page, "check_health")).status, 200);
  }));

test("the filters offer the terms of the catalogue", () =>
  visit({}, async (page) => {
    await pasteKey(page);
    const { data } = await (await fetch(`${BASE}/v1/terms`, { headers: { Authorization: `Bearer ${KEY}` } })).json();
    for (const [name, terms] of Object.entries(data)) {
      const offered = await page.locator(`#${name} option`).evaluateAll((all) => all.map((one) => [one.value, one.textContent]));
      assert.deepEqual(offered, terms.map((term) => [term.slug, `${term.name} (${term.boatCount})`]));
    }
    const box = operation(page, "list_boats");
    await unfold(page, "list_boats");
    await box.locator("[name=type]").fill(data.types[0].slug);
    assert.equal((await send(page, "list_boats")).body.pagination.total, data.types[0].boatCount);
  }));

test("what an answer says is text, whatever it says", () =>
  visit({}, async (page) => {
    const name = `"><img src=x onerror="alert(1)"><script>alert(2)</script>`;
    const terms = { types: [{ id: "1", name, slug: name, boatCount: 1 }], categories: [], activities: [] };
    await page.route("**/v1/terms", (route) => route.fulfill({ json: { data: terms } }));
    await page.route("**/v1/boats?*", (route) => route.fulfill({ json: { data: [{ slug: name }] } }));
    await page.route("**/health", (route) => route.fulfill({ body: name, headers: { "x-note": name } }));
    await pasteKey(page);
    assert.equal(await page.locator("#types option").textContent(), `${name} (1)`);
    assert.ok(!(await page.textContent("#example-get_boat [data-language=curl]")).includes("<"));
    await unfold(page, "check_health");
    await operation(page, "check_health").locator("[type=submit]").click();
    assert.equal(await operation(page, "check_health").locator(".answer pre").last().textContent(), name);
    assert.equal(await page.locator("main img, main script").count(), 0);
  }));

test("every heading can be linked to, and every link leads to its heading", async () => {
  await visit({}, async (page) => {
    const headings = await page.locator("main :is(h2, h3)").evaluateAll((all) =>
      all.map((one) => [one.id, one.querySelector(".anchor").getAttribute("href")]));
    assert.ok(headings.every(([id, anchor]) => id !== "" && anchor === `#${id}`));
    for (const link of await page.locator("nav a").all()) {
      await link.click();
      const id = (await link.getAttribute("href")).slice(1);
      const target = page.locator(`[id="${id}"]`);
      assert.equal((await target.innerText()).replace(/ #$/, ""), await link.textContent());
      await page.waitForFunction((id) => {
        const { top } = globalThis.document.getElementById(id).getBoundingClientRect();
        return -1 <= top && top < innerHeight;
      }, id);
    }
  });
  await visit({ at: "#get_boat.data.hull.keelType" }, async (page) => {
    assert.ok(await page.locator('[id="get_boat.data.hull.keelType"]').isVisible());
  });
});

test("the search finds parameters, fields, codes and headings", () =>
  visit({}, async (page) => {
    const found = () => page.locator("#found a").allTextContents();
    await page.fill("#search", "yearfrom");
    assert.deepEqual((await found()).slice(0, 2), ["yearFrom List boats", "yearFrom Count what filters would find"]);
    for (const [wanted, first] of [["cors", "Other origins"], ["etag", "ETag Headers of answers"], ["retry", "Retry-After Headers of answers"]]) {
      await page.fill("#search", wanted);
      assert.equal((await found())[0], first);
    }
    await page.fill("#search", "ETag");
    assert.ok((await found()).includes("Caching"));
    await page.fill("#search", "QUOTA_EXCEEDED");
    assert.equal((await found())[0], "QUOTA_EXCEEDED Errors");
    await page.fill("#search", "draftMax");
    await page.keyboard.press("Enter");
    assert.ok(await page.locator('[id="get_boat.data.dimensions.draftMax"]').isVisible());
    await page.fill("#search", "no such thing");
    assert.equal(await page.textContent("#found-state"), "Nothing found");
    await page.focus("#search");
    await page.keyboard.press("Escape");
    assert.deepEqual([await found(), await page.inputValue("#search")], [[], ""]);
  }));

test("it can be used with the keyboard alone", () =>
  visit({}, async (page) => {
    const focused = () => page.evaluate(() => globalThis.document.activeElement.textContent.trim());
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Skip to the text");
    await page.keyboard.press("/");
    await page.keyboard.type("check");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#check_health$/);
    // The browser takes the focus from the search when it draws the place, which may be after the address has changed.
    await page.waitForFunction(() => globalThis.document.activeElement === globalThis.document.body);
    // Whatever can be used can be reached, and is seen where it is.
    const isReached = async (selector) => {
      for (let presses = 0; presses < 400; presses++) {
        await page.keyboard.press("Tab");
        const [is, outline] = await page.evaluate((selector) => {
          const at = globalThis.document.activeElement;
          return [at.matches(selector), getComputedStyle(at).outlineStyle];
        }, selector);
        assert.equal(outline, "solid", await focused());
        if (is) return;
      }
      assert.fail(`${selector} is not reached`);
    };
    await isReached("#send-check_health button");
    await page.keyboard.press("Enter");
    await operation(page, "check_health").locator(".status", { hasText: "200" }).waitFor();
    await page.evaluate(() => globalThis.document.querySelector(".skip").focus());
    await isReached("#key");
    await page.keyboard.type(KEY);
    await page.keyboard.press("Enter");
    await page.locator("#key-forget").waitFor();
    await isReached("[value=Python]");
    await page.keyboard.press("Enter");
    assert.ok(await page.locator("#example-limits [data-language=Python]").isVisible());
    assert.ok(await page.locator("#example-limits [data-language=curl]").isHidden());
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const example = await page.textContent("#example-first [data-language=Python]");
    await page.waitForFunction(async (example) => (await navigator.clipboard.readText()) === example, example);
  }));

for (const [colorScheme, viewport] of [["light", WIDE], ["dark", WIDE], ["light", NARROWEST]]) {
  test(`${colorScheme}, ${viewport.width} wide: axe finds no barrier`, async () => {
    for (const at of ["", "/python"]) {
      await visit({ colorScheme, viewport, at }, async (page) => {
        if (at === "") await send(page, "get_boat");
        assert.equal(await page.locator(".copy[aria-pressed]").count(), 0);
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
        const barriers = violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
        assert.deepEqual(barriers, []);
      });
    }
  });
}

const RUN = { sh: "bash", mjs: process.execPath, py: "python3" };

// Writes every program that the page shows of these into a file of its name, and runs it.
async function runExamples(page, selector, environment, check) {
  const folder = await mkdtemp(path.join(tmpdir(), "examples-"));
  const examples = await page.locator(`${selector} pre`).all();
  for (const example of examples) {
    const name = await example.getAttribute("data-file");
    await writeFile(path.join(folder, name), await example.textContent());
    const options = { cwd: folder, env: { PATH: process.env.PATH, ...environment }, maxBuffer: 16 * 1024 * 1024, timeout: 120_000 };
    const { stdout } = await promisify(execFile)(RUN[name.split(".")[1]], [name], options);
    check(name.split(".")[0], stdout, name);
  }
  await rm(folder, { recursive: true });
  return examples.length;
}

// The sample has three pages of boats; the first by name, which every language tells in its way, is one of them.
const TOLD = { first: /100% Fun/, paging: /100-percent-fun[^]*zephyr/, caching: /200[^]*304/, limits: /14/ };
const isTold = (task, stdout, name) => assert.match(stdout, TOLD[task], name);

const isAnswer = (operation, stdout, name) => {
  // A whole file goes into a file.
  if (operation.startsWith("get_all_")) return assert.equal(stdout, "", name);
  const body = name.endsWith(".sh") ? stdout : stdout.replace(/^200 /, "");
  assert.equal(typeof JSON.parse(body), "object", name);
};

test("every example runs as it stands, with two variables", () =>
  visit({}, async (page) => {
    assert.equal(await runExamples(page, ".guide .example", { BASE, KEY }, isTold), 12);
    assert.equal(await runExamples(page, ".operation .example", { BASE, KEY }, isAnswer), 3 * operations.length);
  }));
