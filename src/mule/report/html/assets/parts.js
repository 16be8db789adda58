// The parts of which pages are made: elements, values, states, source texts.
"use strict";

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const COLOURS = 8;
function colour(index) {
  return `var(--p${((index % COLOURS) + COLOURS) % COLOURS})`;
}

// A value as the author of the model would write it.
function written(value) {
  if (Array.isArray(value)) return `[${folded(value.map(message)).join(", ")}]`;
  return scalar(value);
}
// A long list says only once what stands in it many times in a row, as on a terminal.
const LONG_LIST = 16, LONG_ROW = 4;
function folded(texts, room = LONG_LIST) {
  if (texts.length <= room) return texts;
  const found = [];
  for (let at = 0, end; at < texts.length; at = end) {
    for (end = at; end < texts.length && texts[end] === texts[at]; end++);
    if (end - at < LONG_ROW) found.push(...texts.slice(at, end));
    else found.push(`${texts[at]} ×${end - at}`);
  }
  return found;
}
function message(value) {
  return Array.isArray(value) ? `(${value.map(scalar).join(", ")})` : scalar(value);
}
function scalar(value) {
  if (value === true) return "True";
  if (value === false) return "False";
  return value === null ? "None" : String(value);
}
function same(a, b) {
  return a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));
}

// The states of a run: the first one is given, the others are made by applying what each step changes.
class Run {
  constructor(data) {
    this.data = data;
    this.length = data.steps.length;
    this.kept = [data.first.map((each) => each[0])];
  }
  static get EVERY() { return 100; }
  state(position) {
    const base = Math.floor(position / Run.EVERY);
    while (this.kept.length <= base) {
      const from = (this.kept.length - 1) * Run.EVERY;
      this.kept.push(this.applied(this.kept[this.kept.length - 1], from, from + Run.EVERY));
    }
    return this.applied(this.kept[base], base * Run.EVERY, position);
  }
  applied(values, from, to) {
    const state = values.slice();
    for (let index = from; index < to; index++) {
      for (const change of this.data.steps[index].c) {
        if (change.length === 1) state[change[0]] = undefined;
        else if (change.length === 2) state[change[0]] = change[1];
        else {
          const list = state[change[0]].slice();
          for (const [at, value] of change[2]) list[at] = value;
          state[change[0]] = list;
        }
      }
    }
    return state;
  }
  // The nearest step before or at `position` that changes a name; 0 if there is none.
  lastChange(name, position) {
    for (let step = position; step > 0; step--) {
      if (this.data.steps[step - 1].c.some((change) => change[0] === name)) return step;
    }
    return 0;
  }
}

const GROUPS = { processes: "Processes", variables: "Variables", channels: "Channels" };

function valueCell(value, old, changed) {
  if (!changed) return make("td", { class: "code" }, value === undefined ? "" : written(value));
  const cell = make("td", { class: "code" });
  if (Array.isArray(value) && Array.isArray(old) && value.length === old.length && value.length > 1) {
    cell.append("[");
    for (let at = 0, end; at < value.length; at = end) {
      if (at) cell.append(", ");
      for (end = at; end < value.length && same(value[end], old[end]); end++);
      if (end > at) cell.append((value.length > LONG_LIST ? folded(value.slice(at, end).map(message), 0) : value.slice(at, end).map(message)).join(", "));
      else cell.append(make("mark", { title: `[${at}] was ${message(old[at])}` }, message(value[end++])));
    }
    cell.append("]");
    return cell;
  }
  if (old !== undefined) cell.append(make("span", { class: "old" }, written(old)), make("span", { class: "visually-hidden" }, " becomes "));
  cell.append(make("span", { class: "new" }, value === undefined ? "(gone)" : written(value)));
  return cell;
}

// A table of a state, and, where it is long, what is to be seen of it.
const LONG_STATE = 12;
class StateView {
  constructor(count) {
    this.table = make("table", { class: "state" });
    this.pane = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "State" }, this.table);
    this.filter = make("input", { type: "search", placeholder: "names with …", "aria-label": "Show only names with this in them", oninput: () => this.draw() });
    this.only = make("input", { type: "checkbox", onchange: () => this.draw() });
    this.choices = make("div", { class: "choices" }, this.filter, make("label", {}, this.only, " what changes here"));
    this.choices.hidden = count <= LONG_STATE;
    this.element = make("div", { class: "pane" }, make("h3", {}, "State"), this.choices, this.pane);
  }
  // names: [group, name] by number; asked: what happens when a name is pressed.
  show(names, values, before, asked) {
    this.choices.hidden = this.choices.hidden && names.length <= LONG_STATE;
    this.shown = [names, values, before, asked];
    this.draw();
  }
  draw() {
    stateTable(this.table, ...this.shown, this.filter.value.toLowerCase(), this.only.checked);
    const first = this.table.querySelector(".changed");
    if (first) reveal(this.pane, first);
  }
}

function stateTable(table, names, values, before, asked, wanted, only) {
  const body = make("tbody");
  let group = null;
  names.forEach(([kind, name], number) => {
    if (values[number] === undefined && (before === null || before[number] === undefined)) return;
    if (!name.toLowerCase().includes(wanted) || (only && (before === null || same(values[number], before[number])))) return;
    if (kind !== group) {
      group = kind;
      body.append(make("tr", { class: "group" }, make("th", { colspan: 2, scope: "colgroup" }, GROUPS[kind])));
    }
    const changed = before !== null && !same(values[number], before[number]);
    const label = asked ? make("button", { type: "button", title: "go to the step that set it", onclick: () => asked(number) }, name) : name;
    body.append(make("tr", changed ? { class: "changed" } : {}, make("th", { scope: "row", class: "code" }, label),
      valueCell(values[number], before === null ? undefined : before[number], changed)));
  });
  table.replaceChildren(body);
}

const MOST_CHIPS = 4;
// Names of processes often differ in their last letters alone.
function short(name) { return name.length > 15 ? `${name.slice(0, 8)}…${name.slice(-6)}` : name; }
// A text with numbered lines, of which some are lit, and the processes that stand at some.
class SourceView {
  constructor(place, files, never) {
    this.place = place;
    this.rows = files.map((file, number) => {
      const rows = file.text.replace(/\n$/, "").split("\n").map((line, index) => {
        const row = make("div", { class: "row" }, make("span", { class: "ln" }, String(index + 1)), make("span", { class: "tx" }, line || " "), make("span", { class: "here" }));
        if (number === 0 && never.has(index + 1)) row.classList.add("never");
        return row;
      });
      const title = files.length > 1 ? make("h3", {}, file.name) : null;
      place.append(make("div", { class: "source code" }, title, ...rows));
      return rows;
    });
    this.lit = [];
    this.marked = [];
  }
  show(lines, standing) {
    for (const row of this.lit) row.classList.remove("now");
    for (const row of this.marked) row.lastChild.replaceChildren();
    this.lit = lines.map(([file, line]) => (this.rows[file] || [])[line - 1]).filter(Boolean);
    this.lit.forEach((row) => row.classList.add("now"));
    this.marked = [];
    const here = new Map();
    for (const [name, [file, line], number] of standing) {
      const row = (this.rows[file] || [])[line - 1];
      if (row) here.set(row, [...(here.get(row) || []), [name, number]]);
    }
    for (const [row, all] of here) {
      const shown = all.length > MOST_CHIPS ? all.slice(0, MOST_CHIPS - 1) : all;
      for (const [name, number] of shown) {
        const chip = make("span", { class: "chip", title: `${name} goes on here` }, short(name));
        chip.style.color = colour(number);
        row.lastChild.append(chip);
      }
      const more = all.slice(shown.length).map(([name]) => name);
      if (more.length) row.lastChild.append(make("span", { class: "chip soft", title: `${more.join(", ")} go on here` }, `+${more.length}`));
      this.marked.push(row);
    }
    if (this.lit.length) reveal(this.place, this.lit[0]);
  }
}

// Scroll a pane, and nothing but the pane, so that a part of it can be seen.
function reveal(pane, part) {
  const room = pane.getBoundingClientRect(), box = part.getBoundingClientRect();
  if (!box.height) return;
  if (box.top < room.top + 8) pane.scrollTop += box.top - room.top - room.height / 3;
  else if (box.bottom > room.bottom - 8) pane.scrollTop += box.bottom - room.bottom + room.height / 3;
}

function themeButton() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const now = () => document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
  const button = make("button", { type: "button", class: "push", onclick: () => {
    document.documentElement.dataset.theme = now() === "dark" ? "light" : "dark";
    button.textContent = now() === "dark" ? "Light" : "Dark";
  } }, now() === "dark" ? "Light" : "Dark");
  button.setAttribute("aria-label", "Change between a dark and a light page");
  return button;
}
