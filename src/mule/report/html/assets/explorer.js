// The explorer: a state, what can be done in it, what a reduction would do, and why.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);

async function ask(what, question) {
  const reply = await fetch(what, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
  if (!reply.ok) throw new Error(`the explorer does not answer (${reply.status})`);
  const told = await reply.json();
  if (told.problem) throw new Error(told.problem);
  return told.answer;
}

// Of the states that were visited only those near the present one are listed: there may be thousands.
const AROUND = 150;

class Explorer {
  constructor() {
    this.views = new Map();
    this.names = [];
    this.numbers = new Map();
    this.order = DATA.first.state.filter(([group]) => group === "processes").map(([, name]) => name);
    this.build();
    this.keep(DATA.first);
    this.show(DATA.first.node);
  }
  build() {
    const pane = (title, ...parts) => make("div", { class: "pane" }, make("h3", {}, title), ...parts);
    const region = (name, ...parts) => make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, ...parts);
    this.back = make("button", { type: "button", onclick: () => this.goBack() }, "◀ Back");
    this.told = make("output", { "aria-live": "polite" });
    this.problem = make("p", { role: "alert", class: "violated" });
    this.problem.hidden = true;
    this.goal = make("input", { type: "text", placeholder: "an expression of the model", "aria-label": "Run to a state in which this is true", size: 30 });
    const run = make("form", { onsubmit: (event) => { event.preventDefault(); this.runTo(this.goal.value); } }, this.goal, " ", make("button", { type: "submit" }, "Run to it"));
    this.file = make("input", { type: "file", hidden: true, onchange: () => this.applyTrail() });
    const apply = make("button", { type: "button", onclick: () => this.file.click() }, "Apply a trail …");
    const save = make("button", { type: "button", onclick: () => this.save() }, "Save the path");
    const bar = make("div", { class: "bar", role: "toolbar", "aria-label": "Walk" }, this.back, run, apply, this.file, save, this.told);
    this.moves = make("ul", { class: "plain moves" });
    this.path = make("ol", { class: "steps" });
    this.visited = region("States that were visited", this.path);
    this.visited.classList.add("visited");
    this.sourcePane = region("Source");
    this.state = new StateView(DATA.first.state.length);
    this.summary = make("p", {});
    const page = document.querySelector("main");
    page.replaceChildren(this.problem, bar, make("div", { class: "panes" },
      pane("What can be done here", region("Steps", this.summary, this.moves)),
      ...(DATA.files.length ? [pane(`Source: ${DATA.files.map((file) => file.name).join(", ")}`, this.sourcePane)] : []),
      this.state.element),
      make("section", { class: "below", "aria-labelledby": "path-title" }, make("h2", { id: "path-title" }, "The way here, and all that was visited"), this.visited));
    this.source = new SourceView(this.sourcePane, DATA.files, new Set());
  }
  keep(view) {
    for (const [group, name] of view.state) {
      const key = `${group} ${name}`;
      if (!this.numbers.has(key)) { this.numbers.set(key, this.names.length); this.names.push([group, name]); }
    }
    this.views.set(view.node, view);
  }
  values(view) {
    const found = [];
    for (const [group, name, value] of view.state) found[this.numbers.get(`${group} ${name}`)] = value;
    return found;
  }
  show(node) {
    const view = this.views.get(node);
    this.at = node;
    this.back.disabled = view.parent === null;
    this.told.textContent = `state ${node}, ${view.depth} steps from the initial one`;
    const before = view.parent !== null && this.views.has(view.parent) ? this.values(this.views.get(view.parent)) : null;
    const sorted = this.names.map((each, number) => number).sort((a, b) => Object.keys(GROUPS).indexOf(this.names[a][0]) - Object.keys(GROUPS).indexOf(this.names[b][0]) || a - b);
    const values = this.values(view);
    this.state.show(sorted.map((each) => this.names[each]), sorted.map((each) => values[each]), before && sorted.map((each) => before[each]), null);
    const standing = view.state.filter(([group, name, value]) => group === "processes" && (DATA.stands[name] || {})[value]).map(([, name, value]) => [name, DATA.stands[name][value], this.order.indexOf(name)]);
    this.source.show([], standing);
    this.showMoves(view);
    this.showPath();
  }
  showMoves(view) {
    const left = view.enabled - view.explored;
    this.summary.textContent = view.end ? `Nothing can be done here: this is ${view.end}.`
      : `A search with reduction (${DATA.algorithm}) would explore ${view.explored} of ${view.enabled}${left ? `, and leave ${left} for later states` : ": all"}.`;
    const wrong = view.assertions.filter(([, value]) => value !== true).map(([name]) => name);
    if (wrong.length) this.summary.append(make("strong", { class: "violated" }, ` Not true here: ${wrong.join(", ")}.`));
    this.moves.replaceChildren(...view.steps.map((step, index) => this.move(view, step, index)));
  }
  move(view, step, index) {
    const chosen = step.why !== null;
    const key = index < 9 ? `${index + 1}` : "";
    const button = make("button", { type: "button", disabled: Boolean(step.failure), onclick: () => this.take(step), onmouseenter: () => this.light(step), onfocus: () => this.light(step) },
      make("span", { class: "number" }, key), make("span", {}, make("span", { class: "who" }, step.process || ""), " ", make("span", { class: "code" }, step.text)));
    const number = this.order.indexOf(step.process);
    if (number >= 0) button.style.setProperty("--who", colour(number));
    const changes = step.changes.map(([name, old, now]) => `${name}: ${written(old)} → ${written(now)}`).join(", ");
    const item = make("li", { class: chosen ? "move chosen" : "move" }, button, make("div", { class: "code soft changes" }, changes));
    if (step.failure) item.append(make("div", { class: "fails" }, `✗ ${step.failure}`));
    else item.append(chosen ? this.why(step.why) : make("div", { class: "soft changes" }, step.error ? "an error ends the run" : "left out: no step of the set interferes with it, so it can come later"));
    return item;
  }
  // The chain of relations that pulled a step into the set.
  why(chain) {
    const items = chain.map((link) => make("li", {}, make("span", { class: "code" }, link.name), link.line ? make("span", { class: "soft" }, ` line ${link.line}`) : null,
      link.enabled ? null : make("span", { class: "soft" }, " (cannot be taken now)"), make("div", { class: "soft" }, link.told)));
    return make("details", { class: "why" }, make("summary", {}, chain.length > 1 ? `in the set because of ${chain[chain.length - 2].name}` : "in the set: it is built from here"), make("ol", {}, ...items));
  }
  // The next step, or the one before, gets the focus: its lines are lit, and Enter takes it.
  look(by) {
    const buttons = [...this.moves.querySelectorAll("button:not(:disabled)")];
    if (!buttons.length) return;
    const now = buttons.indexOf(document.activeElement);
    buttons[now < 0 ? (by > 0 ? 0 : buttons.length - 1) : Math.max(0, Math.min(buttons.length - 1, now + by))].focus();
  }
  light(step) {
    const view = this.views.get(this.at);
    const standing = view.state.filter(([group, name, value]) => group === "processes" && (DATA.stands[name] || {})[value]).map(([, name, value]) => [name, DATA.stands[name][value], this.order.indexOf(name)]);
    this.source.show(step.lines.map((line) => [0, line]), standing);
  }
  showPath() {
    const ancestors = new Set();
    for (let node = this.at; node !== null && node !== undefined; node = this.views.has(node) ? this.views.get(node).parent : null) ancestors.add(node);
    const all = [...this.views.values()].sort((a, b) => a.node - b.node);
    const here = all.findIndex((view) => view.node === this.at), first = Math.max(0, here - AROUND), visited = all.slice(first, here + AROUND + 1);
    const mark = (count, where) => (count > 0 ? [make("li", { class: "mark" }, `${count.toLocaleString("en")} states ${where}`)] : []);
    const items = visited.map((view) => {
      const button = make("button", { type: "button", onclick: () => this.show(view.node) }, make("span", { class: "number" }, String(view.node)),
        make("span", { class: "code" }, `${ancestors.has(view.node) ? "" : "(elsewhere) "}${view.text}`));
      if (view.node === this.at) button.setAttribute("aria-current", "step");
      return make("li", ancestors.has(view.node) ? {} : { class: "soft" }, button);
    });
    this.path.replaceChildren(...mark(first, "before these"), ...items, ...mark(all.length - first - visited.length, "after these"));
    reveal(this.visited, items[here - first]);
  }
  async attempt(work) {
    this.problem.hidden = true;
    try { await work(); } catch (error) { this.problem.textContent = error.message; this.problem.hidden = false; }
  }
  take(step) {
    return this.attempt(async () => {
      const view = await ask("step", { node: this.at, transition: step.transition, outcome: step.outcome });
      this.keep(view);
      this.show(view.node);
    });
  }
  goBack() {
    const parent = this.views.get(this.at).parent;
    if (parent !== null) this.show(parent);
  }
  runTo(expression) {
    return this.attempt(async () => this.arrive(await ask("run", { node: this.at, expression })));
  }
  applyTrail() {
    return this.attempt(async () => {
      const text = await this.file.files[0].text();
      this.file.value = "";
      this.arrive(await ask("trail", { text }));
    });
  }
  arrive(views) {
    views.forEach((view) => this.keep(view));
    this.show(views[views.length - 1].node);
  }
  save() {
    return this.attempt(async () => {
      const told = await ask("export", { node: this.at });
      const link = make("a", { download: `${DATA.model}.json`, href: URL.createObjectURL(new Blob([JSON.stringify(told)], { type: "application/json" })) });
      link.click();
    });
  }
}

function main() {
  document.body.prepend(make("header", {}, make("h1", {}, DATA.model), make("p", {}, `${DATA.language}, explored with Mule ${DATA.version}`), themeButton()));
  const explorer = new Explorer();
  const keys = [["1 … 9", "take that step"], ["↑ ↓", "look at the steps"], ["Backspace or ←", "back"], ["Home", "the initial state"]];
  document.body.append(make("footer", {}, ...keys.flatMap(([key, text]) => [make("kbd", {}, key), ` ${text}   `])));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input:not([type=checkbox])")) return;
    if (event.target.closest(".scroll") && !event.target.closest(".moves") && event.key.startsWith("Arrow")) return;
    const steps = explorer.views.get(explorer.at).steps;
    if (event.key >= "1" && event.key <= "9") { const step = steps[Number(event.key) - 1]; if (step && !step.failure) explorer.take(step); }
    else if (event.key === "Backspace" || event.key === "ArrowLeft") explorer.goBack();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") explorer.look(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Home") explorer.show(0);
    else return;
    event.preventDefault();
  });
  document.documentElement.dataset.ready = "yes";
}

main();
