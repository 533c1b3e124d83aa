// The table as it stands, for everybody. Every colour has a word or a shape beside it.

import { byId, el, render, setText } from "./dom.js";

const SHAPES = { open: "▶", closed: "■", wait: "◆", void: "✕", calm: "●" };
const RESULTS = {
  win: ["▲", "wins"],
  lose: ["▼", "loses"],
  push: ["=", "push"],
  returned: ["↩", "goes back"],
};
const UNREAD = "??";
const SUITS = { S: ["♠", "spades"], H: ["♥", "hearts"], D: ["♦", "diamonds"], C: ["♣", "clubs"] };

let isStaff = false; // then cards can be tapped

export function showTable(table, staff) {
  isStaff = staff;
  setText("table-name", table.table);
  document.title = `${table.table} · Felt`;
  setText("game", [table.game, table.operator].filter(Boolean).join(" · "));
  setText("round-number", table.round.number ? `Round ${table.round.number}` : "");
  render("state", table.round, stateBanner);
  const { alarms, faults, called, question, hand_pays: handPays, holds, seen, loose } = table;
  render("notices", { alarms, faults, called, question, handPays, holds, seen, loose, staff }, notices);
  render("dealer", [table.dealer, table.meter, staff], dealer);
  render("boxes", [table.boxes, table.lines, staff], boxes);
  render("limits", table.limits, limits);
  render("recent", table.recent, recent);
}

function stateBanner(round) {
  byId("state").dataset.mood = round.mood;
  byId("state").dataset.state = round.state;
  return [
    el("span", { class: "shape", text: SHAPES[round.mood], "aria-hidden": "true" }),
    el("div", {}, el("strong", { text: round.words }), el("p", { text: round.sentence })),
  ];
}

function notices({ alarms, faults, called, question, handPays, holds, seen, loose }) {
  const made = alarms.map((words) => notice("alarm", "⚠", "Alarm", words));
  for (const fault of faults) made.push(notice("fault", "✕", `Fault: ${fault.words}`, fault.advice));
  if (called) made.push(notice("called", "☎", `The ${called} is called to this table`, ""));
  if (question) {
    const rule = ruleText(question.rule);
    const waiting = question.pending.length ? ` Still to choose: ${question.pending.join(", ")}.` : "";
    const title = `Waiting for ${question.who}: ${question.situation}`;
    made.push(notice("question", "◆", title, question.words + waiting, rule));
  }
  for (const pay of handPays)
    made.push(notice("hand-pay", "★", "Hand pay", `${pay.money} to be paid by hand to ${pay.player}.`));
  for (const words of holds) made.push(notice("hold", "■", "Held back", words));
  if (seen.length) made.push(notice("seen", "◉", "Cards the table has seen", "", "", cards(seen)));
  if (loose) made.push(notice("seen", "◇", "Cards in no hand", "", "", cards([], loose, null)));
  return made;
}

function notice(kind, shape, title, words, rule = "", extra = null) {
  return el(
    "div",
    { class: `notice ${kind}` },
    el("span", { class: "shape", text: shape, "aria-hidden": "true" }),
    el(
      "div",
      {},
      el("strong", { text: title }),
      words ? el("p", { text: words }) : null,
      extra,
      rule ? el("p", { class: "rule", text: rule }) : null,
    ),
  );
}

export function ruleText(rule) {
  const parts = [];
  if (rule.paragraph) parts.push(`${rule.paragraph}${rule.meaning ? `: ${rule.meaning}` : ""}`);
  if (rule.ruling) parts.push(`Reading ${rule.ruling}${rule.reading ? `: ${rule.reading}` : ""}`);
  return parts.join(" · ");
}

function dealer([hand, meter]) {
  return [
    el("div", { class: "label", text: "Dealer" }),
    cards(hand.cards, hand.lying, 0),
    el("div", { class: "hand-name", text: [hand.name, hand.qualifies].filter(Boolean).join(", ") }),
    meter ? el("div", { class: "meter" }, el("span", { text: "Jackpot " }), el("strong", { text: meter })) : null,
  ];
}

// `place` is the hand they lie in, 0 for the dealer's and null for none. Staff can tap a card that has one.
function cards(words, lying = 0, place = undefined) {
  const made = [];
  for (let at = 0; at < Math.max(words.length, lying); at += 1) made.push(card(words[at] || "", place, at));
  return el("div", { class: "cards" }, ...made);
}

function card(word, place, at) {
  const [shape, suit] = SUITS[word[1]] || [];
  const rank = word[0] === "T" ? "10" : word[0];
  const name = shape ? `${rank} of ${suit}` : word === UNREAD ? "not read" : "face down";
  const faces = shape ? [el("b", { text: rank }), el("i", { text: shape })] : word ? [el("b", { text: "?" })] : [];
  const looks = { class: shape ? `card suit-${word[1]}` : "card back" };
  if (place === undefined || !isStaff) return el("span", { ...looks, role: "img", "aria-label": name }, ...faces);
  const label = `${placeName(place)}, card ${at + 1}, ${name}`;
  const told = { "data-place": String(place), "data-at": String(at), "data-card": word };
  return el("button", { ...looks, type: "button", "aria-label": label, ...told }, ...faces);
}

export function placeName(place) {
  return place === 0 ? "Dealer" : place === null ? "In no hand" : `Box ${place}`;
}

function boxes([found, lines]) {
  return found.map((box) => {
    const settled = lines.filter((line) => line.box === box.number);
    const marks = [box.out ? "out of play" : "", box.decision].filter(Boolean).join(", ");
    return el(
      "article",
      { class: box.out ? "box out" : "box", "data-box": box.number },
      el(
        "div",
        { class: "box-head" },
        el("span", { class: "label", text: `Box ${box.number}` }),
        marks ? el("span", { class: "mark", text: marks }) : null,
        box.stands && !settled.length ? result(box.stands) : null,
      ),
      cards(box.hand.cards, box.hand.lying, box.number),
      box.hand.name ? el("div", { class: "hand-name", text: box.hand.name }) : null,
      ...byPlayer(settled.length ? settled : box.bets, settled.length ? settledLine : bet),
      box.bets.length || settled.length ? null : el("p", { class: "empty", text: "No bets" }),
    );
  });
}

// Each player once, with the wagers below the name.
function byPlayer(found, make) {
  const players = [...new Set(found.map((one) => one.player))];
  return players.map((player) =>
    el(
      "div",
      { class: "player" },
      el("strong", { text: player }),
      ...found.filter((one) => one.player === player).map(make),
    ),
  );
}

function bet(one) {
  return el(
    "div",
    { class: "bet" },
    el("span", { class: "wager", text: one.wager }),
    el("span", { class: "money", text: one.money }),
  );
}

function settledLine(line) {
  const back = [line.stake, line.returned].filter(Boolean).join(" → ");
  return el(
    "div",
    { class: "bet settled", title: line.rule ? `Paragraph ${line.rule}` : "" },
    el("span", { class: "wager", text: line.wager }),
    result(line.result),
    el("span", { class: "money", text: back }),
  );
}

function result(name) {
  const [shape, word] = RESULTS[name];
  return el("span", { class: `result ${name}`, text: `${shape} ${word}` });
}

function limits(found) {
  return found.map((limit) => el("span", {}, el("b", { text: limit.wager }), ` ${limit.text}`));
}

function recent(found) {
  return found.map((one) =>
    el(
      "li",
      { class: one.refused ? "refused" : null },
      el("span", { text: one.words }),
      one.rule ? el("span", { class: "rule", text: one.rule }) : null,
      one.staff ? el("span", { class: "by", text: one.staff }) : null,
    ),
  );
}
