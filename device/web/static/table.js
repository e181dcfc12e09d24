// Corrections in two taps, presses, and throws that are told where there is no camera.
import { ask, bar, dialog, dieArt, faceWords, live, make, me, put, Refusal, say } from "./page.js";
import { eventWords, happenedWords, nextWords } from "./telling.js";
import { diceWord, gain, points, t } from "./words.js";

bar("table");
const main = document.getElementById("main");
const top = make("div", {});
const old = make("div", {});
put(main, top, old);
let state = null;
let phone = { paired: false, may_correct: false };
let told = []; // faces typed so far
let picked = new Set(); // places of dice picked to be set aside
let shownTurns = "";

me().then((answer) => { phone = answer; if (state) show(); });
live((news) => {
  if (!state || news.version !== state.version) { told = []; picked = new Set(); }
  state = news;
  show();
});

// ---- sending

// Send a change of the state that is shown; a conflict says what happened meanwhile.
async function send(path, body) {
  try {
    await ask(path, { version: state.version, ...body });
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const what = error.happened.map((each) => eventWords(each) || each.event).join(" ");
    const text = error.happened.length ? t("changed_by", { what }) : error.message;
    say(text[0].toUpperCase() + text.slice(1), true);
    return false;
  }
}

const press = (name, more = {}) => send("/api/table/press", { press: name, ...more });

// ---- the page

function show() {
  if (!state.view || !state.version) {
    put(top, make("p", { class: "empty" }, t("no_game"), " ", make("a", { href: "/setup" }, t("begin_one"))));
    put(old);
    return;
  }
  const opened = [...document.querySelectorAll("dialog")].length;
  put(top, standing(), notice(), question(), picture(), dice(), typed(), presses());
  top.dataset.version = state.version;
  if (!opened) showTurns();
}

function standing() {
  const view = state.view;
  const active = view.active === null ? null : view.players[view.active];
  return make("section", { "aria-live": "polite" },
    make("p", { class: "standing" },
      active ? make("strong", {}, active.name) : null,
      active ? make("span", {}, `${t("total")} ${points(active.total)}`) : null,
      active ? make("span", {}, `${t("turn")} ${points(view.turn_points)}`) : null,
      view.roll_points === null ? null : make("span", {}, view.roll_points ? t("on_table", { points: gain(view.roll_points) }) : t("nothing_on_table"))),
    make("p", {}, [happenedWords(state), state.said || nextWords(state)].filter(Boolean).join(" ")),
    make("ul", { class: "legend" }, view.players.map((player) => {
      const line = make("li", {}, make("span", { class: "swatch" }), `${player.name} ${points(player.total)}`);
      line.firstChild.style.background = player.colour;
      return line;
    })));
}

function notice() {
  if (!phone.paired) return make("p", { class: "card" }, t("not_paired"), " ", make("a", { href: "/pair?back=/table" }, t("pair")));
  if (!phone.may_correct) return make("p", { class: "card" }, t("locked_for_you"), " ", make("a", { href: "/pair" }, t("phone")));
  return null;
}

function question() {
  const asked = state.question;
  if (!asked) return null;
  const buttons = asked.options.map((option, index) =>
    make("button", { type: "button", disabled: !phone.paired, onclick: () => press("choose", { option: index + 1 }) }, option));
  return make("section", { class: "question-card", role: "alert" },
    make("h2", {}, t(`d_${asked.doubt}`)),
    make("div", { class: "versions" },
      make("div", {}, make("h3", {}, t("seen")), make("p", {}, asked.seen)),
      make("div", {}, make("h3", {}, t("expected")), make("p", {}, asked.expected))),
    asked.dice.length && state.dice.some((die) => die.asked) ? make("p", {}, t("tap_asked")) : null,
    asked.thrown_since ? make("p", {}, t("since")) : null,
    make("div", { class: "row" }, buttons,
      make("button", { type: "button", disabled: !phone.may_correct, onclick: addMissing }, t("missing")),
      make("button", { type: "button", disabled: !phone.paired, onclick: () => press("roll_again") }, t("roll_again"))));
}

function picture() {
  if (!state.picture) return null;
  const [width, height] = state.picture_size;
  const boxes = state.dice.map((die, index) => {
    if (!die.box) return null;
    const [x, y, w, h] = die.box;
    const button = make("button", { type: "button", class: die.asked ? "box asked" : "box", disabled: !phone.may_correct, onclick: () => fix(die, index + 1), "aria-label": faceWords(die, index + 1) },
      make("span", { class: "frame", "aria-hidden": "true" }, make("span", {}, die.face ?? "?")));
    button.style.left = `${((x + w / 2) / width) * 100}%`;
    button.style.top = `${((y + h / 2) / height) * 100}%`;
    button.style.setProperty("--w", `${(w / width) * 100}cqw`);
    button.style.setProperty("--h", `${(h / width) * 100}cqw`);
    return button;
  });
  return make("div", { class: "shot" }, make("img", { src: state.picture, alt: t("evidence"), width, height }), boxes);
}

function dice() {
  if (!state.dice.length) return null;
  const choosing = state.typed && state.next && state.next.stage === "rolled";
  const buttons = state.dice.map((die, index) => make("button", {
    type: "button", "aria-label": faceWords(die, index + 1),
    "aria-pressed": choosing ? String(picked.has(index)) : null,
    disabled: choosing ? !phone.paired || die.kept : !phone.may_correct,
    onclick: () => (choosing ? pick(index) : fix(die, index + 1)),
  }, dieArt(die.cocked ? null : die.face, die)));
  return make("section", {}, make("h2", {}, choosing ? t("pick_aside") : t("which")), make("div", { class: "dice-row", id: "dice" }, buttons),
    choosing && phone.may_correct ? make("button", { type: "button", class: "quiet", onclick: fixWhich }, t("edit_throw")) : null);
}

// ---- a die: two taps

function fix(die, place) {
  const version = state.version; // what was seen when the die was tapped: whoever is quicker wins
  const answer = (body) => async () => {
    box.close();
    await send("/api/table/die", { version, die: die.id, ...body });
  };
  const faces = (list) => list.map((face) => make("button", { type: "button", "aria-label": String(face), onclick: answer({ is: "face", face }) }, dieArt(face)));
  const box = dialog(t("what_shows", { n: place }), () => [
    make("h3", {}, t("likely")), make("div", { class: "faces likely" }, faces(die.likely.filter((face) => face !== die.face || die.asked).slice(0, 2))),
    make("h3", {}, t("all_faces")), make("div", { class: "faces" }, faces([1, 2, 3, 4, 5, 6])),
    make("div", { class: "row" },
      make("button", { type: "button", disabled: state.typed, onclick: answer({ is: "none" }) }, t("not_a_die")),
      make("button", { type: "button", disabled: state.typed, onclick: answer({ is: "cocked" }) }, t("cocked")))]);
}

function addMissing() {
  const version = state.version;
  const box = dialog(t("missing_what"), () => [make("div", { class: "faces" }, [1, 2, 3, 4, 5, 6].map((face) =>
    make("button", { type: "button", "aria-label": String(face), onclick: async () => { box.close(); await send("/api/table/die", { version, is: "face", face }); } }, dieArt(face))))]);
}

function fixWhich() {
  const box = dialog(t("which"), () => [make("div", { class: "dice-row" }, state.dice.map((die, index) =>
    die.kept ? null : make("button", { type: "button", "aria-label": faceWords(die, index + 1), onclick: () => { box.close(); fix(die, index + 1); } }, dieArt(die.face))))]);
}

// ---- without a camera

function pick(index) {
  if (picked.has(index)) picked.delete(index);
  else picked.add(index);
  show();
  document.querySelectorAll("#dice button")[index].focus();
}

function pickedFaces() {
  return [...picked].map((index) => state.dice[index].face).sort();
}

function typed() {
  if (!state.typed || !phone.paired || state.view.phase === "finished") return null;
  const next = state.next;
  if (next.stage === "rolled") {
    const faces = pickedFaces();
    const same = next.selections.find((each) => each.dice.join() === faces.join());
    const aside = async () => send("/api/table/throw", { aside: faces });
    const bank = async () => { if (await aside()) await bankNow(); };
    return make("section", { class: "card" },
      make("p", { "aria-live": "polite" }, faces.length && !same ? t("does_not_score") : ""),
      make("div", { class: "row" },
        make("button", { type: "button", class: "main", disabled: !same, onclick: aside }, t("set_aside", { points: same ? gain(same.points) : "" })),
        make("button", { type: "button", disabled: !same, onclick: bank }, t("aside_bank", { points: same ? points(same.points + state.view.turn_points) : "" }))));
  }
  if (!next.roll) return null;
  const full = told.length === next.roll;
  return make("section", { class: "card" }, make("h2", {}, t("type_throw", { n: next.roll })),
    make("div", { class: "faces", id: "keypad" }, [1, 2, 3, 4, 5, 6].map((face) =>
      make("button", { type: "button", "aria-label": String(face), disabled: full, onclick: () => { told.push(face); show(); document.querySelectorAll("#keypad button")[face - 1].focus(); } }, dieArt(face)))),
    make("div", { class: "dice-row", "aria-live": "polite" }, told.map((face, index) =>
      make("button", { type: "button", "aria-label": t("remove", { name: face }), onclick: () => { told.splice(index, 1); show(); } }, dieArt(face)))),
    make("div", { class: "row" },
      make("button", { type: "button", class: "main", disabled: !full, onclick: () => send("/api/table/throw", { faces: told }) }, t("confirm_throw")),
      make("button", { type: "button", disabled: !told.length, onclick: () => { told = []; show(); } }, t("clear"))));
}

// A bank right after a set-aside: the state that comes with the set-aside is the one that is meant.
async function bankNow() {
  const fresh = await ask("/api/state");
  state = { ...state, version: fresh.version };
  await press("bank");
}

// ---- presses

function presses() {
  const next = state.next;
  const may = (free) => !(phone.paired && (free || phone.may_correct));
  const giveUp = () => {
    const version = state.version;
    const box = dialog(t("sure_next"), () => [make("button", { type: "button", class: "main", onclick: () => { box.close(); press("next", { version }); } }, t("yes"))]);
  };
  return make("div", { class: "row", id: "presses" },
    make("button", { type: "button", class: "main", disabled: may(true) || !next.bank, onclick: () => press("bank") }, t("bank")),
    make("button", { type: "button", disabled: may(false), onclick: () => press("undo") }, t("undo")),
    make("button", { type: "button", disabled: may(false), onclick: () => press("redo") }, t("redo")),
    next.take_over ? make("button", { type: "button", disabled: may(true), onclick: () => press("take_over") }, t("take_over", { points: points(next.take_over.points), dice: diceWord(next.take_over.dice) })) : null,
    make("button", { type: "button", disabled: may(true) || !next.player, onclick: giveUp }, t("next")));
}

// ---- old turns

async function showTurns() {
  if (shownTurns === state.version) return;
  shownTurns = state.version;
  let answer;
  try { answer = await ask("/api/table/turns"); } catch { shownTurns = ""; return; }
  put(old, make("section", {}, make("h2", {}, t("old_turns")),
    make("ul", { class: "turn-list" }, [...answer.turns].reverse().map(turnLine)),
    make("p", { class: "row" }, make("button", { type: "button", disabled: !phone.may_correct || !state.next.player, onclick: enterTurn }, t("enter_turn")))));
}

function turnLine(turn) {
  const title = `${turn.player} · ${t("turn_n", { n: turn.number })}`;
  const written = turn.written === null ? t("in_progress") : t("wrote", { points: gain(turn.written) });
  return make("li", {},
    make("div", { class: "line" }, make("span", {}, make("strong", {}, title), " ", make("span", { class: "quiet-text" }, written)),
      phone.may_correct ? make("button", { type: "button", class: "quiet", onclick: () => more(turn, title) }, "…", make("span", { class: "visually-hidden" }, title)) : null),
    turn.events.map((event, index) => eventButton(turn, event, index, title)));
}

function eventButton(turn, event, index, title) {
  const words = { rolled: t("threw"), setaside: t("aside"), banked: t("banked"), tookover: t("tookover"), entered: `${t("entered")} ${points(event.points)}` }[event.kind];
  if (!event.faces) return make("span", { class: "event quiet-text" }, words);
  const art = make("span", { class: "small-dice" }, event.faces.map((face) => dieArt(face)));
  const label = `${title}: ${words} ${event.faces.join(" ")}`;
  return make("button", { type: "button", class: "event", "aria-label": label, disabled: !phone.may_correct, onclick: () => editDice(turn, event, index, title) }, words, art);
}

// Edit the faces of a throw or a set-aside: tap a die, then its face; then see what it comes to.
function editDice(turn, event, index, title) {
  const faces = [...event.faces];
  let chosen = null;
  const row = make("div", { class: "dice-row" });
  const keypad = make("div", { class: "faces" });
  const outcome = make("div", { "aria-live": "polite" });
  const aside = event.kind === "setaside";
  const change = () => ({ what: aside ? "aside" : "faces", turn: turn.index, event: index, was: turn.was, faces });
  const show = () => {
    put(row, faces.map((face, place) => make("button", { type: "button", "aria-label": faceWords({ face }, place + 1), "aria-pressed": String(chosen === place), onclick: () => { chosen = place; show(); } }, dieArt(face))));
    put(keypad, [1, 2, 3, 4, 5, 6].map((face) => make("button", { type: "button", "aria-label": String(face), disabled: chosen === null, onclick: () => { faces[chosen] = face; chosen = null; show(); preview(outcome, change, () => box.close()); } }, dieArt(face))));
  };
  const box = dialog(`${title}: ${aside ? t("edit_aside") : t("edit_throw")}`, () => [
    event.picture ? make("div", { class: "shot" }, make("img", { src: event.picture, alt: t("evidence") })) : null,
    make("p", {}, t("tap_die_then_face")), row, keypad, outcome].filter(Boolean));
  show();
}

async function edit(body) {
  try {
    return await ask("/api/table/edit", body);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(error.message[0].toUpperCase() + error.message.slice(1), true);
    return null;
  }
}

// Show totals before and after, and a button that saves.
async function preview(place, change, close) {
  const answer = await edit({ ...change(), write: false });
  if (!answer) return;
  const names = Object.keys(answer.after);
  const store = async () => {
    const done = await edit({ ...change(), write: true, leave_out: answer.problems.length > 0 });
    if (done && done.written) close();
  };
  put(place, make("h3", {}, t("comes_to")),
    make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, ""), make("th", { scope: "col" }, t("before")), make("th", { scope: "col" }, t("now")))),
      make("tbody", {}, names.map((name) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, points(answer.before[name])), make("td", {}, points(answer.after[name])))))),
    answer.problems.length ? make("div", {}, make("h3", {}, t("problems")), make("ul", {}, answer.problems.map((each) => make("li", {}, each)))) : "",
    make("button", { type: "button", class: "main", disabled: !answer.changed, onclick: store }, answer.problems.length ? t("leave_out") : t("save")));
}

function more(turn, title) {
  const outcome = make("div", { "aria-live": "polite" });
  const field = make("input", { type: "number", id: "by-hand", step: 50, value: turn.written ?? 0 });
  const base = { turn: turn.index, was: turn.was };
  const box = dialog(title, (close) => [
    make("label", { for: "by-hand" }, t("write_points")), field,
    make("div", { class: "row" },
      make("button", { type: "button", onclick: () => preview(outcome, () => ({ ...base, what: "points", points: Number(field.value) || 0 }), close) }, t("write")),
      make("button", { type: "button", onclick: () => preview(outcome, () => ({ ...base, what: "remove" }), close) }, t("remove_turn"))),
    outcome]);
  return box;
}

function enterTurn() {
  const version = state.version;
  const field = make("input", { type: "number", id: "enter", step: 50, value: 0 });
  const box = dialog(`${t("enter_turn")}: ${state.next.player}`, () => [make("label", { for: "enter" }, t("points")), field,
    make("button", { type: "button", class: "main", onclick: async () => { box.close(); await send("/api/table/enter", { version, points: Number(field.value) || 0 }); } }, t("write"))]);
}
