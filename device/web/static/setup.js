// From nothing to a game: the camera's view of the table, players, rules.
import { ask, bar, dieArt, draw, live, make, me, put, Refusal, say, trying } from "./page.js";
import { currentLanguage, points, t } from "./words.js";

bar("setup");
const main = document.getElementById("main");
let state = null;
let phone = null;
const saved = remembered();
let corners = null; // four corners as fractions, while they are dragged
let found = null; // what the table has told about the calibration
let zonesFree = false; // whether the zones are being dragged
let running = true; // whether the picture is live

start();

async function start() {
  phone = await me();
  if (!phone.paired) {
    put(main, make("p", { class: "card" }, t("not_paired"), " ", make("a", { href: "/pair?back=/setup" }, t("pair"))), await rulesPart(true));
    return;
  }
  const camera = make("section", { class: "card", id: "camera" });
  const current = make("div", { id: "current" });
  put(main, make("h1", {}, t("setup")), current, camera, playersPart(), await rulesPart(false), beginPart());
  live((news) => {
    const first = !state;
    const changed = first || state.profile !== news.profile || state.kind !== news.kind || state.fault !== news.fault;
    state = news;
    if (changed) put(current, currentPart());
    if (first) showCamera(camera);
  });
}

function remembered() {
  try { return JSON.parse(localStorage.getItem("setup") || "{}"); } catch { return {}; }
}

function remember() {
  try { localStorage.setItem("setup", JSON.stringify(saved)); } catch { /* typed again next time */ }
}

function currentPart() {
  const playing = state.kind === "farkle" && state.view;
  return [
    state.fault ? make("p", { class: "card", role: "alert" }, state.fault) : null,
    playing ? make("section", { class: "card" },
      make("p", {}, state.view.players.map((each) => `${each.name} ${points(each.total)}`).join(" · ")),
      make("button", { type: "button", onclick: async () => { if (await trying(() => ask("/api/setup/leave", {}))) say(t("left")); } }, t("leave"))) : null];
}

// ---- 1: camera and table

function showCamera(place) {
  if (state.how !== "camera") {
    put(place, make("h2", {}, t("step_camera")), make("p", {}, t("no_camera")));
    return;
  }
  const image = make("img", { alt: t("live_picture") });
  const shot = make("div", { class: "shot" }, image);
  const empty = make("p", { class: "quiet-text" }, t("no_view"));
  const told = make("div", { "aria-live": "polite" });
  const size = make("input", { id: "die-mm", type: "number", min: 4, max: 60, step: 0.5, value: saved.die_mm || 16 });
  const width = make("input", { id: "width-mm", type: "number", min: 80, max: 4000, step: 1, value: saved.width_mm || "" });
  const lanes = make("input", { id: "lanes", type: "checkbox", checked: Boolean(saved.lanes) });
  const tray = make("input", { id: "tray", type: "checkbox", checked: saved.tray !== false });
  const over = draw("svg", { class: "over", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  shot.append(over);
  shot.hidden = true;

  const show = () => {
    shot.querySelectorAll(".handle").forEach((each) => each.remove());
    over.replaceChildren();
    if (corners) {
      polygon(corners, "corners");
      corners.forEach((corner, index) => handle(corner, (x, y) => t("corner_n", { n: index + 1, x: Math.round(x * 100), y: Math.round(y * 100) })));
    } else if (found) {
      found.zones.forEach((zone) => {
        polygon(zone.corners, zone.kind);
        if (zonesFree) zone.corners.forEach((corner, index) => handle(corner, () => t("zone_corner", { zone: `${t(`zone_${zone.kind}`)} ${zone.lane || ""}`, n: index + 1 })));
      });
      found.dice.forEach((die) => over.append(draw("rect", { x: die.box[0], y: die.box[1], width: die.box[2], height: die.box[3] })));
    }
  };
  const polygon = (list, kind) => over.append(draw("polygon", { class: kind, points: list.map((point) => point.join(",")).join(" ") }));
  const redraw = () => {
    const lists = corners ? [corners] : found.zones.map((zone) => zone.corners);
    over.querySelectorAll("polygon").forEach((each, index) => each.setAttribute("points", lists[index].map((point) => point.join(",")).join(" ")));
  };
  // A corner that can be dragged, or moved with the arrow keys; `corner` is changed in place.
  const handle = (corner, words) => {
    const knob = make("button", { type: "button", class: "handle" });
    const put_ = (x, y) => {
      corner[0] = Math.min(1, Math.max(0, x));
      corner[1] = Math.min(1, Math.max(0, y));
      knob.style.left = `${corner[0] * 100}%`;
      knob.style.top = `${corner[1] * 100}%`;
      knob.setAttribute("aria-label", words(corner[0], corner[1]));
      if (over.querySelector("polygon")) redraw();
    };
    knob.addEventListener("pointerdown", (event) => { knob.setPointerCapture(event.pointerId); event.preventDefault(); knob.focus(); });
    knob.addEventListener("pointermove", (event) => {
      if (!knob.hasPointerCapture(event.pointerId)) return;
      const box = shot.getBoundingClientRect();
      put_((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    });
    knob.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 0.02 : 0.004;
      const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
      if (!move) return;
      event.preventDefault();
      put_(corner[0] + move[0], corner[1] + move[1]);
    });
    shot.append(knob);
    put_(corner[0], corner[1]);
  };

  // Ask for a calibration; what stands in its way stays on the page until it is tried again.
  const asking = async (path, body) => {
    const busy = make("p", { class: "quiet-text" }, "…");
    told.append(busy);
    told.inert = true; // a second tap would be overtaken by the first answer
    try {
      take(await ask(path, body));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      told.querySelector(".trouble")?.remove();
      told.prepend(make("p", { class: "card trouble", role: "alert" }, error.message[0].toUpperCase() + error.message.slice(1)));
    } finally {
      busy.remove();
      told.inert = false;
    }
  };
  const take = (answer) => {
    found = answer;
    corners = null;
    zonesFree = false;
    show();
    put(told, meters(found), zoneButtons(), proofPart());
  };
  const common = () => {
    Object.assign(saved, { die_mm: Number(size.value), width_mm: width.value, lanes: lanes.checked, tray: tray.checked });
    remember();
    return { die_mm: Number(size.value), lanes: lanes.checked, tray: tray.checked, players: lanes.checked ? names() : [] };
  };
  const findMat = () => asking("/api/setup/find", common());
  const useCorners = () => {
    corners = [[0.12, 0.12], [0.88, 0.12], [0.88, 0.88], [0.12, 0.88]];
    show();
    put(told, make("button", { type: "button", class: "main", onclick: findCorners }, t("find_corners")));
  };
  const findCorners = async () => {
    const body = { ...common(), corners };
    if (width.value) body.width_mm = Number(width.value);
    await asking("/api/setup/find", body);
  };
  const zoneButtons = () => make("div", { class: "row" },
    zonesFree
      ? make("button", { type: "button", class: "main", onclick: () => asking("/api/setup/zones", { zones: found.zones.map((zone) => zone.corners) }) }, t("take_zones"))
      : make("button", { type: "button", onclick: () => { zonesFree = true; show(); put(told, meters(found), zoneButtons(), proofPart()); } }, t("drag_zones")));
  const proofPart = () => {
    const name = make("input", { id: "table-name", maxlength: 40, value: saved.table || "table" });
    const save = async () => {
      saved.table = name.value;
      remember();
      if (await trying(() => ask("/api/setup/save", { name: name.value }))) say(t("saved"));
    };
    return make("div", { id: "proof" },
      make("button", { type: "button", class: "main", onclick: () => asking("/api/setup/proof", {}) }, t("proof")),
      make("div", { class: "dice-line" }, make("p", {}, found.dice.length ? t("i_see", { dice: found.dice.map((die) => die.value ?? "?").join(" ") }) : t("no_dice")),
        make("ul", { class: "dice" }, found.dice.map((die) => make("li", {}, dieArt(die.value, die))))),
      make("label", { for: "table-name" }, t("table_name")), name,
      make("p", { class: "row" }, make("button", { type: "button", onclick: save }, t("save_table"))));
  };

  put(place, make("h2", {}, t("step_camera")), make("p", {}, state.profile ? t("calibrated", { name: state.profile }) : t("not_calibrated")),
    state.kind === "farkle" ? make("p", { class: "quiet-text" }, t("in_play")) : null, empty, shot,
    make("label", { for: "die-mm" }, t("die_mm")), size,
    make("label", { class: "check" }, lanes, t("with_lanes")), make("label", { class: "check" }, tray, t("with_tray")),
    make("label", { for: "width-mm" }, t("width_mm")), width,
    make("div", { class: "row" }, make("button", { type: "button", class: "main", onclick: findMat }, t("find_mat")),
      make("button", { type: "button", onclick: useCorners }, t("use_corners")),
      make("button", { type: "button", onclick: (event) => { running = !running; event.target.textContent = t(running ? "freeze" : "unfreeze"); if (running) refresh(); } }, t("freeze"))), told);

  const refresh = () => { if (running && !document.hidden) image.src = `/api/setup/picture?t=${Date.now()}`; };
  image.addEventListener("load", () => { shot.hidden = false; empty.hidden = true; setTimeout(refresh, 350); });
  image.addEventListener("error", () => { shot.hidden = true; empty.hidden = false; setTimeout(refresh, 1500); });
  document.addEventListener("visibilitychange", refresh);
  refresh();
}

function meters(answer) {
  const items = answer.findings.map((each) => make("li", {},
    make("span", { class: each.ok ? "ok" : "not-ok", "aria-hidden": "true" }, each.ok ? "✓" : "✗"),
    make("span", {}, t(`m_${each.what}`)), make("span", { class: each.ok ? "ok" : "not-ok" }, each.text, make("span", { class: "visually-hidden" }, ` ${t(each.ok ? "good" : "bad")}`)),
    each.advice ? make("small", {}, each.advice) : null));
  return make("section", {}, make("h3", {}, t("meters")), make("ul", { class: "meters" }, items), answer.notes.map((note) => make("p", { class: "quiet-text" }, note)));
}

// ---- 2: players

let people = Array.isArray(saved.players) && saved.players.length ? saved.players : ["", ""];

function names() { return people.map((name) => name.trim()).filter(Boolean); }

function playersPart() {
  const box = make("section", { class: "card", id: "players" });
  const show = () => {
    const lines = people.map((name, index) => {
      const field = make("input", { value: name, maxlength: 40, "aria-label": t("player_n", { n: index + 1 }), placeholder: t("player_n", { n: index + 1 }), autocomplete: "off" });
      field.addEventListener("input", () => { people[index] = field.value; });
      const called = name || t("player_n", { n: index + 1 });
      const swap = (other) => { [people[index], people[other]] = [people[other], people[index]]; show(); };
      return make("div", { class: "player-line" }, field,
        make("button", { type: "button", disabled: index === 0, "aria-label": t("up", { name: called }), onclick: () => swap(index - 1) }, "↑"),
        make("button", { type: "button", disabled: index === people.length - 1, "aria-label": t("down", { name: called }), onclick: () => swap(index + 1) }, "↓"),
        make("button", { type: "button", disabled: people.length <= 1, "aria-label": t("remove", { name: called }), onclick: () => { people.splice(index, 1); show(); } }, "✕"));
    });
    put(box, make("h2", {}, t("step_players")), lines,
      make("p", { class: "row" }, make("button", { type: "button", disabled: people.length >= 12, onclick: () => { people.push(""); show(); box.querySelectorAll("input")[people.length - 1].focus(); } }, t("add_player"))));
  };
  show();
  return box;
}

// ---- 3: rules

let chosen = { preset: saved.preset || "farkle", settings: saved.settings || {} };

async function rulesPart(readOnly) {
  const box = make("section", { class: "card", id: "rules" });
  const presets = (await trying(() => ask(`/api/setup/presets?language=${currentLanguage()}`))) || [];
  const explain = make("div", { "aria-live": "polite" });
  const select = make("select", { id: "preset" }, presets.map((each) => make("option", { value: each.name, selected: each.name === chosen.preset }, each.title)));
  const show = async () => {
    const opened = [...explain.querySelectorAll("details")].map((each) => each.open);
    const answer = await trying(() => ask("/api/setup/rules", { ...chosen, language: currentLanguage() }));
    if (!answer) return;
    put(explain, make("p", {}, answer.about),
      make("details", { open: opened[0] ?? true }, make("summary", {}, t("what_scores")), scores(answer)),
      ...answer.sections.map((each, index) => make("details", { open: opened[index + 1] ?? false }, make("summary", {}, each.head), each.rules.map((rule) => make("p", {}, rule)))),
      readOnly ? null : make("details", { open: opened.at(-1) && opened.length > 1 ? opened.at(-1) : false }, make("summary", {}, t("all_settings")), answer.settings.map(setting)));
  };
  const setting = (each) => {
    const id = `set-${each.name}`;
    const changed = JSON.stringify(each.value) !== JSON.stringify(each.usual);
    const field = fieldOf(each, id);
    field.addEventListener("change", async () => {
      const before = chosen.settings;
      const value = valueOf(each, field);
      if (value === undefined) return;
      chosen.settings = { ...before, [each.name]: value };
      if (!(await trying(() => ask("/api/setup/rules", { ...chosen, language: currentLanguage() })))) chosen.settings = before;
      await show();
      document.getElementById(id)?.focus();
    });
    return make("div", { class: changed ? "setting changed" : "setting" }, make("label", { for: id }, each.about), field,
      changed ? make("p", { class: "quiet-text" }, `${t("usual")}: ${JSON.stringify(each.usual)}`) : null);
  };
  select.addEventListener("change", () => { chosen = { preset: select.value, settings: {} }; show(); });
  put(box, make("h2", {}, t("step_rules")), make("label", { for: "preset" }, t("preset")), select, explain);
  await show();
  return box;
}

const CHOICES = {
  n_kind: ["double", "flat", "linear", "none"], hot_dice: ["may", "must", "off"], opening_below: ["write_zero", "refuse"],
  overshoot: ["allow", "void", "welfare"], ties: ["share", "extra_turn"], instant_win: ["none", "six_of_a_kind", "five_first"], steal: ["off", "roll", "transfer"],
};

function fieldOf(each, id) {
  if (typeof each.value === "boolean") return make("input", { id, type: "checkbox", checked: each.value });
  if (CHOICES[each.name]) return make("select", { id }, CHOICES[each.name].map((value) => make("option", { value, selected: value === each.value }, value)));
  if (typeof each.value === "number") return make("input", { id, type: "number", value: each.value });
  return make("input", { id, value: JSON.stringify(each.value), spellcheck: "false" });
}

function valueOf(each, field) {
  if (field.type === "checkbox") return field.checked;
  if (CHOICES[each.name]) return field.value;
  if (field.type === "number") return Number(field.value);
  try { return JSON.parse(field.value || "null"); } catch { say(`${each.name}: JSON`, true); return undefined; }
}

function scores(answer) {
  return make("table", { class: "scores" }, make("tbody", {}, answer.scores.map((row) => make("tr", {},
    make("td", {}, make("span", { class: "small-dice" }, row.dice.map((face) => dieArt(face))), " ", row.label, row.note ? make("small", { class: "quiet-text" }, ` (${row.note})`) : null),
    make("td", {}, row.points)))));
}

// ---- 4: begin

function beginPart() {
  const begin = async (resume) => {
    Object.assign(saved, { players: people, preset: chosen.preset, settings: chosen.settings });
    remember();
    const body = { players: names(), preset: chosen.preset, settings: chosen.settings, resume };
    if (await trying(() => ask("/api/setup/start", body))) {
      say(t("begun"));
      setTimeout(() => location.assign("/table"), 700);
    }
  };
  return make("section", { class: "card", id: "begin" }, make("h2", {}, t("step_start")),
    make("p", { class: "row" }, make("button", { type: "button", class: "main", onclick: () => begin(false) }, t("begin")),
      make("button", { type: "button", onclick: () => begin(true) }, t("resume"))));
}
