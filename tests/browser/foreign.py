"""What a page in Chinese still says in English: every text that people see, hover over or hear, less proper names."""

import re

from playwright.sync_api import Page

#: written the same in Chinese: proper names (a language is called by its own), units, file types, ids
NAMES = set(
    """
    ADDRESS Adam CNY CPU CPUs CSV CUDA DDP DataParallel DistributedDataParallel English Excel FOLDER GPU
    GPUs GiB HTML JSON LTS Lab MAE MAPE MB MLflow MiB ONNX PARQUET OSError PLM PNG Parquet PyTorch RMSE RPLM SVG
    Streamlit TSV TXT TensorBoard UTF XLSX big5
    cp1252 csv cuda eps eta float32 float64 gb18030 kB lambda latin parquet safetensors scikit-learn sha256
    shift_jis tensorboard tsv txt utf xlsx
    """.split()  # noqa: SIM905 - a list of words is read best as words
)
_WORD = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9_'’-]*[A-Za-z0-9]")
#: ids, hashes, bytes that are no letters, the system's name, commands to copy
_AS_IT_IS = re.compile(r"\b[0-9a-f]{12,64}\b|\\x[0-9a-f]{2}|\bLinux \S+, \w+|pip install \w+|--[a-z-]+|python3? -m .*")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_ENGLISH = re.compile(r"[A-Za-z]{2,}[,:;]? [a-z]{2,}")
#: every text node that is shown, what is told to screen readers, hover texts, and what charts hold
_COLLECT = r"""() => {
  const found = [], add = (kind, text) => { if (text && String(text).trim()) found.push([kind, String(text).trim()]); };
  const HIDDEN = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE"]);
  const ICON = "[data-testid=stIconMaterial], [translate=no], .material-symbols-rounded";
  const walk = (root) => {
    for (const e of root.querySelectorAll("*")) {
      if (HIDDEN.has(e.tagName) || e.closest(ICON)) continue;
      for (const name of ["title", "aria-label", "placeholder", "alt", "data-title", "aria-description"])
        if (e.hasAttribute(name)) add(name, e.getAttribute(name));
      const shown = e.checkVisibility?.({ visibilityProperty: true }) || e.closest("canvas");
      if (shown) for (const n of e.childNodes) if (n.nodeType === 3) add("text", n.nodeValue);
      for (const end of e instanceof SVGElement ? [] : ["::before", "::after"]) {
        const content = getComputedStyle(e, end).content;
        if (shown && content && content.startsWith('"')) add(end, content.slice(1, -1));
      }
      if (e.shadowRoot) walk(e.shadowRoot);
      if (e.classList?.contains("js-plotly-plot")) {
        for (const t of e.data ?? []) {
          add("series", t.name);
          add("hover", String(t.hovertemplate ?? "").replace(/%\{[^}]*\}/g, ""));
          if (Array.isArray(t.text)) t.text.forEach((one) => add("mark", one));
          if (typeof t.x?.[0] === "string") t.x.forEach((one) => add("tick", one));
          if (typeof t.y?.[0] === "string") t.y.forEach((one) => add("tick", one));
        }
      }
    }
  };
  walk(document);
  add("title", document.title);
  return found;
}"""


def texts(page: Page) -> set[tuple[str, str]]:
    """Return (kind, text) of everything that the page says now."""
    return {(kind, re.sub(r"<[^>]*>", " ", text).strip()) for kind, text in page.evaluate(_COLLECT)}


def english(said: str, allowed: set[str]) -> bool:
    """Return whether a text is English: it has words that are no proper names, and no Chinese or a phrase beside it."""
    known = {*NAMES, *allowed}
    left = [word for word in _WORD.findall(_AS_IT_IS.sub(" ", said)) if word not in known]
    if _CHINESE.search(said):
        return bool(_ENGLISH.search(" ".join(left)) and _ENGLISH.search(said))
    return bool(left)
