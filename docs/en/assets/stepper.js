/* Plays a recorded run of the engine. The page is complete without it: the steps are a list. */

import { make } from "./elements.js";

const SECOND = 1000;

/* The states of a run, from what changes between its steps. */
function unfold({ names, texts, steps }) {
  const full = (at) => (typeof texts[at] === "string" ? texts[at] : texts[at][0]);
  const brief = (at) => (typeof texts[at] === "string" ? texts[at] : texts[at][1]);
  let state = { nodes: [], boxes: [], purse: [], opened: [], hand: null };
  return steps.map((change) => {
    state = { ...state, ...change };
    const purse = state.purse.map(([node, text]) => `${names[node]}: ${full(text)}`);
    return {
      nodes: new Set(state.nodes),
      boxes: new Set(state.boxes),
      waiting: new Map(state.purse.map(([node, text]) => [node, brief(text)])),
      opened: new Map(state.opened.map(([node, text]) => [node, brief(text)])),
      hand: state.hand && [state.hand[0], brief(state.hand[1])],
      held: state.hand ? `${full(state.hand[1])} for ${names[state.hand[0]]}` : "",
      purse: `{${purse.join(", ")}}`,
      active: state.active,
      line: full(state.line),
      program: full(state.program),
      at: full(state.at),
    };
  });
}

class TraceStepper extends HTMLElement {
  connectedCallback() {
    if (this.states) return;
    this.states = unfold(JSON.parse(this.querySelector("script").textContent));
    this.list = this.querySelector("ol");
    this.items = [...this.list.children];
    this.stage = this.querySelector(".stage");
    this.cells = [...this.querySelectorAll("[data-node]")];
    this.edges = [...this.querySelectorAll(".edge")];
    this.id_ = this.closest("figure").id;
    this.build();
    this.listen();
    this.show(1);
    this.open();
  }

  build() {
    this.words = make("p", { class: "words", "aria-live": "polite" });
    this.facts = make("dl", { class: "facts" });
    this.fact = {};
    const held = this.states.some((state) => state.hand) ? ["in hand", "in the purse"] : [];
    for (const name of ["in your program", "in the engine", ...held]) {
      const row = make("div");
      this.fact[name] = make("dd");
      row.append(make("dt", {}, name), this.fact[name]);
      this.facts.append(row);
    }
    this.buttons = {};
    const bar = make("div", { class: "controls", role: "group", "aria-label": "Steps" });
    const looks = [
      ["first", "First step"],
      ["back", "One step back"],
      ["play", "Play"],
      ["next", "One step forward"],
      ["last", "Last step"],
    ];
    for (const [name, label] of looks) {
      this.buttons[name] = make("button", { type: "button", class: name, "aria-label": label });
      this.buttons[name].title = label;
      bar.append(this.buttons[name]);
    }
    this.slider = make("input", { type: "range", min: 1, max: this.items.length, value: 1 });
    this.slider.setAttribute("aria-label", "Step");
    this.count = make("a", { class: "count", title: "Link to this step" });
    bar.append(this.slider, this.count);
    const all = make("details");
    all.append(make("summary", {}, `All ${this.items.length} steps`), this.list);
    this.append(this.stage, bar, this.words, this.facts, all);
    this.classList.add("ready");
  }

  listen() {
    this.buttons.first.addEventListener("click", () => this.go(1));
    this.buttons.back.addEventListener("click", () => this.go(this.at - 1));
    this.buttons.play.addEventListener("click", () => this.toggle());
    this.buttons.next.addEventListener("click", () => this.go(this.at + 1));
    this.buttons.last.addEventListener("click", () => this.go(this.items.length));
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.addEventListener("keydown", (event) => this.press(event));
    window.addEventListener("hashchange", () => this.open());
  }

  /* Keys work wherever the focus is in the player; what an element does by itself it goes on doing. */
  press(event) {
    const { key, target } = event;
    if (event.altKey || event.ctrlKey || event.metaKey || target.closest("details")) return;
    const steps = {
      ArrowLeft: this.at - 1,
      ArrowRight: this.at + 1,
      Home: 1,
      End: this.items.length,
    };
    if (key in steps) this.go(steps[key]);
    else if (key === " " && target.tagName !== "BUTTON") this.toggle();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /* A step that the reader asked for ends the playing. */
  go(step) {
    this.pause();
    this.show(step);
  }

  toggle() {
    if (this.timer) {
      this.pause();
      return;
    }
    if (this.at === this.items.length) this.show(1);
    this.timer = setInterval(() => {
      this.show(this.at + 1);
      if (this.at === this.items.length) this.pause();
    }, 1.6 * SECOND);
    this.name("Pause");
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.name("Play");
  }

  name(label) {
    this.buttons.play.setAttribute("aria-label", label);
    this.buttons.play.title = label;
    this.classList.toggle("playing", label === "Pause");
  }

  /* #step=12, or #stepper-2-step=12 where a page has several players. */
  open() {
    const [, name, step] = /^#(?:(.+)-)?step=(\d+)$/.exec(window.location.hash) ?? [];
    if (!step || (name ?? "stepper-1") !== this.id_) return;
    this.go(Number(step));
    this.closest("figure").scrollIntoView();
  }

  get hash() {
    const alone = document.querySelectorAll("trace-stepper").length === 1;
    return `#${alone ? "" : `${this.id_}-`}step=${this.at}`;
  }

  show(step) {
    this.at = Math.min(Math.max(step, 1), this.items.length);
    const state = this.states[this.at - 1];
    const item = this.items[this.at - 1];
    this.words.replaceChildren(...item.querySelector(".words").cloneNode(true).childNodes);
    this.tell(item, state);
    this.draw(state);
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `step ${this.at} of ${this.items.length}`);
    this.count.textContent = `${this.at} / ${this.items.length}`;
    this.count.href = this.hash;
    /* A button that is switched off would lose the focus, and with it the keys. */
    for (const name of ["first", "back"]) {
      this.buttons[name].setAttribute("aria-disabled", this.at === 1);
    }
    for (const name of ["next", "last"]) {
      this.buttons[name].setAttribute("aria-disabled", this.at === this.items.length);
    }
    for (const each of this.items) each.removeAttribute("aria-current");
    item.setAttribute("aria-current", "step");
  }

  /* The lines that run, and what the pass holds. */
  tell(item, state) {
    const line = item.querySelector(".line").cloneNode(true);
    const own = document.getElementById(state.at);
    this.fact["in your program"].replaceChildren(make("code", {}, state.program));
    if (own) this.fact["in your program"].append(" ", make("a", { href: `#${own.id}`, class: "line" }, "above"));
    this.fact["in the engine"].replaceChildren(make("code", {}, state.line), " ", line);
    const hand = state.held ? make("code", {}, state.held) : "nothing";
    this.fact["in hand"]?.replaceChildren(hand);
    this.fact["in the purse"]?.replaceChildren(make("code", {}, state.purse));
    const running = this.blockLine(line);
    if (running) this.fact["in the engine"].querySelector(".line").href = `#${running.id}`;
    for (const each of this.lit ?? []) each.classList.remove("running");
    this.lit = [own, running].filter(Boolean);
    for (const each of this.lit) each.classList.add("running");
  }

  /* The line of the engine in its block, if that is on this page. */
  blockLine(line) {
    if (!line.hash || line.pathname !== window.location.pathname) return null;
    return document.getElementById(`${decodeURIComponent(line.hash.slice(1))}-${line.dataset.line}`);
  }

  draw(state) {
    for (const cell of this.cells) {
      const node = Number(cell.dataset.node);
      const [box, body, cotangent] = cell.children;
      const amount = this.amount(state, node);
      cell.classList.toggle("active", node === state.active);
      box.setAttribute("class", `box ${this.being("boxes", node)}`);
      body.setAttribute("class", `node ${this.being("nodes", node)}`);
      cotangent.setAttribute("class", `cotangent ${amount[0]}`);
      cotangent.querySelector("text").textContent = amount[1];
    }
    for (const edge of this.edges) {
      const from = Number(edge.dataset.from);
      const active = from === state.active ? "active" : "";
      edge.setAttribute("class", `edge ${this.being("nodes", from)} ${active}`);
    }
    this.follow();
  }

  /* Whether a node, or its box, exists at this step, or did, or will. */
  being(kind, node) {
    if (this.states[this.at - 1][kind].has(node)) return "there";
    return this.states.slice(0, this.at).some((state) => state[kind].has(node)) ? "past" : "future";
  }

  /* How the cotangent of a node is, and what it is. */
  amount(state, node) {
    if (state.hand?.[0] === node) return ["hand", state.hand[1]];
    if (state.waiting.has(node)) return ["waiting", state.waiting.get(node)];
    if (state.opened.has(node)) return ["opened", state.opened.get(node)];
    return ["future", ""];
  }

  /* Scroll the drawing, and nothing but the drawing, to the node of the step. */
  follow() {
    const cell = this.querySelector("[data-node].active");
    if (!cell) return;
    const [inner, outer] = [cell.getBoundingClientRect(), this.stage.getBoundingClientRect()];
    const left = inner.left + inner.width / 2 - outer.left - outer.width / 2;
    const top = inner.top + inner.height / 2 - outer.top - outer.height / 2;
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.stage.scrollBy({ left, top, behavior: calm ? "instant" : "smooth" });
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }
}

customElements.define("trace-stepper", TraceStepper);
