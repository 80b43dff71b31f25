/* Plays a recorded run of the engine. The page is complete without it: the steps are a list. */

import { make } from "./elements.js";

const SECOND = 1000;

/* The states of a run, from what changes between its steps. */
function unfold({ names, texts, steps }) {
  const full = (at) => (typeof texts[at] === "string" ? texts[at] : texts[at][0]);
  const brief = (at) => (typeof texts[at] === "string" ? texts[at] : texts[at][1]);
  const briefly = (pairs) => new Map(pairs.map(([node, text]) => [node, brief(text)]));
  let state = { nodes: [], boxes: [], pending: [], visited: [], current: null };
  return steps.map((change) => {
    state = { ...state, ...change };
    const pending = state.pending.map(([node, text]) => `${names[node]}: ${full(text)}`);
    return {
      nodes: new Set(state.nodes),
      boxes: new Set(state.boxes),
      waiting: briefly(state.pending),
      visited: briefly(state.visited),
      current: state.current && [state.current[0], brief(state.current[1])],
      pending: `{${pending.join(", ")}}`,
      active: state.active,
      line: full(state.line),
      program: state.program,
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
    this.program = this.querySelector(".program");
    this.lines = [...this.program.querySelectorAll("[data-line]")];
    this.cells = [...this.querySelectorAll("[data-node]")];
    this.edges = [...this.querySelectorAll(".edge")];
    this.id_ = this.closest("figure").id;
    this.build();
    this.listen();
    this.show(1);
    this.open();
  }

  build() {
    const words = this.items.map((item) => [item.querySelector(".words").cloneNode(true)]);
    const lines = this.items.map((item, at) => this.source(item, this.states[at]));
    const pending = this.states.map((state) => [make("code", {}, state.pending)]);
    this.words = this.steady("p", words, { class: "words", "aria-live": "polite" });
    this.engine = this.steady("dd", lines);
    this.pending = this.steady("dd", pending);
    this.facts = make("dl", { class: "facts" }, make("dt", {}, "Line of the engine"), this.engine);
    if (this.states.some((state) => state.current)) {
      this.facts.append(make("dt", {}, "Pending cotangents"), this.pending);
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
    const side = make("div", { class: "side" }, this.program, bar, this.words, this.facts);
    const drawn = make("div", { class: "drawn" }, this.stage, this.querySelector(".legend"));
    this.append(side, drawn, all);
    this.classList.add("ready");
  }

  /* An element with a place for one of its contents, as high as the highest of them. */
  steady(tag, contents, attributes = {}) {
    const element = make(tag, attributes, make("span"));
    const hidden = contents.map((content) => make("span", { "aria-hidden": true }, ...content));
    const distinct = new Map(hidden.map((each) => [each.textContent, each]));
    element.classList.add("steady");
    element.append(...distinct.values());
    return element;
  }

  /* The line of the engine at a step, and the link to it. */
  source(item, state) {
    return [make("code", {}, state.line), " ", item.querySelector(".line").cloneNode(true)];
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
    this.words.firstChild.replaceChildren(...item.querySelector(".words").cloneNode(true).childNodes);
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

  /* The lines that run, and what is pending. */
  tell(item, state) {
    const line = item.querySelector(".line");
    this.engine.firstChild.replaceChildren(...this.source(item, state));
    this.pending.firstChild.replaceChildren(make("code", {}, state.pending));
    const own = this.lines[state.program];
    for (const each of this.lit ?? []) each.classList.remove("running");
    const listed = document.getElementById(own.dataset.line);
    this.lit = [own, listed, this.blockLine(line)].filter(Boolean);
    for (const each of this.lit) each.classList.add("running");
    this.scroll(this.program, own);
  }

  /* The line of the engine in its block, if that is on this page. */
  blockLine(line) {
    return line.hash && document.getElementById(`${line.hash.slice(1)}-${line.dataset.line}`);
  }

  draw(state) {
    for (const cell of this.cells) {
      const node = Number(cell.dataset.node);
      const [box, body, cotangent] = cell.children;
      const [kind, text] = this.cotangent(state, node);
      cell.classList.toggle("active", node === state.active);
      box.setAttribute("class", `box ${this.being("boxes", node)}`);
      body.setAttribute("class", `node ${this.being("nodes", node)}`);
      cotangent.setAttribute("class", `cotangent ${kind}`);
      cotangent.querySelector("text").textContent = text;
    }
    for (const edge of this.edges) {
      const node = Number(edge.dataset.to);
      const active = node === state.active ? "active" : "";
      edge.setAttribute("class", `edge ${this.being("nodes", node)} ${active}`);
    }
    this.follow();
  }

  /* Whether a node, or its box, exists at this step, or did, or will. */
  being(kind, node) {
    if (this.states[this.at - 1][kind].has(node)) return "there";
    return this.states.slice(0, this.at).some((state) => state[kind].has(node)) ? "past" : "future";
  }

  /* The state of the cotangent of a node, and its value. */
  cotangent(state, node) {
    if (state.current?.[0] === node) return ["current", state.current[1]];
    if (state.waiting.has(node)) return ["pending", state.waiting.get(node)];
    if (state.visited.has(node)) return ["visited", state.visited.get(node)];
    return ["future", ""];
  }

  follow() {
    const cell = this.querySelector("[data-node].active");
    if (cell) this.scroll(this.stage, cell);
  }

  /* Scroll a box, and nothing but the box, to a part of it. */
  scroll(box, part) {
    const [inner, outer] = [part.getBoundingClientRect(), box.getBoundingClientRect()];
    const left = inner.left + inner.width / 2 - outer.left - outer.width / 2;
    const top = inner.top + inner.height / 2 - outer.top - outer.height / 2;
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    box.scrollBy({ left: box === this.stage ? left : 0, top, behavior: calm ? "instant" : "smooth" });
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }
}

customElements.define("trace-stepper", TraceStepper);
