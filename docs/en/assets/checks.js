/* Only under make serve: shows the checks of a page, and the page anew when something was saved. */

import { make } from "./elements.js";

const { page, edition } = document.querySelector("script[data-edition]").dataset;
const RETRY = 2000;

const words = make("p", { class: "checks__words", role: "status", "aria-live": "polite" });
const count = make("span", { class: "checks__count", "aria-hidden": "true" });
const list = make("ul");
const bar = make("aside", { class: "checks", "aria-label": "Checks of this page" }, words, count, list);
bar.hidden = true;
document.body.append(bar);

const statements = (number) => `${number} ${number === 1 ? "check" : "checks"}`;

/* What is said aloud: once when the checks begin, and once when they have ended. */
function sentence({ state, of, failures, warnings, notice }) {
  const said = {
    none: "",
    running: "Checking this page",
    passed: of === 1 ? "1 check passes" : `${of} checks pass`,
    failed: `${statements(failures.length)} of ${of || failures.length} failed`,
    broken: "The checks could not be run to their end",
  };
  const stops = warnings.length ? "make site would stop at this page" : "";
  return [said[state], stops, notice].filter(Boolean).join(". ");
}

function show(news) {
  const said = sentence(news);
  if (words.textContent !== said) words.textContent = said;
  const wrong = news.failures.length || news.warnings.length;
  bar.dataset.state = wrong && news.state !== "broken" ? "failed" : news.state;
  bar.hidden = !said;
  count.textContent = news.state === "running" && news.of ? `${news.done} of ${news.of}` : "";
  const items = news.failures.map(([file, line, message], at) => {
    const link = make("a", { href: news.places[at] }, `${file}, line ${line}`);
    return make("li", {}, link, make("pre", { tabindex: "0" }, message));
  });
  for (const message of [news.told, ...news.warnings].filter(Boolean)) {
    items.push(make("li", {}, make("pre", { tabindex: "0" }, message)));
  }
  if (items.length !== list.children.length) list.replaceChildren(...items);
}

let seen = 0;
let asking = false;

async function ask() {
  asking = true;
  while (document.visibilityState === "visible") {
    try {
      const answer = await fetch(`/checks.json?page=${encodeURIComponent(page)}&seen=${seen}`);
      const news = await answer.json();
      if (news.edition > Number(edition)) {
        location.reload();
        return;
      }
      seen = news.version;
      show(news);
    } catch {
      show({ state: "none", failures: [], warnings: [], notice: "make serve has ended" });
      await new Promise((done) => setTimeout(done, RETRY));
    }
  }
  asking = false;
}

document.addEventListener("visibilitychange", () => asking || ask());
ask();
