// Pairing this phone, the list of phones, the tournament lock.
import { ask, bar, make, me, put, say, trying } from "./page.js";
import { t } from "./words.js";

bar("phone");
const main = document.getElementById("main");
show();

async function show() {
  const phone = await me();
  if (!phone.paired) put(main, form());
  else put(main, make("h1", {}, t("paired_as", { name: phone.name })), await phones(), lock(phone));
}

function form() {
  const name = make("input", { id: "name", maxlength: 40, required: true, autocomplete: "nickname", value: remembered() });
  const pin = make("input", { id: "pin", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 12, required: true, value: location.hash.replace(/[^0-9]/g, "") });
  history.replaceState(null, "", location.pathname);
  const send = async (event) => {
    event.preventDefault();
    const answer = await trying(() => ask("/api/pair", { pin: pin.value.trim(), name: name.value.trim() }));
    if (!answer) return;
    try { localStorage.setItem("phone", name.value.trim()); } catch { /* it asks again next time */ }
    say(t("paired_as", { name: answer.name }));
    const back = new URLSearchParams(location.search).get("back");
    if (back && /^\/[a-z]*$/.test(back)) location.assign(back);
    else show();
  };
  return make("form", { class: "card", onsubmit: send },
    make("h1", {}, t("pair")), make("p", {}, t("pair_how")),
    make("button", { type: "button", onclick: showPin }, t("show_pin")),
    make("label", { for: "pin" }, t("pin")), pin,
    make("label", { for: "name" }, t("your_name")), name,
    make("p", { class: "row" }, make("button", { type: "submit", class: "main" }, t("pair_now"))));
}

async function showPin() {
  if (await trying(() => ask("/api/pair/ask", {}))) say(t("shown"));
}

function remembered() {
  try { return localStorage.getItem("phone") || ""; } catch { return ""; }
}

async function phones() {
  const list = (await trying(() => ask("/api/phones"))) || [];
  const remove = async (each) => {
    const done = each.this ? await trying(() => ask("/api/leave", {})) : await trying(() => ask(`/api/phones/${each.id}`, undefined, "DELETE"));
    if (done) show();
  };
  return make("section", { class: "card" }, make("h2", {}, t("phones_title")),
    list.map((each) => make("div", { class: "line" },
      make("span", {}, each.name, " ", make("span", { class: "quiet-text" }, each.paired, each.this ? ` · ${t("this_phone")}` : "")),
      make("button", { type: "button", onclick: () => remove(each), "aria-label": `${t("unpair")}: ${each.name}` }, t("unpair")))));
}

function lock(phone) {
  const pin = make("input", { id: "organiser", inputmode: "numeric", maxlength: 12, type: "password", autocomplete: "off" });
  const send = (path) => async () => {
    if (await trying(() => ask(path, { pin: pin.value.trim() }))) show();
  };
  const buttons = phone.locked
    ? [phone.organiser ? null : make("button", { type: "button", class: "main", onclick: send("/api/organiser") }, t("i_am_organiser")),
      make("button", { type: "button", onclick: send("/api/unlock") }, t("lock_off"))]
    : [make("button", { type: "button", onclick: send("/api/lock") }, t("lock_on"))];
  return make("section", { class: "card" }, make("h2", {}, t("lock_title")),
    make("p", {}, phone.locked ? t("locked") : t("lock_about")),
    make("label", { for: "organiser" }, t("organiser_pin")), pin, make("div", { class: "row" }, buttons));
}
