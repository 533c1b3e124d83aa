// The staff console. What is possible comes from the host; what is done, only from the table's own answer.

import { byId, el, render } from "./dom.js";
import { openMenu, openSheet } from "./sheet.js";

const GROUPS = ["Round", "Bets and players", "Cards", "Irregularities", "Questions", "Table"];
const buttons = new Map();
let group = "Round";
let latest = [];
let asked = false;

export function showConsole(console, send) {
  byId("console").hidden = !console;
  document.body.classList.toggle("with-console", Boolean(console));
  if (!console) return;
  latest = console.offers;
  const question = latest.some((offer) => offer.group === "Questions");
  // A question is what staff look for when there is one.
  if (question && !asked) group = "Questions";
  if (!question && asked && group === "Questions") group = "Round";
  asked = question;
  showUndo(console.undo, send);
  showOffers(send);
}

function showUndo(undo, send) {
  byId("undo").hidden = !undo;
  render("undo", undo, (found) =>
    found
      ? [
          el("div", {}, el("span", { text: found.label }), el("span", { class: "by", text: found.staff })),
          el("button", {
            type: "button",
            id: "undo-button",
            text: "Undo",
            disabled: !found.possible,
            onclick: () => openSheet(undoOffer(found), (body) => send({ ...body, number: found.number })),
          }),
          found.possible ? null : el("p", { class: "why", text: whyText(found) }),
        ]
      : [],
  );
}

function undoOffer(undo) {
  return { action: "undo", label: undo.label, picks: [], inputs: [], confirm: true, explains: [], lines: undo.lines };
}

function showOffers(send) {
  const groups = GROUPS.filter((name) => latest.some((offer) => offer.group === name));
  const calling = groups.map(needsAttention);
  render("groups", [groups, group, calling], () =>
    groups.map((name, number) =>
      el("button", {
        type: "button",
        text: calling[number] ? `${name} ◆` : name,
        class: name === group ? "chosen" : null,
        "aria-pressed": String(name === group),
        onclick: () => {
          group = name;
          showOffers(send);
        },
      }),
    ),
  );
  const wanted = latest.filter((offer) => offer.group === group);
  const places = wanted.map((offer) => place(offer, send));
  const holder = byId("offers");
  // Buttons stay where they are while the table moves on, so that a tap is never lost.
  if (places.length !== holder.children.length || places.some((one, number) => holder.children[number] !== one))
    holder.replaceChildren(...places);
}

// Where something waits for staff: a question, a fault, a jackpot to be paid.
function needsAttention(name) {
  return latest.some(
    (offer) => offer.group === name && (name === "Questions" || /^(clear_|hand_paid$)/.test(offer.action)),
  );
}

function place(offer, send) {
  let kept = buttons.get(offer.action);
  if (!kept) {
    const why = el("p", { class: "why" });
    const button = el("button", { type: "button", "data-action": offer.action });
    kept = { holder: el("div", { class: "offer" }, button, why), button, why };
    button.addEventListener("click", () => begin(kept.offer, send, button));
    buttons.set(offer.action, kept);
  }
  kept.offer = offer;
  kept.button.textContent = offer.label;
  kept.button.classList.toggle("primary", offer.primary);
  kept.button.disabled = !offer.possible || kept.button.classList.contains("asking");
  kept.why.textContent = offer.possible ? "" : whyText(offer);
  return kept.holder;
}

// -- tap a card, say where it lies

// What can be said of a card: the action, its words, of which cards, and which of the action's picks are about it.
const UNREAD = "??";
const SAID_OF_CARDS = [
  ["entered", "It is named", (card) => card.word === UNREAD, (pick, card) => pick.place === card.place],
  ["lies", "It lies elsewhere", () => true, (pick, card) => pick.of === card.place && pick.at === card.at],
  ["turned", "It lies open", (card) => !card.word && card.place !== null, (pick, card) => pick.place === card.place],
  ["handled", "A player touched it", (card) => Boolean(card.place), (pick, card) => pick.box === card.place],
];

export function openCard(button, send) {
  const { place, at, card: word } = button.dataset;
  const card = { place: place === "null" ? null : Number(place), at: Number(at), word };
  const found = [];
  for (const [action, label, applies, fits] of SAID_OF_CARDS) {
    const offer = latest.find((one) => one.action === action);
    if (!offer || !applies(card)) continue;
    const picks = offer.picks.filter((pick) => fits(pick.fields, card));
    if (picks.length || !offer.possible) found.push({ ...offer, picks, label, why: whyText(offer) });
  }
  openMenu(button.getAttribute("aria-label"), found, send);
}

function whyText(offer) {
  return offer.rule ? `${offer.why} (${offer.rule})` : offer.why;
}

async function begin(offer, send, button) {
  if (offer.confirm || offer.picks.length || offer.inputs.length) {
    openSheet(offer, send);
    return;
  }
  button.classList.add("asking");
  button.disabled = true;
  await send({ action: offer.action, fields: {}, label: offer.label });
  button.classList.remove("asking");
  button.disabled = !buttons.get(offer.action).offer.possible;
}
