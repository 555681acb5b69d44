// Checks the script and the style of the report page, given as paths, and that it would
// refuse what no script of a page may do: an agent's text must never become markup, code
// or a request.
import css from "@eslint/css";
import js from "@eslint/js";
import { ESLint } from "eslint";
import unsanitized from "eslint-plugin-no-unsanitized";

const unsafe = {
  properties: ["innerHTML", "outerHTML", "insertAdjacentHTML", "setHTML", "setHTMLUnsafe", "srcdoc", "createContextualFragment", "parseFromString", "write", "writeln", "cssText", "insertRule"],
  globals: ["eval", "Function", "DOMParser", "Range", "fetch", "XMLHttpRequest", "WebSocket", "EventSource", "Worker", "Image", "open", "importScripts"],
};

const config = [
  {
    files: ["**/*.js"],
    ...js.configs.recommended,
    languageOptions: {
      ecmaVersion: 2023,
      sourceType: "script",
      globals: Object.fromEntries(["document", "location", "history", "matchMedia", "addEventListener", "Node", "TextEncoder", ...unsafe.globals].map((g) => [g, "readonly"])),
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
  },
  { files: ["**/*.js"], ...unsanitized.configs.recommended },
  {
    files: ["**/*.js"],
    rules: {
      "eqeqeq": "error",
      "no-control-regex": "off", // the page shows such characters by their numbers
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-script-url": "error",
      "no-shadow": "error",
      "no-var": "error",
      "prefer-const": "error",
      "strict": ["error", "function"],
      "no-restricted-globals": ["error", ...unsafe.globals],
      "no-restricted-properties": ["error", ...unsafe.properties.map((property) => ({ property }))],
      "no-restricted-syntax": ["error", "ImportExpression",
        ...unsafe.properties.map((name) => `MemberExpression[computed=true] > Literal[value="${name}"].property`)],
    },
  },
  {
    files: ["**/*.css"],
    plugins: { css },
    language: "css/css",
    rules: {
      ...css.configs.recommended.rules,
      // What a browser does not know of these it leaves out, and nothing is lost.
      "css/use-baseline": ["error", { available: "newly", allowSelectors: ["marker"], allowPropertyValues: { "break-after": ["avoid"] } }],
    },
  },
];

const eslint = new ESLint({ overrideConfigFile: true, overrideConfig: config, allowInlineConfig: false });

// refused are faults, each of which has to be found.
const refused = [
  ["js", "e.innerHTML = t;"], ["js", 'e["innerHTML"] = t;'], ["js", "e.innerHTML = 'b';"], ["js", "e.outerHTML += t;"], ["js", "e.insertAdjacentHTML('beforeend', t);"],
  ["js", "document.write(t);"], ["js", "document.writeln(t);"], ["js", "eval(t);"], ["js", "new Function(t)();"], ["js", "e.setHTMLUnsafe(t);"], ["js", "e.srcdoc = t;"],
  ["js", "document.createRange().createContextualFragment(t);"], ["js", "new DOMParser().parseFromString(t, 'text/html');"], ["js", "location = 'javascript:' + 1; const l = 'javascript:t';"],
  ["js", "fetch(t);"], ["js", "new WebSocket(t);"], ["js", "import(t);"], ["js", "undeclared(t);"], ["js", "const unused = 1;"],
  ["css", "a { colour: red; }"], ["css", "a { color: rde; }"], ["css", "@medai print { a { color: red; } }"], ["css", "a { }"],
];

const results = await eslint.lintFiles(process.argv.slice(2));
const found = await (await eslint.loadFormatter("stylish")).format(results);
if (found) console.log(found);
let bad = results.length === 0 || results.some((r) => r.errorCount + r.warningCount > 0);
for (const [kind, fault] of refused) {
  const text = kind === "css" ? fault : `(() => {\n  "use strict";\n  const e = document.body; const t = location.hash;\n  ${fault}\n  e.append(t);\n})();\n`;
  const [{ messages }] = await eslint.lintText(text, { filePath: "planted." + kind });
  if (!messages.some((m) => m.ruleId && (kind === "css" || m.line === 4))) {
    console.log(`nobody objects to ${fault}: ${JSON.stringify(messages)}`);
    bad = true;
  }
}
process.exitCode = bad ? 1 : 0;
