// What the page of the documentation does: the examples in the language that was chosen, copying, the key, the viewer.
//
// The key stays in a variable of this script. It is written neither into the page nor into any store of the browser,
// and is sent to the server that the page is from, and to no other.
"use strict";

const page = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

// The viewer has colours for the dark, which a class switches on.
function followColours() {
  page.classList.toggle("dark-mode", dark.matches);
}

// Shows every example in one language; it is remembered no longer than the page.
function chooseLanguage(language) {
  for (const code of document.querySelectorAll(".example [data-language]")) {
    code.hidden = code.dataset.language !== language;
  }
  for (const button of document.querySelectorAll(".languages button")) {
    button.setAttribute("aria-pressed", String(button.value === language));
  }
}

function button(label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", () => act(made));
  return made;
}

function addLanguages(example) {
  const bar = document.createElement("div");
  bar.className = "languages";
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Language of the examples");
  for (const code of example.querySelectorAll("[data-language]")) {
    const choose = button(code.dataset.name, () => {
      // The examples above may change their heights: what was chosen stays where it is.
      const before = bar.getBoundingClientRect().top;
      chooseLanguage(code.dataset.language);
      scrollBy({ top: bar.getBoundingClientRect().top - before, behavior: "instant" });
    });
    choose.value = code.dataset.language;
    bar.append(choose);
  }
  bar.append(addCopying(() => example.querySelector("[data-language]:not([hidden])")));
  example.prepend(bar);
}

function addCopying(find) {
  const made = button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(find().textContent);
      made.textContent = "Copied";
    } catch {
      // Without https there is no clipboard; a selection is as good.
      getSelection().selectAllChildren(find());
      made.textContent = "Selected";
    }
    setTimeout(() => (made.textContent = "Copy"), 2000);
  });
  made.className = "copy";
  made.setAttribute("aria-live", "polite");
  return made;
}

// The key, while the page is open.
let key = null;

// What the viewer writes in place of the key, and what its curl command reads it from.
const IN_PLACE_OF_KEY = "$KEY";

// Requests leave with the key itself; what is shown of them is written before.
function withKey(request) {
  if (key !== null && request.headers.Authorization === `Bearer ${IN_PLACE_OF_KEY}`) {
    request.headers.Authorization = `Bearer ${key}`;
  }
  return request;
}

// The command of a request, with the variable where a shell looks into it: between double quotes.
function CurlCommand({ React, fn }) {
  return ({ request, getComponent }) => {
    const Code = getComponent("SyntaxHighlighter", true);
    const command = fn.requestSnippetGenerator_curl_bash(request);
    const readable = command.replace(/'(Authorization: Bearer \$KEY)'/, '"$1"');
    const title = React.createElement("h4", null, "Curl");
    const code = React.createElement(Code, { language: "bash", className: "curl microlight" }, readable);
    return React.createElement("div", { className: "curl-command" }, title, code);
  };
}

// What of the viewer the page has in its own form: the heading, the field for the key, the command.
function PagePlugin() {
  const nothing = () => null;
  return {
    wrapComponents: {
      InfoContainer: () => nothing,
      authorizeOperationBtn: () => nothing,
      curl: (_original, system) => CurlCommand(system),
    },
  };
}

// The viewer would fill in every example, and so ask for what has all of them at once: where a parameter need not be
// given, its example is only told.
function withoutFilling(description) {
  const operations = Object.values(description.paths).flatMap((path) => Object.values(path));
  for (const parameter of operations.flatMap((operation) => operation.parameters ?? [])) {
    if (parameter.required || parameter.example === undefined) continue;
    parameter.description += ` For example \`${parameter.example}\`.`;
    delete parameter.example;
  }
  return description;
}

async function showViewer() {
  const answer = await fetch("/openapi.json");
  const viewer = SwaggerUIBundle({
    domNode: document.getElementById("viewer"),
    spec: withoutFilling(await answer.json()),
    plugins: [PagePlugin],
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelExpandDepth: 3,
    defaultModelsExpandDepth: 0,
    persistAuthorization: false,
    validatorUrl: null,
    syntaxHighlight: { theme: "tomorrow-night" },
    showMutatedRequest: false,
    requestInterceptor: withKey,
    onComplete: () => {
      document.getElementById("key").disabled = false;
    },
  });
  const form = document.getElementById("key-form");
  const field = document.getElementById("key");
  const state = document.getElementById("key-state");
  const forget = document.getElementById("key-forget");

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const pasted = field.value.trim();
    if (!/^[\w-]+$/.test(pasted)) {
      state.textContent = "A key has letters, digits and underscores only.";
      field.focus();
      return;
    }
    key = pasted;
    field.value = "";
    viewer.preauthorizeApiKey("apiKey", IN_PLACE_OF_KEY);
    state.textContent = `Requests are sent with ${key.slice(0, 16)}…`;
    forget.hidden = false;
  });
  forget.addEventListener("click", () => {
    key = null;
    viewer.authActions.logout(["apiKey"]);
    state.textContent = "The key is forgotten.";
    forget.hidden = true;
    field.focus();
  });
}

followColours();
dark.addEventListener("change", followColours);
for (const base of document.querySelectorAll(".base")) base.textContent = location.origin;
document.querySelectorAll(".example").forEach(addLanguages);
chooseLanguage("curl");
for (const setup of document.querySelectorAll(".setup")) setup.prepend(addCopying(() => setup.querySelector("code")));
showViewer().catch((why) => {
  document.getElementById("viewer").textContent = "The reference could not be loaded. Load this page again.";
  console.error(why);
});
