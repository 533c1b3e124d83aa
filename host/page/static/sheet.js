// The sheet that asks for what is missing, explains what will follow, and only then sends.

import { byId, el } from "./dom.js";
import { post } from "./send.js";
import { placeName, ruleText } from "./table.js";

const RANKS = ["A", "K", "Q", "J", "T", "9", "8", "7", "6", "5", "4", "3", "2"];
const SUITS = [
  ["S", "♠ spades"],
  ["H", "♥ hearts"],
  ["D", "♦ diamonds"],
  ["C", "♣ clubs"],
];
const LOOK_MS = 250;
const MOST_AT_ONCE = 8;

let current = null;
let offered = [];

export function openSheet(offer, send) {
  const form = byId("sheet").querySelector("form");
  current = { offer, send, timer: null, filledIn: 0, looks: 0, shown: 0, asking: false };
  byId("sheet-title").textContent = offer.label;
  byId("sheet-problem").textContent = "";
  byId("sheet-send").hidden = false;
  byId("sheet-send").disabled = false;
  byId("sheet-send").textContent = offer.confirm ? "Confirm" : "Send";
  const explains = offer.explains.map(explanation);
  const asks = [...(offer.picks.length ? picks(offer.picks) : []), ...offer.inputs.map(input)];
  // Of a card that was tapped, what is asked comes first.
  if (offer.tapped && offer.picks.length === 1) asks[0].hidden = true;
  byId("sheet-body").replaceChildren(
    ...(offer.tapped ? [...asks, ...explains] : [...explains, ...asks]),
    el("div", { id: "sheet-preview", class: "preview", "aria-live": "polite" }),
  );
  form.onsubmit = submit;
  form.oninput = form.onchange = lookAgain;
  if (offer.lines) showLines(offer.lines);
  if (!byId("sheet").open) byId("sheet").showModal();
  look();
}

// What can be done with the thing that was tapped; each opens its own sheet.
export function openMenu(title, offers, send) {
  current = null;
  byId("sheet").querySelector("form").onsubmit = (event) => event.preventDefault();
  byId("sheet-title").textContent = title;
  byId("sheet-problem").textContent = offers.length ? "" : "Nothing can be said of it now.";
  byId("sheet-send").hidden = true;
  byId("sheet-body").replaceChildren(
    ...offers.map((offer) =>
      el(
        "div",
        { class: "offer" },
        el("button", {
          type: "button",
          "data-of-card": offer.action,
          text: offer.label,
          disabled: !offer.possible,
          onclick: () => openSheet({ ...offer, label: `${title}: ${offer.label.toLowerCase()}`, tapped: true }, send),
        }),
        offer.possible ? null : el("p", { class: "why", text: offer.why }),
      ),
    ),
  );
  byId("sheet").showModal();
}

export function closeSheet() {
  current = null;
  if (byId("sheet").open) byId("sheet").close();
}

// The table has moved: what the sheet foresees is looked up again. If it was about a moment that is over, it goes,
// and the caller says so.
export function refreshSheet(offers) {
  offered = offers;
  return checkMoment();
}

function checkMoment() {
  if (!current || current.asking || !current.offer.moment) return false;
  const now = offered.find((one) => one.action === current.offer.action);
  if (now && now.moment === current.offer.moment) {
    look();
    return false;
  }
  closeSheet();
  return true;
}

byId("sheet-cancel").addEventListener("click", closeSheet);
byId("sheet").addEventListener("close", () => (current = null));

function explanation(one) {
  const rule = ruleText(one);
  return el(
    "div",
    { class: "explains" },
    one.about ? el("h3", { text: one.about }) : null,
    el("p", { text: one.words }),
    rule ? el("p", { class: "rule", text: rule }) : null,
  );
}

// Many choices come in two steps: the box first, then what there is on it.
function picks(found) {
  const boxOf = ({ fields }) => ("of" in fields ? fields.of : fields.box);
  const boxes = [...new Set(found.map(boxOf))];
  const list = el("fieldset", { class: "picks" });
  const fill = (box) =>
    list.replaceChildren(
      el("legend", { text: "Which" }),
      ...found.map((pick, number) =>
        box === undefined || boxOf(pick) === box ? option("pick", String(number), pick.label, found.length === 1) : "",
      ),
    );
  if (found.length <= MOST_AT_ONCE || boxes.length < 2) {
    fill();
    return [list];
  }
  const first = el(
    "fieldset",
    { class: "picks" },
    el("legend", { text: "Where" }),
    ...boxes.map((box, number) => option("pick-box", String(number), placeName(box))),
  );
  first.addEventListener("change", (event) => fill(boxes[Number(event.target.value)]));
  return [first, list];
}

function option(name, value, label, checked = false) {
  return el("label", { class: "option" }, el("input", { type: "radio", name, value, checked }), el("span", { text: label }));
}

function input(wanted) {
  const name = `input-${wanted.field}`;
  if (wanted.kind === "flag")
    return el("label", { class: "option flag" }, el("input", { type: "checkbox", name }), el("span", { text: wanted.label }));
  if (wanted.kind === "choice")
    return el(
      "fieldset",
      { class: "picks" },
      el("legend", { text: wanted.label }),
      ...wanted.options.map((one, number) => option(name, String(number), one.label, wanted.optional && !number)),
    );
  if (wanted.kind === "card")
    return el(
      "fieldset",
      { class: "picks card-input" },
      el("legend", { text: wanted.label }),
      el("div", {}, ...RANKS.map((rank) => option(`${name}-rank`, rank, rank === "T" ? "10" : rank))),
      el("div", {}, ...SUITS.map(([suit, label]) => option(`${name}-suit`, suit, label))),
    );
  const attributes = { name, maxlength: 200, autocomplete: "off" };
  if (wanted.kind === "money") Object.assign(attributes, { inputmode: "decimal", placeholder: "dollars, such as 25" });
  if (wanted.kind === "count") Object.assign(attributes, { inputmode: "numeric" });
  if (wanted.kind === "name") attributes.maxlength = 40;
  const label = wanted.optional ? `${wanted.label} (if you wish)` : wanted.label;
  return el("label", { class: "input" }, el("span", { text: label }), el("input", attributes));
}

function filled() {
  const form = new FormData(byId("sheet").querySelector("form"));
  const { offer } = current;
  const fields = {};
  if (offer.picks.length) {
    const chosen = form.get("pick");
    if (chosen === null) return { missing: "Choose one of those above." };
    Object.assign(fields, offer.picks[Number(chosen)].fields);
  }
  for (const wanted of offer.inputs) {
    const name = `input-${wanted.field}`;
    if (wanted.kind === "flag") fields[wanted.field] = form.get(name) !== null;
    else if (wanted.kind === "choice") {
      const chosen = form.get(name);
      if (chosen === null) return { missing: `${wanted.label}: choose one.` };
      fields[wanted.field] = wanted.options[Number(chosen)].value;
    } else if (wanted.kind === "card") {
      const rank = form.get(`${name}-rank`);
      const suit = form.get(`${name}-suit`);
      if (!rank || !suit) return { missing: `${wanted.label}: choose rank and suit.` };
      fields[wanted.field] = rank + suit;
    } else {
      const text = (form.get(name) || "").trim();
      if (!text && !wanted.optional) return { missing: `${wanted.label}: fill this in.` };
      if (text) fields[wanted.field] = text;
    }
  }
  return { fields };
}

// What is asked has changed: the wait begins again, and no answer to what was asked before is shown.
function lookAgain() {
  if (!current) return;
  current.filledIn += 1;
  clearTimeout(current.timer);
  current.timer = null;
  look();
}

// What would happen now, played by the host on a copy of the round. A look that is due is not put off, or at a table
// that moves all the time the lines would stay as they once were.
function look() {
  if (!current || !current.offer.confirm || current.offer.lines || current.timer !== null) return;
  const mine = current;
  mine.timer = setTimeout(async () => {
    mine.timer = null;
    if (current !== mine) return;
    const { fields } = filled();
    if (!fields) return showLines([]);
    const { filledIn } = mine;
    const number = (mine.looks += 1);
    const answer = await post("/preview", { action: mine.offer.action, fields });
    if (current !== mine || filledIn !== mine.filledIn || number < mine.shown) return;
    mine.shown = number;
    byId("sheet-problem").textContent = answer.problem || "";
    showLines(answer.lines || []);
  }, LOOK_MS);
}

function showLines(lines) {
  const form = new FormData(byId("sheet").querySelector("form"));
  const chosen = current.offer.picks[form.get("pick") ?? -1];
  byId("sheet-preview").replaceChildren(
    ...(chosen && chosen.hint ? [el("div", { class: "explains", text: chosen.hint })] : []),
    ...(lines.length ? [el("h3", { text: "If you confirm now" })] : []),
    ...lines.map((line) =>
      el("p", {}, el("span", { text: line.words }), line.rule ? el("span", { class: "rule", text: line.rule }) : null),
    ),
  );
}

async function submit(event) {
  event.preventDefault();
  const { fields, missing } = filled();
  if (missing) {
    byId("sheet-problem").textContent = missing;
    return;
  }
  const mine = current;
  const { offer, send } = mine;
  mine.asking = true;
  byId("sheet-send").disabled = true;
  byId("sheet-send").textContent = "Asking the table…";
  const problem = await send({ action: offer.action, fields, label: offer.label, moment: offer.moment });
  if (current !== mine) return; // closed meanwhile; another one may be open
  mine.asking = false;
  if (problem) {
    if (checkMoment()) return; // said already
    byId("sheet-problem").textContent = problem;
    byId("sheet-send").disabled = false;
    byId("sheet-send").textContent = offer.confirm ? "Confirm" : "Send";
  } else closeSheet();
}
