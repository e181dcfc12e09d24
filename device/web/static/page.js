// What every page has: elements, the connection to the table, requests, the bar at the top.
import { currentLanguage, switchLanguage, t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

// An element: make("button", { class: "big", onclick: f }, "text", child, ...).
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function put(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const PIPS = {
  1: [[50, 50]], 2: [[28, 28], [72, 72]], 3: [[26, 26], [50, 50], [74, 74]],
  4: [[28, 28], [72, 28], [28, 72], [72, 72]], 5: [[27, 27], [73, 27], [50, 50], [27, 73], [73, 73]],
  6: [[28, 25], [72, 25], [28, 50], [72, 50], [28, 75], [72, 75]],
};

// A die as a drawing. `face` null: a question mark. Not announced: its button or list says what it is.
export function dieArt(face, { kept = false, cocked = false, asked = false } = {}) {
  const classes = ["die", kept && "kept", (asked || !face) && "asked"].filter(Boolean).join(" ");
  const pips = face
    ? PIPS[face].map(([x, y]) => draw("circle", { cx: x, cy: y, r: 9.5, class: "pip" }))
    : [draw("text", { x: 50, y: 70, class: "unknown", "text-anchor": "middle" }, "?")];
  const body = draw("g", cocked ? { transform: "rotate(14 50 50)" } : {},
    draw("rect", { x: 6, y: 6, width: 88, height: 88, rx: 18, class: "die-body" }), ...pips);
  const bar = kept ? [draw("rect", { x: 10, y: 102, width: 80, height: 10, rx: 5, class: "kept-bar" })] : [];
  return draw("svg", { viewBox: "0 0 100 116", class: classes, "aria-hidden": "true", focusable: "false" }, body, ...bar);
}

export function faceWords(die, place) {
  const face = die.cocked ? t("leaning") : die.face ?? t("unread");
  return t("die", { n: place, face }) + (die.kept ? `, ${t("kept")}` : "") + (die.asked ? `, ${t("asked")}` : "");
}

// ---- requests

export class Refusal extends Error {
  constructor(status, data) {
    super(data.error || `${status}`);
    this.status = status;
    this.happened = data.happened || [];
  }
}

export async function ask(path, body, method) {
  const options = { method: method || (body === undefined ? "GET" : "POST"), credentials: "same-origin" };
  if (body !== undefined) {
    options.headers = { "content-type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refusal(0, { error: t("lost") });
  }
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, data);
  return data;
}

// ---- the live state

const WAITS_MS = [200, 400, 800, 1500, 2000];
const SILENCE_MS = 35000;

// Calls `told(state)` at every change of the table, and connects again by itself for ever.
export function live(told) {
  let socket = null;
  let tries = 0;
  let timer = 0;
  let watchdog = 0;
  const connection = document.getElementById("connection");

  function later() {
    clearTimeout(timer);
    timer = setTimeout(connect, WAITS_MS[Math.min(tries, WAITS_MS.length - 1)]);
    tries += 1;
    if (tries > 1) {
      connection.textContent = t("lost");
      connection.hidden = false;
      document.body.classList.add("lost");
    }
  }

  function heard() {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => socket && socket.close(), SILENCE_MS);
  }

  function connect() {
    clearTimeout(timer);
    if (socket && socket.readyState < 2) return;
    const mine = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/live`);
    socket = mine;
    mine.onmessage = (event) => {
      heard();
      tries = 0;
      connection.hidden = true;
      document.body.classList.remove("lost");
      const state = JSON.parse(event.data);
      if (!state.beat) told(state);
    };
    mine.onclose = () => { if (mine === socket) later(); };
  }

  document.addEventListener("visibilitychange", () => { if (!document.hidden) connect(); });
  window.addEventListener("online", connect);
  connect();
}

// ---- the bar at the top, and short messages

const PAGES = [["board", "/"], ["table", "/table"], ["games", "/games"], ["setup", "/setup"], ["phone", "/pair"]];

export function bar(current) {
  document.title = `${t(current)} · Croupier`;
  const nav = document.getElementById("nav");
  put(nav, PAGES.map(([key, path]) =>
    make("a", { href: path, "aria-current": key === current ? "page" : null }, t(key))),
  make("button", { type: "button", class: "language", lang: currentLanguage() === "sv" ? "en" : "sv", "aria-label": t("language"), onclick: switchLanguage }, currentLanguage() === "sv" ? "EN" : "SV"));
}

let toastTimer = 0;
export function say(text, bad = false) {
  const toast = document.getElementById("toast");
  toast.textContent = text;
  toast.classList.toggle("bad", bad);
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.hidden = true; }, bad ? 8000 : 3500);
}

// Do something that may be refused; the reason is shown.
export async function trying(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(error.message[0].toUpperCase() + error.message.slice(1), true);
    return null;
  }
}

// A dialog with a title; `build(close)` returns its contents. Escape closes it.
export function dialog(title, build) {
  const box = make("dialog", { "aria-labelledby": "dialog-title" });
  const close = () => { box.close(); };
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => { if (event.target === box) close(); });
  put(box, make("div", { class: "dialog" }, make("h2", { id: "dialog-title" }, title), ...build(close),
    make("button", { type: "button", class: "quiet", onclick: close }, t("cancel"))));
  document.body.append(box);
  box.showModal();
  return box;
}

export async function me() {
  return (await trying(() => ask("/api/me"))) || { paired: false, may_correct: false, locked: false };
}
