// The browser's title says that a run has ended, until the reader does something on the page.

const SETTLED_MS = 1_500; // a press that comes sooner was on its way before the news
let told = "";

// Charts need a large script: its way here begins with the page, not with the first chart.  Where charts are sure to come
// it is also run at once, while the server still reads the run; elsewhere it waits for a chart.
function fetchEarly(source, charts) {
  const href = new URL(source, document.baseURI).href;
  if (window.Plotly || document.querySelector(`script[src="${href}"]`)) return;
  if (charts) {
    const tag = Object.assign(document.createElement("script"), { src: href });
    tag.addEventListener("error", () => tag.remove());
    document.head.appendChild(tag);
  } else if (!document.querySelector(`link[href="${href}"]`)) {
    document.head.appendChild(Object.assign(document.createElement("link"), { rel: "preload", as: "script", href }));
  }
}

export default function (component) {
  const { id, title, library, charts } = component.data;
  fetchEarly(library, charts);
  if (!id || told === id + title) return () => {};
  told = id + title;
  const before = document.title.startsWith("PLM") || !document.title.includes(" - PLM Lab") ? document.title : "PLM Lab";
  const since = Date.now();
  document.title = title;
  // Streamlit writes the page's own title at every visit of a page: ours comes back until it has been seen
  const keeper = new MutationObserver(() => {
    if (document.title !== title) document.title = title;
  });
  keeper.observe(document.querySelector("title"), { childList: true });
  const seen = () => {
    if (Date.now() - since < SETTLED_MS || document.hidden) return;
    keeper.disconnect();
    if (document.title === title) document.title = before;
    for (const kind of ["pointerdown", "keydown", "focus"]) window.removeEventListener(kind, seen, true);
  };
  for (const kind of ["pointerdown", "keydown", "focus"]) window.addEventListener(kind, seen, true);
  return () => {};
}
