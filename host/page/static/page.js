// Puts the page together: the link, the table, the login and the console.

import { openCard, showConsole } from "./console.js";
import { byId, el, setText } from "./dom.js";
import { TableLink } from "./link.js";
import { post, useChangeToken } from "./send.js";
import { closeSheet, refreshSheet } from "./sheet.js";
import { showTable } from "./table.js";

const TOAST_MS = 6000;
const MOVED_ON = "Nothing was sent: the table has moved on. Look at it, then decide again.";
const NO_ANSWER = "No answer; it may have been done. Look at the table before you do it again.";
let me = null;
let linkLost = "";
let tableLost = "The page has not heard of the table yet.";

const link = new TableLink({
  onState: (message) => {
    showMe(message.me);
    if (message.table) {
      showTable(message.table, Boolean(me));
      tableLost = message.stuck || (message.table.link.up ? "" : message.table.link.why);
    } else tableLost = message.stuck || tableLost;
    showConsole(me ? message.console : null, send);
    if (me && message.console && refreshSheet(message.console.offers)) toast("wait", `◆ ${MOVED_ON}`, true);
    showLink();
  },
  onDisplay: (version) => {
    byId("display").src = `/display.png?n=${encodeURIComponent(version)}`;
  },
  onLost: (why) => {
    linkLost = why;
    showLink();
  },
  onBack: () => {
    linkLost = "";
    showLink();
  },
});

function showLink() {
  const why = linkLost || tableLost;
  byId("stale").hidden = !why;
  setText("stale-why", why);
  setText("link", why ? "✕ stale" : "● live");
  byId("link").classList.toggle("down", Boolean(why));
  document.body.classList.toggle("is-stale", Boolean(why));
}

function showMe(found) {
  const was = me;
  me = found;
  useChangeToken(found && found.change);
  setText("staff", found ? `${found.name}, ${found.title}` : "");
  byId("log-in").hidden = Boolean(found);
  byId("log-out").hidden = !found;
  if (was && !found) {
    closeSheet();
    toast("wait", "◆ Your login has ended.");
  }
}

// Returns what keeps a sheet open, or nothing when there is nothing to put right in it.
async function send(body) {
  const { label, ...wanted } = body;
  const answer = await post("/do", wanted);
  if (answer.unanswered) {
    toast("wait", `◆ ${NO_ANSWER}`, true);
    return ""; // the sheet goes, so that the table can be seen
  }
  if (answer.problem) {
    toast("refused", `✕ Not done: ${answer.problem}`);
    return answer.problem;
  }
  const rule = answer.rule ? ` (${answer.rule})` : "";
  if (answer.done) toast("done", `✓ Done: ${label}`);
  else if (answer.done === null) toast("wait", `◆ ${answer.words}`, true);
  else toast("refused", `✕ Refused: ${answer.words}${rule}`);
  return "";
}

// One that stays is there until the next, or until it is touched.
function toast(kind, words, stays = false) {
  const made = el("div", { class: `toast ${kind}`, text: words });
  byId("toasts").replaceChildren(made); // the newest is what counts
  made.classList.toggle("stays", stays);
  if (stays) made.addEventListener("click", () => made.remove());
  else setTimeout(() => made.remove(), TOAST_MS);
}

document.querySelector(".table").addEventListener("click", (event) => {
  const card = event.target.closest("button.card");
  if (card) openCard(card, send);
});

// -- login

const loginSheet = byId("login-sheet");

byId("log-in").addEventListener("click", () => {
  byId("login-problem").textContent = "";
  byId("login-pin").value = "";
  loginSheet.showModal();
  byId("login-name").focus();
});
byId("login-cancel").addEventListener("click", () => loginSheet.close());
loginSheet.addEventListener("close", () => (byId("login-pin").value = ""));

for (const key of ["1", "2", "3", "4", "5", "6", "7", "8", "9", "Clear", "0", "⌫"]) {
  byId("keypad").append(
    el("button", {
      type: "button",
      text: key,
      "aria-label": key === "⌫" ? "Delete the last digit" : null,
      onclick: () => {
        const pin = byId("login-pin");
        if (key === "Clear") pin.value = "";
        else if (key === "⌫") pin.value = pin.value.slice(0, -1);
        else if (pin.value.length < pin.maxLength) pin.value += key;
      },
    }),
  );
}

loginSheet.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = byId("login-send");
  button.disabled = true;
  const answer = await post("/login", { name: byId("login-name").value, pin: byId("login-pin").value });
  button.disabled = false;
  byId("login-pin").value = "";
  if (answer.problem) {
    byId("login-problem").textContent = answer.problem;
    return;
  }
  loginSheet.close();
  link.open();
});

byId("log-out").addEventListener("click", async () => {
  const answer = await post("/logout", {});
  if (answer.problem) toast("refused", `✕ ${answer.problem}`);
  link.open();
});

showLink();
link.open();
