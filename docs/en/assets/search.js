/* The index of the whole book weighs more than most of its pages. It is fetched when somebody turns to the
   search, and not with every page. The theme asks for it at once: its question waits here. */
{
  const INDEX = "search/search_index.json";
  const BOX = ".md-search, [for=__search]";
  const { open, send } = XMLHttpRequest.prototype;

  const wanted = new Promise((resolve) => {
    if (new URLSearchParams(window.location.search).has("q")) resolve();
    for (const sign of ["focusin", "pointerover"]) {
      document.addEventListener(sign, ({ target }) => target.closest(BOX) && resolve());
    }
  });

  XMLHttpRequest.prototype.open = function (method, address, ...rest) {
    this.isForIndex = String(address).endsWith(INDEX);
    open.call(this, method, address, ...rest);
  };

  XMLHttpRequest.prototype.send = function (body) {
    if (this.isForIndex) wanted.then(() => send.call(this, body));
    else send.call(this, body);
  };
}
