// The state of a game in sentences, in the language of the page.
import { diceWord, points, t } from "./words.js";

export function nextWords(state) {
  const next = state.next;
  if (!next) return state.view ? state.view.message : "";
  if (state.view.phase === "finished") {
    if (!next.winners.length) return t("over");
    const total = state.view.players.find((each) => each.name === next.winners[0]).total;
    return t(next.winners.length > 1 ? "share" : "wins", { names: next.winners.join(", "), points: points(total) });
  }
  const player = next.player;
  if (next.stage === "rolled") return t(next.bank ? "keep_or_pass" : "keep_on", { player });
  const dice = diceWord(next.roll || next.dice);
  return t(next.stage === "aside" && next.bank ? "or_bank" : "throw_n", { player, dice });
}

export function happenedWords(state) {
  return (state.happened || []).map(eventWords).filter(Boolean).slice(-2).join(" ");
}

export function eventWords(event) {
  const values = { player: event.player, points: points(event.points) };
  switch (event.event) {
    case "rolled": return event.bust ? t("ev_bust0", values) : "";
    case "set_aside": return event.hot_dice ? t("ev_hot", values) : "";
    case "banked": return t("ev_banked", values);
    case "took_over": return t("ev_took", values);
    case "entered": return t("ev_entered", values);
    case "undone": return t("ev_undone") + byWords(event.by);
    case "corrected": return t("ev_corrected") + byWords(event.by);
    default: return "";
  }
}

function byWords(by) {
  return by && by.startsWith("phone ") ? ` (${by.slice(6)})` : "";
}

export function who(by) {
  if (by.startsWith("phone ")) return by.slice(6);
  return by === "camera" || by === "key" ? t(by) : by;
}
