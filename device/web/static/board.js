// The big scoreboard: for a TV, a tablet on the wall or a phone. It only listens.
import { bar, dieArt, faceWords, live, make, put } from "./page.js";
import { happenedWords, nextWords } from "./telling.js";
import { gain, points, t } from "./words.js";

bar("board");
const main = document.getElementById("main");
if (new URLSearchParams(location.search).has("kiosk")) document.body.classList.add("kiosk");

live((state) => {
  document.body.dataset.kind = state.kind;
  if (!state.view) {
    put(main, make("div", { class: "empty" }, make("h1", {}, "Croupier"), make("p", {}, t("no_game")),
      make("p", {}, make("a", { href: "/setup" }, t("begin_one")))));
    return;
  }
  put(main, heading(state.view), players(state.view), turn(state), history(state));
  main.dataset.number = state.number;
});

function heading(view) {
  const words = view.phase === "turn" ? "" : t(view.phase);
  return make("div", { class: "heading" }, make("h1", {}, view.title),
    make("p", {}, [words || (view.target ? t("first_to", { points: points(view.target) }) : ""), view.chances_text].filter(Boolean).join(" · ")));
}

function players(view) {
  return make("ol", { class: `players count-${Math.min(view.players.length, 9)}` }, view.players.map((player, seat) => {
    const active = seat === view.active;
    const tile = make("li", { class: ["tile", active && "active", player.winner && "winner"].filter(Boolean).join(" ") },
      make("span", { class: "name" }, active ? make("span", { class: "arrow", "aria-hidden": "true" }, "▸ ") : null, player.name,
        active ? make("span", { class: "visually-hidden" }, `, ${t("to_play")}`) : null,
        player.winner ? make("span", { class: "crown" }, ` ★ ${t("winner")}`) : null),
      make("span", { class: "total" }, points(player.total)),
      make("span", { class: "last" }, player.last === null ? "" : gain(player.last)));
    tile.style.setProperty("--colour", player.colour);
    return tile;
  }));
}

function turn(state) {
  const view = state.view;
  const dice = (state.dice || view.dice).map((die, index) =>
    make("li", {}, dieArt(die.sure && !die.cocked ? die.face : null, die), make("span", { class: "visually-hidden" }, faceWords(die, index + 1))));
  const asked = state.question;
  const band = view.waiting
    ? make("p", { class: "band question" }, make("strong", {}, asked ? t(`d_${asked.doubt}`) : view.question),
      asked ? make("span", {}, ` ${t("seen")}: ${asked.seen}. ${t("expected")}: ${asked.expected}.`) : null)
    : make("p", { class: "band" }, [happenedWords(state), state.said || nextWords(state)].filter(Boolean).join(" "));
  const roll = view.roll_points;
  return make("section", { class: "turn", "aria-live": "polite" },
    view.active === null ? null : make("p", { class: "points" }, make("span", {}, t("turn")), make("strong", {}, points(view.turn_points)),
      roll === null ? null : make("span", { class: "roll" }, roll ? t("on_table", { points: gain(roll) }) : t("nothing_on_table"))),
    make("ul", { class: "dice" }, dice), band);
}

function history(state) {
  if (!state.turns) return null;
  const names = Object.keys(state.turns);
  const most = Math.max(...names.map((name) => state.turns[name].length));
  if (!most) return null;
  const rows = [];
  for (let index = most - 1; index >= 0; index -= 1) {
    rows.push(make("tr", {}, make("th", { scope: "row" }, String(index + 1)),
      names.map((name) => make("td", {}, index < state.turns[name].length ? gain(state.turns[name][index]) : ""))));
  }
  return make("section", { class: "history", tabindex: "0", "aria-label": t("history") },
    make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "#"), names.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, rows)));
}
