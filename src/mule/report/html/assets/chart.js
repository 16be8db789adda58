// Message sequence charts: a lane for each process, a row for each event, time runs downwards.
"use strict";

const ROW = 26, LANE = 190, EDGE = 64, TOP = 34, GAP = 6, AROUND = 150;

class SequenceChart {
  constructor(place, data) {
    this.place = place;
    this.data = data;
    this.from = -1;
    this.firstRow = new Map();
    data.rows.forEach(([step], row) => { if (!this.firstRow.has(step)) this.firstRow.set(step, row); });
  }
  rowOf(step) {
    while (step > 0 && !this.firstRow.has(step)) step--;
    return step > 0 ? this.firstRow.get(step) : 0;
  }
  // A long chart is drawn in parts: the part around the step.
  show(step) {
    const row = this.rowOf(step), total = this.data.rows.length;
    const from = total <= 2 * AROUND ? 0 : Math.max(0, Math.floor(row / AROUND) * AROUND - AROUND / 2);
    const to = Math.min(total, from + 2 * AROUND);
    if (from !== this.from) this.drawPart(from, to);
    this.from = from;
    const lit = this.data.rows.map((each, index) => index).slice(from, to).filter((index) => this.data.rows[index][0] === step);
    this.band.setAttribute("visibility", lit.length ? "visible" : "hidden");
    if (!lit.length) return;
    this.band.setAttribute("y", GAP + (lit[0] - from) * ROW);
    this.band.setAttribute("height", lit.length * ROW);
    reveal(this.place, this.band);
    this.revealLane(this.data.rows[lit[0]][1]);
  }
  revealLane(lane) {
    const middle = this.x(lane), { scrollLeft, clientWidth } = this.place;
    if (middle < scrollLeft + LANE / 2 || middle > scrollLeft + clientWidth - LANE) this.place.scrollLeft = middle - clientWidth / 2;
  }
  x(lane) { return EDGE + LANE / 2 + lane * LANE; }
  y(row) { return GAP + (row - this.from0) * ROW + ROW / 2; }
  drawPart(from, to) {
    this.from0 = from;
    const { lanes, rows, arrows } = this.data;
    const width = Math.max(EDGE + lanes.length * LANE, this.place.clientWidth - 2), height = GAP + (to - from) * ROW + 12;
    const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Messages between ${lanes.join(", ")}` });
    this.band = svg.appendChild(draw("rect", { class: "now", x: 0, width, y: 0, height: ROW, visibility: "hidden" }));
    // The names stay where they can be seen.
    const head = draw("svg", { class: "lanes", width, height: TOP - 8, viewBox: `0 0 ${width} ${TOP - 8}`, "aria-hidden": "true" });
    lanes.forEach((name, lane) => {
      svg.append(draw("line", { class: "lane", x1: this.x(lane), x2: this.x(lane), y1: 0, y2: height }));
      const title = draw("text", { x: this.x(lane), y: 18, "text-anchor": "middle", "font-weight": 650 }, cut(name, 26), draw("title", {}, name));
      title.style.fill = colour(lane);
      head.append(title);
    });
    const told = new Set();
    for (const arrow of arrows) if (this.drawArrow(svg, arrow, from, to)) { told.add(arrow[3]); told.add(arrow[4]); }
    for (let row = from; row < to; row++) {
      const [step, lane, text, sign] = rows[row];
      if (row === from || rows[row - 1][0] !== step) svg.append(draw("text", { class: "soft", x: EDGE - 14, y: this.y(row) + 4, "text-anchor": "end" }, String(step)));
      if (told.has(row)) continue;
      const dot = draw("circle", { cx: this.x(lane), cy: this.y(row), r: 3 });
      dot.style.fill = colour(lane);
      svg.append(dot, draw("text", { x: this.x(lane) + 9, y: this.y(row) + 4, class: sign ? "wrong" : "" }, `${sign ? "✗ " : ""}${cut(text, 42)}`));
    }
    this.place.replaceChildren(head, svg);
  }
  // A message that waits is sent in one row and received in a later one.
  drawArrow(svg, [text, source, target, sent, received, lost], from, to) {
    const end = received === null ? to : received;
    if (sent >= to || end < from || (sent < from && received === null)) return false;
    const x1 = this.x(source), y1 = this.y(sent);
    if (target === null || target === source) {
      if (sent < from) return false;
      svg.append(draw("text", { x: x1 + 9, y: y1 + 4 }, `${cut(text, 40)}${received === null ? " …" : ""}`));
      const dot = draw("circle", { cx: x1, cy: y1, r: 3 });
      dot.style.fill = colour(source);
      svg.append(dot);
      return received === null || target === null;
    }
    const x2 = this.x(target), side = x2 > x1 ? 1 : -1;
    const y2 = received === null ? Math.min(y1 + ROW * 0.8, this.y(to - 1) + ROW / 2) : this.y(received);
    const stop = received === null ? x1 + (x2 - x1) * 0.6 : x2 - side * 2;
    svg.append(draw("line", { class: lost ? "arrow lost" : received === null ? "arrow waiting" : "arrow", x1, y1, x2: stop, y2 }));
    if (received !== null && !lost) {
      const angle = Math.atan2(y2 - y1, stop - x1), a = angle + 2.7, b = angle - 2.7;
      svg.append(draw("path", { class: "head", d: `M${stop} ${y2} L${stop + 9 * Math.cos(a)} ${y2 + 9 * Math.sin(a)} L${stop + 9 * Math.cos(b)} ${y2 + 9 * Math.sin(b)} Z` }));
    } else svg.append(draw("text", { class: lost ? "wrong" : "soft", x: stop - 4, y: y2 + 4 }, lost ? "✗" : "…"));
    if (sent >= from) svg.append(draw("text", { x: x1 + side * 9, y: y1 - 4, "text-anchor": side > 0 ? "start" : "end" }, cut(text, 28)));
    return true;
  }
}

function cut(text, room) {
  return text.length > room ? text.slice(0, room - 1) + "…" : text;
}

// States over time, a line for each search.
function growthChart(searches) {
  const width = 640, height = 220, left = 88, bottom = 28, top = 12;
  const points = searches.flat(), last = Math.max(...points.map((each) => each[0])), most = Math.max(...points.map((each) => each[1]));
  const x = (seconds) => left + (seconds / last) * (width - left - 12), y = (states) => top + (1 - states / most) * (height - top - bottom);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `States over time: ${most.toLocaleString("en")} after ${last} seconds` });
  for (const part of [0, 0.5, 1]) {
    svg.append(draw("line", { class: "axis", x1: left, x2: width - 12, y1: y(most * part), y2: y(most * part) }),
      draw("text", { class: "soft", x: left - 8, y: y(most * part) + 4, "text-anchor": "end" }, Math.round(most * part).toLocaleString("en")),
      draw("text", { class: "soft", x: x(last * part), y: height - 8, "text-anchor": part === 1 ? "end" : "middle" }, `${(last * part).toFixed(1)} s`));
  }
  searches.forEach((search, number) => {
    const line = draw("polyline", { class: "curve", points: [[0, 0], ...search].map(([s, n]) => `${x(s)},${y(n)}`).join(" ") });
    line.style.stroke = colour(number);
    svg.append(line);
  });
  return svg;
}
