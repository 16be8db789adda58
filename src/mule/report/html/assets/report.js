// The report of a check: what was found, and the runs that show it, step by step.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);
const SIGNS = { holds: "✓", violated: "✗", incomplete: "?", explored: "✓" };

function properties() {
  const list = make("ul", { class: "plain" });
  for (const each of DATA.judgements) {
    const known = [...each.notes, each.vacuous].filter(Boolean).join("; ");
    list.append(make("li", {}, make("span", { class: `badge ${each.verdict}` }, `${SIGNS[each.verdict]} ${each.verdict}`), " ",
      make("span", {}, each.property), known ? make("span", { class: "soft" }, `  (${known})`) : null));
  }
  return section("properties", "Properties", list);
}

function section(id, title, ...children) {
  return make("section", { "aria-labelledby": `${id}-title` }, make("h2", { id: `${id}-title` }, title), ...children);
}

const CHUNK = 200, MOST_PRINTED = 10;

function counted(number, noun) { return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`; }

function scrolled(name, table) {
  return make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": name }, table);
}

// One run with its stepper.
class Stepper {
  constructor(place, violation, standingOrder) {
    this.run = new Run(violation);
    this.violation = violation;
    this.at = 0;
    this.order = standingOrder;
    this.build(place);
    this.go(this.run.length);
  }
  build(place) {
    const { violation, run } = this;
    const button = (label, text, act) => make("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    this.slider = make("input", { type: "range", min: 0, max: run.length, value: 0, "aria-label": "Step", oninput: (event) => this.go(Number(event.target.value)) });
    this.told = make("output", { "aria-live": "polite" });
    const loop = violation.loop;
    const bar = make("div", { class: "bar", role: "toolbar", "aria-label": "Steps of the run" },
      button("First state (Home)", "|◀", () => this.go(0)), button("Step back (←)", "◀", () => this.go(this.at - 1)),
      button("Step forward (→)", "▶", () => this.go(this.at + 1)), button("Last state (End)", "▶|", () => this.go(run.length)),
      loop === null ? null : button("Where the loop begins (L)", "↻ loop", () => this.go(loop)), this.slider, this.told);
    this.listPane = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Steps" });
    this.buttons = new Map();
    this.chunks = [];
    const seen = new IntersectionObserver((entries) => entries.forEach((entry) => { if (entry.isIntersecting) this.fill(Number(entry.target.dataset.chunk)); }), { root: this.listPane, rootMargin: "600px" });
    for (let first = 0; first <= run.length; first += CHUNK) {
      const chunk = make("ol", { class: "steps", start: first, "data-chunk": this.chunks.length });
      chunk.style.minHeight = `${3.3 * Math.min(CHUNK, run.length + 1 - first)}rem`;
      this.chunks.push(chunk);
      this.listPane.append(chunk);
      seen.observe(chunk);
    }
    this.sourcePane = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Source" });
    this.state = new StateView(violation.names.length);
    const pane = (title, ...parts) => make("div", { class: "pane" }, make("h3", {}, title), ...parts);
    const panes = make("div", { class: "panes" }, pane(`${counted(run.length, "step")}${violation.shortest ? ", none shorter" : ""}`, this.listPane));
    if (DATA.files.length) panes.append(pane(`Source: ${DATA.files.map((file) => file.name).join(", ")}`, this.sourcePane));
    panes.append(this.state.element);
    const why = make("p", {}, make("strong", {}, "Why: "), violation.message);
    place.append(why, bar, panes);
    this.source = new SourceView(this.sourcePane, DATA.files, new Set((DATA.unreached || []).map((each) => each.line)));
    if (violation.chart.arrows.length) {
      const chart = make("div", { class: "chart", tabindex: 0, role: "region", "aria-label": "Messages" });
      place.append(make("h3", {}, "Messages"), chart);
      this.chart = new SequenceChart(chart, violation.chart);
    }
    if (violation.automaton) {
      this.automaton = new AutomatonView(violation.automaton);
      place.append(this.automaton.element);
    }
  }
  // On paper there is nothing to scroll.
  fillAll() {
    for (let number = 0; number < Math.min(this.chunks.length, MOST_PRINTED); number++) this.fill(number);
  }
  // Only those that can be seen are made: a run may have ten thousand steps.
  fill(number) {
    const chunk = this.chunks[number];
    if (chunk.childElementCount) return;
    const { loop } = this.violation, first = number * CHUNK, last = Math.min(this.run.length, first + CHUNK - 1);
    const items = [];
    for (let step = first; step <= last; step++) {
      if (loop !== null && step === loop + 1) items.push(make("li", { class: "mark" }, "↻ from here on again and again:"));
      const entry = this.stepButton(step);
      this.buttons.set(step, entry);
      if (step === this.at) entry.setAttribute("aria-current", "step");
      items.push(make("li", loop !== null && step > loop ? { class: "loop" } : {}, entry));
    }
    if (last === this.run.length && loop === this.run.length) items.push(make("li", { class: "mark" }, "Nothing moves any more."));
    chunk.style.minHeight = "";
    chunk.append(...items);
  }
  stepButton(number) {
    const button = make("button", { type: "button", onclick: () => this.go(number) });
    if (number === 0) {
      button.append(make("span", { class: "number" }, "0"), make("span", {}, "the initial state"));
      return button;
    }
    const step = this.violation.steps[number - 1];
    const who = step.p === null || step.p === undefined ? null : make("span", { class: "who" }, step.p);
    const moves = (step.m || []).map(([process, from, to]) => `${process === step.p ? "" : process + ": "}${from} → ${to}`).join(", ");
    const what = make("span", {}, who, moves ? ` ${moves}` : "", make("span", { class: "what code" }, step.t));
    if (step.o) what.append(make("span", { class: "what code soft" }, `prints ${step.o.trim()}`));
    if (step.f) what.append(make("span", { class: "what fails" }, `✗ ${step.f}`));
    button.append(make("span", { class: "number" }, String(number)), what);
    const index = this.order.indexOf(step.p);
    if (index >= 0) button.style.setProperty("--who", colour(index));
    return button;
  }
  go(position) {
    const at = Math.max(0, Math.min(this.run.length, position));
    const left = this.buttons.get(this.at);
    if (left) left.removeAttribute("aria-current");
    this.at = at;
    this.fill(Math.floor(at / CHUNK));
    this.buttons.get(at).setAttribute("aria-current", "step");
    reveal(this.listPane, this.buttons.get(at));
    this.slider.value = at;
    const step = at ? this.violation.steps[at - 1] : null;
    this.told.textContent = at ? `step ${at} of ${this.run.length}${step.p ? ": " + step.p : ""}` : `initial state, ${counted(this.run.length, "step")}`;
    const values = this.run.state(at), before = at ? this.run.state(at - 1) : null;
    this.state.show(this.violation.names, values, before, (number) => this.go(this.run.lastChange(number, this.at === this.run.lastChange(number, this.at) ? this.at - 1 : this.at)));
    this.source.show((step && step.l) || [], this.standing(values));
    if (this.chart) this.chart.show(at);
    if (this.automaton) this.automaton.show(at, this.violation.loop);
  }
  // Where each process goes on.
  standing(values) {
    const found = [];
    this.violation.names.forEach(([group, name], number) => {
      const line = group === "processes" && (this.violation.stands[name] || {})[values[number]];
      if (line) found.push([name, line, this.order.indexOf(name)]);
    });
    return found;
  }
}

// The automaton of the runs that must not be: where it is, and what it waits for.
class AutomatonView {
  constructor(data) {
    this.data = data;
    this.rows = data.edges.map(() => []);
    const body = make("tbody");
    data.edges.forEach((edges, state) => edges.forEach(([label, target, marks]) => {
      const row = make("tr", {}, make("td", {}, this.name(state)), make("td", { class: "code" }, label), make("td", {}, this.name(target)),
        make("td", {}, marks.length ? "accepting" : data.marks ? "" : "accepting"));
      this.rows[state].push(row);
      body.append(row);
    }));
    this.told = make("p", { "aria-live": "off" });
    const head = make("tr", {}, ...["state", "reads", "goes to", ""].map((each) => make("th", { scope: "col" }, each)));
    this.element = make("div", { class: "automaton" }, make("h3", {}, "The automaton of the runs that violate the property"), this.told,
      scrolled("Automaton", make("table", { class: "list" }, make("thead", {}, head), body)));
  }
  name(state) { return `q${state}${state === this.data.initial ? " (initial)" : ""}`; }
  show(position, loop) {
    const at = this.data.at, index = position < at.length ? position : loop === null ? at.length - 1 : Math.min(loop, at.length - 1);
    for (const rows of this.rows) for (const row of rows) row.classList.remove("on");
    const states = at[index];
    for (const state of states) for (const row of this.rows[state]) row.classList.add("on");
    const atoms = this.data.atoms.map(([text, values]) => `${values[index] ? "" : "not "}${text}`).join(", ");
    this.told.textContent = states.length ? `Here it is in ${states.map((each) => "q" + each).join(", then in ")} and reads: ${atoms || "anything"}.` : "Here it does not look: the step is not finished.";
  }
}

function searchSection() {
  const facts = make("dl", { class: "facts" });
  for (const [name, value] of DATA.facts) facts.append(make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  const head = make("tr", {}, ...["for", "how", "found", "time", "memory"].map((each) => make("th", { scope: "col" }, each)));
  const rows = DATA.searches.map((each) => make("tr", {}, make("td", {}, each.properties.join(", ") || "the state space"), make("td", {}, each.how),
    make("td", {}, `${each.states}, ${each.transitions}`), make("td", { class: "figure" }, each.seconds), make("td", { class: "figure" }, each.memory)));
  const parts = [facts, scrolled("Searches", make("table", { class: "list" }, make("thead", {}, head), make("tbody", {}, ...rows)))];
  const growth = DATA.growth.filter((search) => search.length > 1);
  if (growth.length) parts.push(make("h3", {}, "States over time"), growthChart(growth));
  if (DATA.sets && DATA.sets.sizes.length) parts.push(make("h3", {}, "What the reduction leaves out"), setsPart(DATA.sets));
  if (DATA.notes.length) parts.push(notesList());
  const options = Object.entries(DATA.options).filter(([, value]) => value !== null).map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : value}`);
  parts.push(make("details", {}, make("summary", {}, "All options"), make("p", { class: "code" }, options.join("  ·  "))));
  return section("search", "Search", ...parts);
}

function notesList() {
  return make("ul", {}, ...DATA.notes.map((each) => make("li", {}, each)));
}

// What a reduction leaves for later, in the first states of the model as it is written.
function setsPart({ algorithm, states, sizes }) {
  const total = sizes.reduce((sum, [enabled, count]) => sum + enabled * count, 0), taken = sizes.reduce((sum, [, , explored]) => sum + explored, 0);
  const told = `In the first ${states} states of the model as written, sets by ${algorithm} that keep all deadlocks have ${taken.toLocaleString("en")} of the ${total.toLocaleString("en")} steps that can be taken (${Math.round((100 * taken) / total)} %).`;
  const rows = sizes.map(([enabled, count, explored]) => make("tr", {}, make("td", {}, String(enabled)), make("td", {}, count.toLocaleString("en")), make("td", {}, (explored / count).toFixed(2))));
  const head = make("tr", {}, ...["steps that can be taken", "in states", "explored, on average"].map((each) => make("th", { scope: "col" }, each)));
  return make("details", {}, make("summary", {}, told), make("table", { class: "list" }, make("thead", {}, head), make("tbody", {}, ...rows)));
}

function unreachedSection() {
  const items = DATA.unreached.map((each) => make("li", {}, each.process ? `${each.process}: ` : "", each.line ? `line ${each.line}: ` : "", make("code", {}, each.text)));
  return section("unreached", `${items.length} statements that no run comes to`, make("ul", {}, ...items));
}

function main() {
  const ended = DATA.stopped && DATA.verdict === "violated" ? `, and then ${DATA.stopped}` : "";
  const found = DATA.stopped && !ended ? `: ${DATA.stopped}` : "";
  document.body.prepend(make("header", {}, make("h1", {}, make("span", { class: `badge ${DATA.verdict}` }, `${SIGNS[DATA.verdict]} ${DATA.verdict}${found}`), ` ${DATA.model}`),
    make("p", {}, `${DATA.language}, checked by Mule ${DATA.version}${ended}`), themeButton()));
  const page = document.querySelector("main");
  page.replaceChildren();
  if (DATA.judgements.length) page.append(properties());
  const steppers = [];
  let chosen = 0;
  if (DATA.violations.length) {
    const places = DATA.violations.map((violation, index) => make("div", { hidden: index > 0 }));
    const choose = (number) => {
      chosen = number;
      places.forEach((place, index) => { place.hidden = index !== number; });
      const violation = DATA.violations[number];
      const order = violation.names.filter(([group]) => group === "processes").map(([, name]) => name);
      steppers[number] = steppers[number] || new Stepper(places[number], violation, order.length ? order : violation.chart.lanes);
    };
    const choice = DATA.violations.length < 2 ? null : make("label", {}, "Violated: ", make("select", { onchange: (event) => choose(event.target.selectedIndex) },
      ...DATA.violations.map((each) => make("option", {}, `${each.kind}: ${each.property}`))));
    page.append(section("run", "How it goes wrong", choice, ...places));
    choose(0);
  }
  if (DATA.searched) page.append(searchSection());
  else if (DATA.notes.length) page.append(section("notes", "Notes", notesList()));
  if (DATA.unreached && DATA.unreached.length) page.append(unreachedSection());
  const keys = [["→ ←", "a step forward, back"], ["PgDn PgUp", "ten steps"], ["Home End", "the first, the last state"]];
  if (DATA.violations.some((each) => each.loop !== null)) keys.push(["L", "where the loop begins"]);
  if (steppers.length) document.body.append(make("footer", {}, ...keys.flatMap(([key, text]) => [make("kbd", {}, key), ` ${text}   `])));
  document.addEventListener("keydown", (event) => {
    const stepper = steppers[chosen];
    if (!stepper || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input:not([type=checkbox])")) return;
    const moves = { ArrowRight: stepper.at + 1, ArrowLeft: stepper.at - 1, PageDown: stepper.at + 10, PageUp: stepper.at - 10, Home: 0, End: stepper.run.length, l: stepper.violation.loop };
    const to = moves[event.key];
    if (to === undefined || to === null) return;
    event.preventDefault();
    stepper.go(to);
  });
  window.addEventListener("beforeprint", () => { if (steppers[chosen]) steppers[chosen].fillAll(); });
  document.documentElement.dataset.ready = "yes";
}

main();
