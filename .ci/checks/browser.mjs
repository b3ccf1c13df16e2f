// What a person can do with /docs, done in Chromium: reading, choosing a language, pasting a key, sending requests.
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

// Opens the page, hands it over, and holds that the browser had nothing to complain of and asked no other server.
async function visit({ viewport = WIDE, colorScheme = "light", at = "" }, use) {
  const context = await browser.newContext({ viewport, colorScheme, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  // As patient as a machine that does much else needs.
  page.setDefaultTimeout(90_000);
  const complaints = [];
  // Some tests ask to be refused; and the viewer takes the underscore in the name of an operation for a space first.
  const expected = /status of 40\d|^Deprecated: escaping deep link whitespace/;
  page.on("console", (line) => {
    if (["error", "warning"].includes(line.type()) && !expected.test(line.text())) complaints.push(line.text());
  });
  page.on("pageerror", (error) => complaints.push(error.stack));
  page.on("requestfailed", (request) => complaints.push(`${request.url()} failed`));
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(`${BASE}/`) || request.url().startsWith("data:");
    if (!isOwn) complaints.push(`${request.url()} is asked for`);
  });
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
  });
  try {
    await page.goto(`${BASE}/docs${at}`);
    await page.waitForSelector(".opblock");
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

async function paste(page, key) {
  await page.fill("#key", key);
  await page.click("#key-form [type=submit]");
}

const operation = (page, id) => page.locator(`[id$="-${id}"].opblock`);

async function open(page, id) {
  await operation(page, id).locator(".opblock-summary-control").click();
  await operation(page, id).locator(".execute").waitFor();
}

// Sends the request of an opened operation; what the page shows of the answer.
async function send(page, id) {
  const box = operation(page, id);
  const answered = page.waitForResponse((answer) => answer.url().startsWith(`${BASE}/v1/`));
  await box.locator(".execute").click();
  await answered;
  const row = box.locator(".live-responses-table tr.response");
  await row.locator("pre").first().waitFor();
  return {
    status: Number(await row.locator(".response-col_status").first().textContent()),
    body: JSON.parse(await row.locator(".highlight-code pre").first().textContent()),
    curl: await box.locator(".curl-command pre").textContent(),
  };
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
        const shown = await page.locator(".opblock-summary-path").evaluateAll((all) => all.map((one) => one.dataset.path));
        assert.deepEqual(shown.sort(), Object.keys(document.paths).sort());
        await picture(page, `${size}-${colorScheme}-top`);
        await picture(page, `${size}-${colorScheme}-all`, { fullPage: true });
        await paste(page, KEY);
        await open(page, "get_boat");
        await page.locator("#reference").evaluate((section) => section.scrollIntoView({ behavior: "instant" }));
        await picture(page, `${size}-${colorScheme}-reference`);
        await operation(page, "get_boat").locator(".execute").evaluate((button) => button.scrollIntoView({ behavior: "instant" }));
        await picture(page, `${size}-${colorScheme}-operation`);
        await operation(page, "get_boat").getByRole("tab", { name: "Schema" }).first().click();
        const schema = operation(page, "get_boat").locator(".model-container").first();
        await schema.getByText("string | null").first().waitFor();
        assert.ok(await schema.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth));
        await schema.evaluate((box) => box.scrollIntoView({ behavior: "instant" }));
        await picture(page, `${size}-${colorScheme}-schema`);
        await open(page, "list_boats");
        await send(page, "list_boats");
        assert.deepEqual(await page.evaluate(overflowing), []);
        await operation(page, "list_boats").locator(".execute").evaluate((button) => button.scrollIntoView({ behavior: "instant" }));
        await picture(page, `${size}-${colorScheme}-answer`);
      }));
  }
}

test("a pasted key sends requests, and is neither shown nor kept", () =>
  visit({}, async (page, context) => {
    await paste(page, KEY);
    await open(page, "list_boats");
    const list = await send(page, "list_boats");
    assert.equal(list.status, 200);
    const { slug, model } = list.body.data[0];
    assert.match(list.curl, /-H "Authorization: Bearer \$KEY"/);

    await open(page, "get_boat");
    await operation(page, "get_boat").locator('[data-param-name="idOrSlug"] input').fill(slug);
    const boat = await send(page, "get_boat");
    assert.deepEqual([boat.status, boat.body.data.model], [200, model]);

    assert.ok(!(await page.content()).includes(KEY));
    assert.equal(await page.inputValue("#key"), "");
    const stores = await page.evaluate(async () => [localStorage.length, sessionStorage.length, (await indexedDB.databases()).length]);
    assert.deepEqual([stores, await context.cookies()], [[0, 0, 0], []]);
  }));

test("without a key, with a wrong one and after it is forgotten, the refusal is shown", () =>
  visit({}, async (page) => {
    await open(page, "list_boats");
    assert.equal((await send(page, "list_boats")).body.error.code, "MISSING_API_KEY");
    // Well-formed, with a right checksum, and of no key that was issued.
    await paste(page, "boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw");
    const wrong = await send(page, "list_boats");
    assert.deepEqual([wrong.status, wrong.body.error.code], [401, "INVALID_API_KEY"]);
    await paste(page, "half a key");
    assert.match(await page.textContent("#key-state"), /letters, digits/);
    await page.click("#key-forget");
    assert.equal((await send(page, "list_boats")).body.error.code, "MISSING_API_KEY");
  }));

test("every anchor of the guide leads to its heading, and a link to an operation opens it", async () => {
  await visit({}, async (page) => {
    for (const link of await page.locator("nav a").all()) {
      await link.click();
      const target = page.locator(await link.getAttribute("href"));
      assert.equal((await target.innerText()).split("\n")[0], await link.textContent());
      await page.waitForFunction((id) => {
        const { top } = globalThis.document.getElementById(id).getBoundingClientRect();
        return -1 <= top && top < innerHeight;
      }, (await link.getAttribute("href")).slice(1));
    }
  });
  await visit({ at: "#/Boats/get_boat" }, (page) => operation(page, "get_boat").locator(".execute").waitFor());
});

test("it can be used with the keyboard alone", () =>
  visit({}, async (page) => {
    const focused = () => page.evaluate(() => globalThis.document.activeElement.textContent.trim());
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Skip to the guide");
    const python = page.locator(".languages button", { hasText: "Python" }).first();
    await python.focus();
    await page.keyboard.press("Enter");
    assert.ok(await page.locator("#example-limits [data-language=python]").isVisible());
    assert.ok(await page.locator("#example-limits [data-language=curl]").isHidden());
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => globalThis.document.activeElement.textContent === "Copied");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.textContent("#example-first [data-language=python]"));
    await page.focus("#key");
    await page.keyboard.type(KEY);
    await page.keyboard.press("Enter");
    assert.match(await page.textContent("#key-state"), /^Requests are sent with boat_live_/);
    await operation(page, "check_health").locator(".opblock-summary-control").focus();
    await page.keyboard.press("Enter");
    await operation(page, "check_health").locator(".execute").waitFor();
  }));

// What the viewer itself does not do well; none of it hinders reading or sending.
const OF_THE_VIEWER = ["nested-interactive", "select-name", "scrollable-region-focusable"];

for (const [colorScheme, viewport] of [["light", WIDE], ["dark", WIDE], ["light", NARROWEST]]) {
  test(`${colorScheme}, ${viewport.width} wide: axe finds no serious barrier`, () =>
    visit({ colorScheme, viewport }, async (page) => {
      await open(page, "get_boat");
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
      const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
      const barriers = serious.flatMap(({ id, nodes }) => nodes.map(({ target }) => ({ id, element: target.join(" ") })));
      const found = [];
      for (const { id, element } of barriers) {
        const isInViewer = await page.locator(element).first().evaluate((found) => found.closest("#viewer") !== null);
        if (!isInViewer || !OF_THE_VIEWER.includes(id)) found.push(`${id}: ${element}`);
      }
      assert.deepEqual(found, []);
    }));
}

test("every example runs as it stands", () =>
  visit({}, async (page) => {
    const folder = await mkdtemp(path.join(tmpdir(), "examples-"));
    const run = { sh: "bash", mjs: process.execPath, py: "python3" };
    // The sample has three pages of boats; the first by name, which every language tells in its way, is one of them.
    const expected = { first: /100% Fun/, paging: /100-percent-fun[^]*zephyr/, caching: /200[^]*304/, limits: /14/ };
    const examples = await page.locator(".example pre").all();
    assert.equal(examples.length, 12);
    for (const example of examples) {
      const name = await example.getAttribute("data-file");
      await writeFile(path.join(folder, name), await example.textContent());
      const { stdout } = await promisify(execFile)(run[name.split(".")[1]], [name], { cwd: folder, env: { ...process.env, BASE, KEY } });
      assert.match(stdout, expected[name.split(".")[0]], name);
    }
    await rm(folder, { recursive: true });
  }));
