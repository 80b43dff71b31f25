/* Lights what belongs together: a node of a graph, the lines that asked for it, and the rows that
   tell of it. Without this file the same things are links. Nothing here moves or scrolls. */

const PART = "[data-lights]";
const parts = new Map();

for (const part of document.querySelectorAll(PART)) {
  for (const key of part.dataset.lights.split(" ")) {
    if (!parts.has(key)) parts.set(key, []);
    parts.get(key).push(part);
  }
}

const hints = new Map(
  [...document.querySelectorAll(".drawing > .hint")].map((hint) => [hint, hint.textContent]),
);
let from = null; // the part that the reader points at
let dismissed = null; // what the reader has darkened, and still points at
let tapped = null;

/* A node is a link to its line or, where no line is on the page, a part of the drawing. */
function isNode(part) {
  return part.id === part.dataset.lights;
}

function light(part) {
  if (part === from) return;
  darken();
  from = part;
  for (const key of part.dataset.lights.split(" ")) {
    for (const each of parts.get(key)) each.classList.add("lit");
  }
  for (const hint of hints.keys()) tell(hint);
  const nodes = [...document.querySelectorAll(`${PART}.lit`)].filter(isNode);
  if (nodes.length === 1) mark(nodes[0].dataset.pieces?.split(" ") ?? []);
}

function darken() {
  from = null;
  window.CSS.highlights?.delete("asked");
  for (const each of document.querySelectorAll(`${PART}.lit`)) each.classList.remove("lit");
  for (const [hint, words] of hints) hint.textContent = words;
}

/* Of the lines of a lone node, the expressions that it is the value of; older browsers show lines. */
function mark(pieces) {
  if (!window.CSS.highlights) return;
  const ranges = pieces.map((piece) => {
    const [, id, ...ends] = /^(.+):(\d+)-(\d+)$/.exec(piece);
    return range(document.getElementById(id), ...ends.map(Number));
  });
  window.CSS.highlights.set("asked", new Highlight(...ranges));
}

/* The letters from start to end of an element, whatever it is coloured by. */
function range(element, start, end) {
  const found = new Range();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let place = 0;
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const next = place + text.length;
    if (place <= start && start < next) found.setStart(text, start - place);
    if (place < end && end <= next) found.setEnd(text, end - place);
    place = next;
  }
  return found;
}

/* Under its drawing a lit node says where it is from: the lines may be out of sight. */
function tell(hint) {
  const nodes = [...hint.parentElement.querySelectorAll(`${PART}.lit`)].filter(isNode);
  if (nodes.length === 0) return;
  const rows = nodes.flatMap((node) => parts.get(node.id).filter((part) => part.tagName === "TR"));
  const said = nodes.length > 1 ? `${nodes.length} nodes` : nodes[0].getAttribute("aria-label");
  const count = rows.length === 1 ? "1 row" : `${rows.length} rows`;
  hint.textContent = rows.length ? `${said}; ${count} of tables` : said;
}

/* What has the focus stays lit when the pointer goes. */
function rest() {
  const held = document.activeElement?.closest(PART);
  if (held) light(held);
  else if (from) darken();
}

document.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch") return;
  const part = event.target.closest(PART);
  if (part !== dismissed) dismissed = null;
  if (part && part !== dismissed) light(part);
  else if (!part) rest();
});
document.documentElement.addEventListener("pointerleave", (event) => {
  if (event.pointerType !== "touch") rest();
});
document.addEventListener("focusin", (event) => {
  const part = event.target.closest(PART);
  if (part) light(part);
});
document.addEventListener("focusout", (event) => {
  if (!event.relatedTarget?.closest(PART)) darken();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !from) return;
  dismissed = from;
  darken();
});

/* The first tap lights; only the second one follows a link. */
let touch = false;
document.addEventListener("pointerdown", (event) => {
  touch = event.pointerType === "touch";
});
document.addEventListener("click", (event) => {
  if (!touch) return;
  const part = event.target.closest(PART);
  if (part && part !== tapped) event.preventDefault();
  tapped = part;
  if (part) light(part);
  else if (from) darken();
});
