// Streamlit speaks English only. Its own words (on its buttons, in its menus, for screen readers) are said in the
// language of the page here: fixed words in fixed places, see messages/streamlit.py. React keeps its nodes; only what
// they say is changed, and it comes back here when React says it again.

const PAUSE_MS = 100, ATTRIBUTES = ["aria-label", "title", "placeholder"];
let rules = [], waiting = null, watcher = null;

// "Help for *" becomes a pattern, and its counterpart what is put in its place
function rule(from, to) {
  if (!from.includes("*")) return { fits: (said) => said === from, change: () => to };
  const [before, after] = from.split("*");
  const fits = (said) => said.length > from.length - 1 && said.startsWith(before) && said.endsWith(after);
  const change = (said) => to.replace("*", () => said.slice(before.length, said.length - after.length));
  return { fits, change };
}

function say(words, said, put) {
  const text = said?.trim();
  const one = text && words.find(({ fits }) => fits(text));
  if (one) put(said.replace(text, () => one.change(text)));
}

function pass() {
  waiting = null;
  for (const [selector, words] of rules) {
    for (const element of document.querySelectorAll(selector)) {
      for (const name of ATTRIBUTES)
        say(words, element.getAttribute(name), (said) => element.setAttribute(name, said));
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node; node = texts.nextNode())
        say(words, node.nodeValue, (said) => (node.nodeValue = said));
    }
  }
}

function soon() {
  waiting ??= setTimeout(pass, PAUSE_MS);
}

export default function (component) {
  const { lang, places, back } = component.data;
  document.documentElement.lang = lang; // for screen readers, hyphens, and the form of Chinese letters
  rules = Object.entries(places).map(([selector, words]) => [
    selector,
    Object.entries(words).map(([from, to]) => (back ? rule(to, from) : rule(from, to))),
  ]);
  pass();
  watcher?.disconnect();
  watcher = null;
  if (back) return () => {};
  watcher = new MutationObserver(soon);
  watcher.observe(document.body, {
    subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ATTRIBUTES,
  });
  return () => {};
}
