// What the pages of the documentation do beyond being read: the language of the examples, copying, the key, requests, known
// filter values, the search.
//
// A pasted key stands in a variable and in the examples of this page. It is written into no store of the browser, and is
// sent to the server that the page is from, and to no other. What a server says is shown as text, never as HTML.

const main = document.querySelector("main");
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function element(name, text, properties = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  return Object.assign(made, properties);
}

// Languages and copying.

// Shows every example in one language; it is remembered no longer than the page.
function chooseLanguage(language) {
  for (const program of all(".example [data-language]")) program.hidden = program.dataset.language !== language;
  for (const button of all(".languages [value]")) button.setAttribute("aria-pressed", String(button.value === language));
}

function addLanguages(example) {
  const bar = element("div", "", { className: "bar" });
  const languages = element("div", "", { className: "languages", role: "group", ariaLabel: "Language of the examples" });
  for (const { dataset } of all("[data-language]", example)) {
    const choose = element("button", dataset.language, { type: "button", value: dataset.language });
    choose.addEventListener("click", () => {
      // The examples above may change their heights: what was chosen stays where it is.
      const before = bar.getBoundingClientRect().top;
      chooseLanguage(dataset.language);
      scrollBy({ top: bar.getBoundingClientRect().top - before, behavior: "instant" });
    });
    languages.append(choose);
  }
  const shown = () => example.querySelector("[data-language]:not([hidden])");
  bar.append(languages, copying(shown));
  example.prepend(bar);
}

function copying(find) {
  const button = element("button", "Copy", { type: "button", className: "copy", ariaLive: "polite" });
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(find().textContent);
      button.textContent = "Copied";
    } catch {
      // Without https there is no clipboard; a selection is as good.
      getSelection().selectAllChildren(find());
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  return button;
}

// The key.

const KEY_FORM = /^boat_(live|test)_[0-9A-Za-z]{38}$/;
let key = null;

// Puts the key into all examples, or takes it out of them again.
function fillExamples() {
  for (const place of all("[data-filled]")) {
    place.dataset.read ??= place.textContent;
    const filled = place.dataset.filled.replace("{base}", location.origin).replace("{key}", key);
    place.textContent = key === null ? place.dataset.read : filled;
  }
}

async function get(target, key, headers = {}) {
  const authorization = key === null ? {} : { Authorization: `Bearer ${key}` };
  return fetch(target, { headers: { ...authorization, ...headers }, cache: "no-store" });
}

// How often a key was pasted or forgotten: what comes back of a former one is of no interest.
let turns = 0;

// Uses a key once the server has accepted it, and gives whether it did.
async function useKey(pasted, say) {
  if (!KEY_FORM.test(pasted)) {
    say("That is no key. A key is boat_live_ or boat_test_ and 38 letters and digits: copy all of it.");
    return false;
  }
  const turn = ++turns;
  const targets = ["/v1/boats?limit=1", "/v1/manufacturers?limit=1", "/v1/terms"];
  const answers = await Promise.all(targets.map((target) => get(target, pasted).catch(() => null)));
  const [boats, manufacturers, terms] = await Promise.all(answers.map(read));
  if (turn !== turns) return false;
  // A key for other records than boats is a key all the same.
  if (boats === null || ![200, 403].includes(boats.status)) {
    say(boats === null ? "The server cannot be reached." : (boats.body?.error?.message ?? `The server answers with status ${boats.status}.`));
    return false;
  }
  key = pasted;
  fillExamples();
  offerRecord("/v1/boats", boats.body?.data);
  offerRecord("/v1/manufacturers", manufacturers?.body?.data);
  offerTerms(terms?.body?.data);
  offerRelease(answers[2]?.headers.get("X-Release"));
  say(`The examples have the key ${key.slice(0, 16)}…`);
  return true;
}

// The status of an answer, and its JSON where it is that.
async function read(answer) {
  if (answer === null) return null;
  return { status: answer.status, body: await answer.json().catch(() => undefined) };
}

// A record that there is, in the paths that ask for one.
function offerRecord(list, rows) {
  if (rows === undefined || rows.length === 0) return;
  for (const operation of all(`.operation[data-target^="${list}/"]`)) {
    operation.querySelector("[data-in-path]").value = rows[0].slug;
    writeTarget(operation);
  }
}

// The release that is served, where one is asked for.
function offerRelease(release) {
  for (const field of all("[name=since]")) {
    field.value = release ?? field.value;
    writeTarget(field.closest(".operation"));
  }
}

// What filters find, in the fields of these filters.
function offerTerms(terms) {
  for (const list of all("datalist")) {
    const known = terms?.[list.id] ?? [];
    const options = known.map(({ slug, name, boatCount }) => element("option", `${name} (${boatCount})`, { value: slug }));
    list.replaceChildren(...options);
  }
}

function wireKey() {
  const form = document.getElementById("key-form");
  const field = document.getElementById("key");
  const forget = document.getElementById("key-forget");
  const say = (text) => (document.getElementById("key-state").textContent = text);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await useKey(field.value.trim(), say)) {
      field.value = "";
      forget.hidden = false;
    } else {
      field.focus();
    }
  });
  forget.addEventListener("click", () => {
    turns += 1;
    key = null;
    fillExamples();
    say("The key is forgotten.");
    forget.hidden = true;
    field.focus();
  });
}

// Requests.

// The path with what is given in the fields of an operation.
function targetOf(operation) {
  let path = operation.dataset.target;
  const query = new URLSearchParams();
  for (const field of all("input, select", operation)) {
    if ("inPath" in field.dataset) path = path.replace(`{${field.name}}`, encodeURIComponent(field.value));
    else if (field.value !== "") query.append(field.name, field.value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

function writeTarget(operation) {
  for (const place of all(".first", operation)) place.remove();
  for (const place of all(".target", operation)) place.textContent = targetOf(operation);
}

async function send(operation, headers = {}) {
  const place = operation.querySelector(".answer");
  const began = performance.now();
  place.setAttribute("aria-busy", "true");
  try {
    const needsKey = operation.dataset.key === "true";
    const answer = await get(targetOf(operation), needsKey ? key : null, headers);
    const body = await answer.text();
    place.replaceChildren(...shownAnswer(operation, answer, body, Math.round(performance.now() - began)));
  } catch {
    place.replaceChildren(element("p", "The server cannot be reached.", { className: "status" }));
  }
  place.removeAttribute("aria-busy");
  // A real answer is a better example.
  operation.querySelector(".sample")?.removeAttribute("open");
}

function shownAnswer(operation, answer, body, milliseconds) {
  const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  const block = (text, label) => element("pre", text, { tabIndex: 0, role: "region", ariaLabel: label });
  const parts = [
    element("p", `${answer.status} ${answer.statusText} in ${milliseconds} ms`, { className: answer.ok ? "status" : "status refused" }),
    block(head, "Headers of the answer"),
  ];
  if (body !== "") parts.push(block(indented(body), "Body of the answer"));
  if (answer.status === 401 && key === null) {
    parts.splice(1, 0, element("a", "Paste a key first", { href: "#first-request" }));
  }
  const tag = answer.headers.get("etag");
  if (answer.status === 200 && tag !== null) {
    const again = element("button", "Send again with its ETag", { type: "button", className: "again" });
    again.addEventListener("click", () => send(operation, { "If-None-Match": tag }));
    parts.push(again);
  }
  return parts;
}

function indented(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function wireOperation(operation) {
  operation.addEventListener("input", () => writeTarget(operation));
  operation.querySelector("form")?.addEventListener("submit", (event) => {
    event.preventDefault();
    send(operation);
  });
}

// The search.

const FOUND_MAX = 20;

// Every place that has a name, with the words that it is found by.
function places() {
  const operationOf = (place) => place.closest(".operation")?.querySelector("h3").firstChild.textContent.trim();
  const place = (at, name, of, text = at) => ({ id: at.id, name, of, words: `${at.id} ${text.textContent}`.toLowerCase() });
  // A section of the guide is found by all that it says.
  const headings = all("h2[id], h3[id]", main).map((at) => place(at, at.firstChild.textContent.trim(), "", at.closest(".guide > section") ?? at));
  const names = all(".parameter, .field", main).map((at) => place(at, at.querySelector(".name").textContent, operationOf(at)));
  const codes = all("tr[id^=code-]", main).map((at) => place(at, at.querySelector("code").textContent, "Errors"));
  const headers = all("tr[id^=header-]", main).map((at) => place(at, at.querySelector("code").textContent, "Headers of answers"));
  return [...headings, ...headers, ...codes, ...names];
}

function wireSearch() {
  const field = document.getElementById("search");
  const state = document.getElementById("found-state");
  const list = document.getElementById("found");
  const known = places();
  const find = () => {
    const wanted = field.value.trim().toLowerCase();
    // What has the name comes before what only speaks of it.
    const named = known.filter(({ name }) => name.toLowerCase().includes(wanted));
    const speaking = known.filter((one) => one.words.includes(wanted) && !named.includes(one));
    const found = wanted === "" ? [] : [...named, ...speaking];
    list.replaceChildren(...found.slice(0, FOUND_MAX).map(({ id, name, of }) => {
      const item = document.createElement("li");
      const link = element("a", name, { href: `#${id}` });
      if (of !== "") link.append(" ", element("small", of));
      item.append(link);
      return item;
    }));
    const more = found.length > FOUND_MAX ? `, of which ${FOUND_MAX} are shown` : "";
    state.textContent = wanted === "" ? "" : `${found.length || "Nothing"} found${more}`;
  };
  field.addEventListener("input", find);
  field.addEventListener("keydown", ({ key: pressed }) => {
    if (pressed === "Enter") list.querySelector("a")?.click();
    if (pressed === "Escape") {
      field.value = "";
      find();
    }
  });
  addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input, select, textarea");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
}

// What an address names is shown, whatever it is folded in.
function unfold() {
  const named = document.getElementById(location.hash.slice(1));
  if (named?.matches(".operation > h3")) named.nextElementSibling.open = true;
  for (let at = named?.parentElement; at; at = at.parentElement) if (at.matches("details")) at.open = true;
  named?.scrollIntoView({ behavior: "instant" });
}

for (const base of all(".base")) base.textContent = location.origin;
all(".example").forEach(addLanguages);
chooseLanguage("curl");
for (const setup of all(".setup")) setup.prepend(copying(() => setup.querySelector("code")));
if (document.getElementById("key-form") !== null) {
  wireKey();
  all(".operation").forEach(wireOperation);
  wireSearch();
}
addEventListener("hashchange", unfold);
if (location.hash !== "") unfold();
