/* Only under `mkdocs serve`: shows at the foot of an article what its checks found. */
(() => {
  const { article, results } = document.currentScript.dataset;
  const foot = document.createElement("aside");
  const words = document.createElement("p");
  const list = document.createElement("pre");
  foot.style.cssText = "position: sticky; bottom: 0; overflow: auto; max-height: 50vh";
  foot.setAttribute("aria-label", "Checks of this page");
  words.className = "admonition-title";
  words.setAttribute("role", "status");
  list.tabIndex = 0;
  foot.append(words, list);
  document.querySelector("article").append(foot);

  const counted = (number) => `${number} ${number === 1 ? "check" : "checks"}`;

  function show({ problem, results }) {
    const found = results[article];
    const failures = found?.failures ?? [];
    const failed = failures.length ? `${counted(failures.length)} failed, ` : "";
    const said = problem || (found ? `${failed}${counted(found.passed)} passed` : "Checking this page");
    const state = problem || failures.length ? "failure" : found ? "success" : "info";
    foot.className = `admonition ${state} checks`;
    if (words.textContent !== said) words.textContent = said;
    list.textContent = failures.join("\n\n");
    list.hidden = !failures.length;
  }

  async function ask() {
    try {
      show(await (await fetch(results)).json());
    } catch {
      show({ problem: "The server has ended: make serve", results: {} });
    }
    setTimeout(ask, 500);
  }
  ask();
})();
