/* Shows a whole module beside the article, with one block marked. Without this script, and where the
   page of the module cannot be had, the link that opens the drawer is a link to that page. */

import { make } from "./elements.js";

const SHOWN = 1500;

/* A module as its page shows it. The copy has no ids, for this page may have the same ones, and its
   links lead where they led there. */
async function take(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  const there = new DOMParser().parseFromString(await answer.text(), "text/html");
  const listing = document.importNode(there.querySelector(".listing.module"), true);
  for (const link of listing.querySelectorAll("a")) {
    link.href = new URL(link.getAttribute("href"), url);
  }
  const blocks = [...listing.querySelectorAll(".block")];
  const names = blocks.map((block) => block.id);
  for (const element of [listing, ...listing.querySelectorAll("[id]")]) {
    element.removeAttribute("id");
  }
  const text = listing.querySelector(".copy").dataset.clipboardText;
  const file = listing.querySelector("figcaption a");
  return { url, listing, blocks, names, text, file };
}

class Drawer {
  constructor() {
    this.modules = new Map();
    this.title = make("h2", { class: "drawer__title", id: "drawer-title" });
    this.place = make("span", { class: "drawer__place" });
    this.facts = make("p", { class: "drawer__facts" });
    this.page = make("a", {}, "Page");
    this.file = make("a", {}, "File");
    this.body = make("div", { class: "drawer__body", tabindex: 0, role: "region" });
    this.previous = this.button("\u2190", "Previous block", () => this.mark(this.at - 1));
    this.next = this.button("\u2192", "Next block", () => this.mark(this.at + 1));
    this.dialog = make("dialog", { class: "drawer md-typeset", "aria-labelledby": "drawer-title" });
    this.dialog.append(this.head(), this.body);
    this.dialog.addEventListener("keydown", (event) => this.press(event));
    this.dialog.addEventListener("click", (event) => this.leave(event));
    window.addEventListener("popstate", () => this.dialog.close());
    document.body.append(this.dialog);
  }

  head() {
    const close = this.button("\u00d7", "Close", () => this.dialog.close());
    const steps = make("div", { class: "drawer__steps" }, this.previous, this.place, this.next);
    const rest = make("div", { class: "drawer__rest" }, this.page, this.file);
    if (navigator.clipboard) {
      rest.append(this.copier("Copy block", () => this.code()));
      rest.append(this.copier("Copy module", () => this.module.text));
    }
    const told = make("div", { "aria-live": "polite" }, this.facts);
    const top = make("div", { class: "drawer__bar" }, this.title, close);
    const bar = make("div", { class: "drawer__bar" }, steps, rest);
    return make("div", { class: "drawer__head" }, top, bar, told);
  }

  button(sign, label, act) {
    const button = make("button", { type: "button", "aria-label": label, title: label }, sign);
    button.addEventListener("click", act);
    return button;
  }

  copier(label, text) {
    const button = make("button", { type: "button" }, label);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = label), SHOWN);
    });
    return button;
  }

  async open(link) {
    const [url, block] = link.href.split("#");
    this.wanted = link;
    if (!this.modules.has(url)) this.modules.set(url, await take(url));
    if (this.wanted !== link) return; // the reader has asked for another one meanwhile
    this.module = this.modules.get(url);
    const at = this.module.names.indexOf(block);
    if (at < 0) throw new Error(`${url} has no block ${block}`);
    this.title.textContent = this.module.file.textContent;
    this.file.href = this.module.file.href;
    this.body.setAttribute("aria-label", this.title.textContent);
    this.body.replaceChildren(this.module.listing);
    link.focus({ preventScroll: true }); // here a dialog leads back to when it is closed
    if (!this.dialog.open) this.dialog.showModal();
    this.body.focus();
    this.mark(at, "instant");
    this.showLine(link.dataset.line);
  }

  /* A link may name a line of the module: show it too. */
  showLine(number) {
    this.line?.classList.remove("running");
    const numbers = [...this.body.querySelectorAll("[data-linenos]")];
    this.line = numbers.find((each) => each.dataset.linenos.trim() === number)?.parentElement;
    this.line?.classList.add("running");
    this.line?.scrollIntoView({ block: "center", behavior: "instant" });
  }

  /* Mark a block, say what is known of it, and scroll to it. */
  mark(wanted, behavior) {
    const { blocks, names, url } = this.module;
    this.at = Math.min(Math.max(wanted, 0), blocks.length - 1);
    const block = blocks[this.at];
    for (const each of blocks) {
      each.classList.toggle("marked", each === block);
      each.setAttribute("aria-current", each === block);
    }
    const parts = [...block.querySelector("header").cloneNode(true).children];
    this.facts.replaceChildren(...parts.map((part) => make("span", {}, ...part.childNodes)));
    this.place.textContent = `block ${this.at + 1} of ${blocks.length}`;
    this.page.href = `${url}#${names[this.at]}`;
    this.previous.setAttribute("aria-disabled", this.at === 0);
    this.next.setAttribute("aria-disabled", this.at === blocks.length - 1);
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const how = behavior ?? (calm ? "instant" : "smooth");
    this.body.scrollTo({ top: block.offsetTop, left: 0, behavior: how });
  }

  code() {
    const { first, last } = this.module.blocks[this.at].dataset;
    return `${this.module.text.split("\n").slice(first - 1, last).join("\n")}\n`;
  }

  /* The arrows lead from block to block, where they are not needed to scroll sideways. */
  press(event) {
    const { key, target, altKey, ctrlKey, metaKey } = event;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const wide = target === this.body && this.body.scrollWidth > this.body.clientWidth;
    if (!step || altKey || ctrlKey || metaKey || wide) return;
    event.preventDefault();
    this.mark(this.at + step);
  }

  /* A click beside the drawer closes it, and so does a link to a place on this very page. */
  leave({ target }) {
    const link = target.closest("a");
    const here = link?.href.split("#")[0] === window.location.href.split("#")[0];
    if (target === this.dialog || here) this.dialog.close();
  }
}

let drawer;

/* Whoever wants the link in a window of its own shall have it. Pages from a folder cannot be read. */
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a.whole");
  const aside = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link || aside || !window.location.protocol.startsWith("http")) return;
  event.preventDefault();
  drawer ??= new Drawer();
  try {
    await drawer.open(link);
  } catch {
    if (drawer.wanted === link) window.location.assign(link.href);
  }
});
