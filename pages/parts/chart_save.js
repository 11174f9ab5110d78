// What a chart offers under its picture: its data as CSV, itself as PNG or SVG, and a logarithmic axis. All of it
// happens in the browser, so it works without a network, and in the report that opens from disk.

function plainText(html) {
  const box = document.createElement("textarea"); // resolves &amp; and the like, and runs nothing
  box.innerHTML = String(html ?? "");
  return box.value.replace(/<[^>]*>/g, " ").trim();
}

// 4-byte numbers have seven digits; what a spreadsheet might run is written behind an apostrophe
function cell(value) {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(Number(value.toPrecision(7))) : "";
  let text = plainText(value);
  if (/^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function axisTitle(layout, trace, letter) {
  const name = (trace[`${letter}axis`] ?? letter).replace(letter, `${letter}axis`);
  return plainText(layout[name]?.title?.text) || letter;
}

function spread(error, k) {
  if (!error?.array) return ["", ""];
  return [error.symmetric === false ? error.arrayminus?.[k] : error.array[k], error.array[k]];
}

// Plotly's own words and dates in the language of the page; returns the name of the locale.
export function spoken(words) {
  if (words.locale) window.Plotly.register(words.locale);
  return words.locale?.name ?? "en-US";
}

// One line for each point of each visible series; what is above a column without a title is said in `words`.
export function chartTable(chart, words) {
  const traces = chart._fullData.filter((trace) => trace.visible === true && (trace.x || trace.z));
  const first = traces[0] ?? {}, grid = traces.some((trace) => trace.z);
  const bars = traces.some((trace) => trace.error_y?.array || trace.error_x?.array);
  const head = [words.series, axisTitle(chart.layout, first, "x"), axisTitle(chart.layout, first, "y")];
  if (grid) head.push(plainText(first.colorbar?.title?.text) || words.value);
  if (bars) head.push(words.minus, words.plus);
  const lines = [head];
  for (const trace of traces) {
    if (trace.z) {
      trace.z.forEach((row, j) =>
        Array.from(row).forEach((z, k) => lines.push([trace.name, trace.x?.[k] ?? k, trace.y?.[j] ?? j, z])),
      );
      continue;
    }
    for (let k = 0; k < trace.x.length; k++) {
      const error = trace.error_y?.array ? trace.error_y : trace.error_x;
      lines.push([trace.name, trace.x[k], trace.y[k], ...(grid ? [""] : []), ...(bars ? spread(error, k) : [])]);
    }
  }
  return `\ufeff${lines.map((line) => line.map(cell).join(",")).join("\r\n")}\r\n`;
}

function give(address, name) {
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  if (address.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(address), 1_000);
}

// A picture for paper: dark letters on white, whatever theme the page has.
async function picture(chart, format, name) {
  const layout = {
    ...chart.layout,
    paper_bgcolor: "#ffffff",
    plot_bgcolor: "#ffffff",
    font: { ...chart.layout.font, color: "#0d131b" },
  };
  const data = onGround(chart.plain, layout.paper_bgcolor, layout.font.color);
  data.forEach((trace, k) => (trace.visible = chart.data[k]?.visible ?? true)); // as the reader chose in the legend
  const size = { width: Math.max(640, chart.clientWidth), height: chart.clientHeight, scale: format === "png" ? 2 : 1 };
  give(await window.Plotly.toImage({ data, layout }, { format, ...size }), `${name}.${format}`);
}

// Draw the row of buttons once; `flip` is called when the reader wants the other kind of axis.
export function saveRow(row, chart, data, flip) {
  const words = data.words;
  if (row.dataset.words === JSON.stringify([words, data.log])) return;
  row.dataset.words = JSON.stringify([words, data.log]);
  row.textContent = "";
  const name = data.name;
  const add = (text, said, act) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: text, title: said });
    button.setAttribute("aria-label", said);
    button.addEventListener("click", () => act(button));
    row.appendChild(button);
    return button;
  };
  if (data.log) {
    const button = add(words.log, words.log_help, () => button.setAttribute("aria-pressed", String(flip())));
    button.setAttribute("aria-pressed", String(Boolean(data.log.on)));
    button.className = "plm-log";
  }
  add("CSV", words.csv, () =>
    give(URL.createObjectURL(new Blob([chartTable(chart, words)], { type: "text/csv" })), `${name}.csv`),
  );
  add("PNG", words.png, () => picture(chart, "png", name));
  add("SVG", words.svg, () => picture(chart, "svg", name));
}

// The layout with the axis that can be logarithmic as the reader wants it.
export function withAxis(layout, log, on) {
  if (!log || on === Boolean(log.on)) return layout;
  const { dtick, exponentformat, tickfont, ...axis } = layout[log.axis] ?? {};
  const other = on ? { ...axis, type: "log", nticks: 6 } : { ...axis, type: "linear" };
  return { ...layout, uirevision: `${layout.uirevision}:${on ? "log" : "linear"}`, [log.axis]: other };
}
