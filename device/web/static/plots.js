// Simple plots as SVG: lines of totals, bars of faces, bars with an error.
import { draw, make } from "./page.js";
import { points } from "./words.js";

export const COLOURS = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#3d9be0", "#ee7733", "#cc79a7", "#dcdcdc"];
const DASHES = ["", "8 4", "2 4", "10 3 2 3", "14 5", "4 4", "1 3", "12 2"];

export function legend(names) {
  return make("ul", { class: "legend" }, names.map((name, index) => {
    const item = make("li", {}, make("span", { class: "swatch" }), name);
    item.firstChild.style.background = COLOURS[index % COLOURS.length];
    return item;
  }));
}

// Lines of {name: [values]}: one value a turn, from 0.
export function lines(series, title) {
  const names = Object.keys(series);
  const most = Math.max(1, ...names.map((name) => series[name].length - 1));
  const values = names.flatMap((name) => series[name]);
  const low = Math.min(0, ...values);
  const high = Math.max(100, ...values);
  const x = (index) => 58 + (index / most) * 330;
  const y = (value) => 250 - ((value - low) / (high - low)) * 225;
  const grid = steps(low, high).map((value) => [
    draw("line", { x1: 58, x2: 388, y1: y(value), y2: y(value), class: value === 0 ? "axis" : "grid" }),
    draw("text", { x: 52, y: y(value) + 4, "text-anchor": "end" }, points(value))]).flat();
  const paths = names.map((name, index) => draw("polyline", {
    class: "series", stroke: COLOURS[index % COLOURS.length], "stroke-dasharray": DASHES[index % DASHES.length],
    points: series[name].map((value, turn) => `${x(turn)},${y(value)}`).join(" ") }));
  const ticks = [0, most].map((turn) => draw("text", { x: x(turn), y: 272, "text-anchor": "middle" }, String(turn)));
  return draw("svg", { viewBox: "0 0 400 280", class: "plot", role: "img", "aria-label": `${title}: ${names.map((name) => `${name} ${series[name].at(-1)}`).join(", ")}` }, ...grid, ...paths, ...ticks);
}

function steps(low, high) {
  const size = 10 ** Math.floor(Math.log10((high - low) / 2));
  const step = [1, 2, 5, 10].map((each) => each * size).find((each) => (high - low) / each <= 6);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value);
  return found;
}

// Bars of [{label, value, error}]; the error is a whisker.
export function bars(items, title) {
  const high = Math.max(1, ...items.map((each) => each.value + (each.error || 0)));
  const width = 350 / items.length;
  const y = (value) => 230 - (Math.max(0, value) / high) * 200;
  const parts = items.flatMap((each, index) => {
    const left = 25 + index * width;
    const middle = left + width / 2;
    return [
      draw("rect", { x: left + width * 0.15, y: y(each.value), width: width * 0.7, height: 230 - y(each.value), fill: each.colour || COLOURS[index % COLOURS.length] }),
      each.error ? draw("line", { x1: middle, x2: middle, y1: y(each.value + each.error), y2: y(each.value - each.error), stroke: "#f6f4ec", "stroke-width": 2 }) : null,
      draw("text", { x: middle, y: Math.max(14, y(each.value + (each.error || 0)) - 6), "text-anchor": "middle" }, each.text ?? String(each.value)),
      draw("text", { x: middle, y: 252, "text-anchor": "middle" }, each.label)];
  });
  return draw("svg", { viewBox: "0 0 400 265", class: "plot", role: "img", "aria-label": `${title}: ${items.map((each) => `${each.label} ${each.text ?? each.value}`).join(", ")}` },
    draw("line", { x1: 25, x2: 375, y1: 230, y2: 230, class: "axis" }), ...parts);
}
