// Builds elements. Text goes in as text only, so nothing that a player is called can become markup.

export function el(tag, options = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") made.className = value;
    else if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

export const byId = (id) => document.getElementById(id);

// Renders a part of the page only when what it shows has changed, so that a finger never meets a moving target.
const shown = new Map();

export function render(id, data, make) {
  const key = JSON.stringify(data);
  if (shown.get(id) === key) return;
  shown.set(id, key);
  byId(id).replaceChildren(...[make(data)].flat().filter(Boolean));
}

export function setText(id, text) {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
}
