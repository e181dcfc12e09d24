// The games that were played: list, one game throw by throw, statistics, export, verify.
import { ask, bar, dieArt, make, put, say, trying } from "./page.js";
import { bars, COLOURS, legend, lines } from "./plots.js";
import { who } from "./telling.js";
import { gain, points, t } from "./words.js";

bar("games");
const main = document.getElementById("main");
window.addEventListener("hashchange", route);
route();

function route() {
  const number = Number(location.hash.slice(1));
  if (location.hash === "#statistics") statistics();
  else if (number) game(number);
  else list();
}

async function list() {
  const games = await trying(() => ask("/api/games"));
  if (!games) return;
  const verify = async () => {
    const answer = await trying(() => ask("/api/verify"));
    if (answer) say(answer.ok ? t("verified") : answer.faults.map((each) => each.reason).join("; "), !answer.ok);
  };
  put(main, make("h1", {}, t("games")),
    games.length ? null : make("p", {}, t("no_games")),
    games.map((each) => make("a", { class: "button pick card", href: `#${each.number}` },
      make("strong", {}, t("game_n", { n: each.number })),
      make("span", { class: "quiet-text" }, `${when(each.started)} · ${each.game === "tenzi" ? "Tenzi" : each.preset}`),
      make("span", { class: "whole" }, each.error ? t("unreadable") : score(each)),
      make("span", { class: "whole quiet-text" }, each.error ? "" : result(each)))),
    games.length ? make("div", { class: "row" }, make("a", { class: "button", href: "#statistics" }, t("all_statistics")),
      make("button", { type: "button", onclick: verify }, t("verify"))) : null);
}

function score(each) { return Object.entries(each.totals).map(([name, total]) => `${name} ${points(total)}`).join(" · "); }
function result(each) { return each.finished ? t("won_by", { names: each.winners.join(", ") }) : t("open_game"); }
function when(text) {
  const time = new Date(text);
  const language = document.documentElement.lang;
  const place = navigator.languages.find((each) => each.startsWith(language)) || language; // en-GB writes dates as en-US does not
  return Number.isNaN(time.getTime()) ? text : time.toLocaleString(place, { dateStyle: "medium", timeStyle: "short" });
}

async function game(number) {
  const found = await trying(() => ask(`/api/games/${number}`));
  if (!found) return;
  const boards = await trying(() => ask(`/api/games/${number}/statistics`));
  put(main, make("p", {}, make("a", { href: "#" }, t("all_games"))),
    make("h1", {}, t("game_n", { n: number })),
    make("p", {}, `${when(found.started)} · ${found.game === "tenzi" ? "Tenzi" : found.preset} · ${found.error ? t("unreadable") : `${score(found)} · ${result(found)}`}`),
    found.error ? make("p", { class: "card" }, found.error) : null,
    found.turns && found.turns.length ? [totals(found), replay(found)] : null,
    boards ? statisticsOf(boards) : null,
    found.changes && found.changes.length ? make("section", {}, make("h2", {}, t("changes")), make("ul", {}, found.changes.map((each) =>
      make("li", {}, `${t(each.what)} ${each.did} (${t("by", { who: who(each.by) })})`)))) : null,
    make("section", {}, make("h2", {}, t("export_")), make("div", { class: "row" },
      [["as_json", "document"], ["as_text", "text"], ["as_csv", "csv"]].map(([key, path]) =>
        make("a", { class: "button", href: `/api/games/${number}/${path}`, download: true }, t(key))))));
}

function totals(found) {
  const series = Object.fromEntries(found.players.map((name) => [name, [0]]));
  for (const turn of found.turns) {
    if (turn.written !== null && series[turn.player]) series[turn.player].push(series[turn.player].at(-1) + turn.written);
  }
  return make("section", {}, make("h2", {}, t("totals_plot")), lines(series, t("totals_plot")), legend(found.players));
}

// Every throw, one after the other, with its picture.
function replay(found) {
  const sum = Object.fromEntries(found.players.map((name) => [name, 0]));
  const frames = found.turns.flatMap((turn) => {
    const steps = turn.events.map((event) => ({ turn, event, sum: { ...sum } }));
    if (turn.written !== null) {
      sum[turn.player] += turn.written;
      steps.at(-1).sum = { ...sum };
      steps.at(-1).wrote = turn.written;
    }
    return steps;
  });
  let at = 0;
  const slider = make("input", { type: "range", min: 1, max: frames.length, value: 1, "aria-label": t("replay") });
  const stage = make("div", { "aria-live": "polite" });
  const go = (to) => {
    at = Math.min(frames.length - 1, Math.max(0, to));
    slider.value = at + 1;
    const { turn, event, sum: now, wrote } = frames[at];
    const words = { rolled: t("threw"), setaside: t("aside"), banked: t("banked"), tookover: t("tookover"), entered: `${t("entered")} ${points(event.points)}` }[event.kind];
    put(stage, make("p", {}, make("strong", {}, turn.player), ` · ${t("turn_n", { n: turn.number })} · ${words}`, wrote === undefined ? "" : ` · ${t("wrote", { points: gain(wrote) })}`),
      event.faces ? make("ul", { class: "dice" }, event.faces.map((face) => make("li", {}, dieArt(face), make("span", { class: "visually-hidden" }, String(face))))) : null,
      make("p", { class: "quiet-text" }, Object.entries(now).map(([name, total]) => `${name} ${points(total)}`).join(" · ")),
      event.picture ? make("div", { class: "shot" }, make("img", { src: event.picture, alt: t("evidence") })) : null,
      make("p", { class: "quiet-text" }, t("step_of", { n: at + 1, of: frames.length })));
  };
  slider.addEventListener("input", () => go(Number(slider.value) - 1));
  go(0);
  return make("section", { id: "replay" }, make("h2", {}, t("replay")), slider,
    make("div", { class: "row" }, make("button", { type: "button", onclick: () => go(at - 1) }, t("back")), make("button", { type: "button", class: "main", onclick: () => go(at + 1) }, t("forward"))), stage);
}

async function statistics() {
  const boards = await trying(() => ask("/api/statistics"));
  if (boards) put(main, make("p", {}, make("a", { href: "#" }, t("all_games"))), make("h1", {}, t("statistics")), statisticsOf(boards));
}

function statisticsOf(boards) {
  const names = Object.keys(boards.farkle).filter((name) => boards.farkle[name].turns);
  const racers = Object.keys(boards.tenzi);
  const farkle = !names.length ? null : make("section", {}, make("h2", {}, t("statistics")),
    make("h3", {}, t("points_a_turn")),
    bars(names.map((name, index) => ({ label: name.slice(0, 12), value: boards.farkle[name].points_a_turn, error: boards.farkle[name].points_error, text: points(Math.round(boards.farkle[name].points_a_turn)), colour: COLOURS[index % COLOURS.length] })), t("points_a_turn")),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("statistics") }, make("table", {}, make("thead", {}, make("tr", {}, [t("player"), t("turns"), t("throws"), t("busts"), t("hot"), t("best_turn"), t("luck")].map((word) => make("th", { scope: "col" }, word)))),
      make("tbody", {}, names.map((name) => {
        const each = boards.farkle[name];
        return make("tr", {}, make("th", { scope: "row" }, name), [each.turns, each.throws, each.busts, each.hot_dice, points(each.best_turn), luck(each)].map((value) => make("td", {}, String(value))));
      })))),
    make("h3", {}, t("faces_plot")), faces(names.map((name) => boards.farkle[name])));
  const tenzi = !racers.length ? null : make("section", {}, make("h2", {}, "Tenzi"),
    bars(racers.map((name) => ({ label: name.slice(0, 12), value: boards.tenzi[name].wins ?? 0 })), t("wins_n")));
  return make("div", {}, farkle, tenzi);
}

function luck(each) { return each.luck && typeof each.luck.points === "number" ? gain(Math.round(each.luck.points)) : "–"; }

function faces(boards) {
  const counts = [1, 2, 3, 4, 5, 6].map((face) => boards.reduce((sum, each) => sum + (countOf(each.faces, face) || 0), 0));
  if (!counts.some(Boolean)) return null;
  return bars(counts.map((value, index) => ({ label: String(index + 1), value, colour: "#56b4e9" })), t("faces_plot"));
}

function countOf(faces, face) {
  if (!faces) return 0;
  const counts = faces.counts || faces;
  return Array.isArray(counts) ? counts[face - 1] : counts[String(face)];
}
