/* Words with a slip: where a word that was typed begins no word of the index, the nearest one is offered.
   The theme does the search; this only looks at what is in the box, and puts a better word there. */

const INDEX = new URL("../search/search_index.json", import.meta.url);
const SHORTEST = 4; // of shorter words too many are one letter away from another
const WORD = /[\p{L}\p{N}]+/gu;

let wanted;

/* The words of the index, most frequent first: the theme has fetched the file already. */
async function readWords() {
  const { docs } = await (await fetch(INDEX)).json();
  const counts = new Map();
  for (const { title, text } of docs) {
    const plain = `${title} ${text}`.replace(/<[^>]*>/g, " ").toLowerCase();
    for (const [word] of plain.matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].sort((one, other) => other[1] - one[1]).map(([word]) => word);
}

/* How many letters must be put in, left out, changed, or exchanged with their neighbour. */
function distance(one, other) {
  let before = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + !same);
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (swapped) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    [before, row] = [row, next];
  }
  return row[other.length];
}

function nearest(word, words) {
  if (word.length < SHORTEST || words.some((each) => each.startsWith(word))) return word;
  const close = words.filter((each) => Math.abs(each.length - word.length) <= 1 && each.length >= SHORTEST);
  return close.find((each) => distance(word, each) === 1) ?? word;
}

function offer(box, hint, better) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = better;
  button.addEventListener("click", () => {
    box.value = better;
    box.focus();
    box.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
    hint.hidden = true;
  });
  hint.replaceChildren("Did you mean ", button, "?");
}

async function look(box, hint) {
  wanted ??= readWords();
  const words = await wanted;
  const better = box.value.toLowerCase().replace(WORD, (word) => nearest(word, words));
  hint.hidden = better === box.value.toLowerCase();
  if (!hint.hidden) offer(box, hint, better);
}

const box = document.querySelector("[data-md-component=search-query]");
const results = document.querySelector("[data-md-component=search-result]");
if (box && results && window.location.protocol.startsWith("http")) {
  const hint = document.createElement("p");
  hint.className = "search-hint";
  hint.hidden = true;
  hint.setAttribute("role", "status");
  results.before(hint);
  box.addEventListener("input", () => look(box, hint));
}
