// One Plotly chart that is updated in place, so that zoom and hidden legend entries survive every refresh.
// Streamlit's own chart element is mounted anew at each change of its data and forgets both.

const NARROW_PX = 480, MANY = 6, LINE_PX = 20;
let library = null;

function loadPlotly(source) {
  if (window.Plotly && window.Plotly.react) return Promise.resolve(window.Plotly);
  if (library === null) {
    library = new Promise((resolve, reject) => {
      const href = new URL(source, document.baseURI).href;
      const early = document.querySelector(`script[src="${href}"]`); // see news.js
      const tag = early ?? Object.assign(document.createElement("script"), { src: href });
      tag.addEventListener("load", () => resolve(window.Plotly));
      tag.addEventListener("error", () => {
        library = null; // the next refresh tries again, as after a restart of the server
        tag.remove();
        reject(new Error("Plotly could not be loaded"));
      });
      if (!early) document.head.appendChild(tag);
    });
  }
  return library;
}

// The charts take their colours from the page, so that they stay readable if the reader chooses a dark theme.
function themed(layout, element) {
  const style = getComputedStyle(element);
  const text = style.getPropertyValue("--st-text-color").trim() || style.color;
  const line = "rgba(128, 140, 155, 0.22)";
  const axis = { gridcolor: line, linecolor: line, zerolinecolor: line };
  return {
    ...layout,
    font: { family: style.fontFamily, color: text, size: 13, ...layout.font },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    modebar: { bgcolor: style.getPropertyValue("--st-background-color").trim(), color: "rgba(128, 140, 155, 0.6)", activecolor: text },
    xaxis: fitted({ ...axis, ...layout.xaxis }, element.clientWidth),
    yaxis: fitted({ ...axis, ...layout.yaxis }, element.clientHeight),
  };
}

// Many names above a narrow chart would take its height: they go below it, and it grows by their lines.
function withNames(layout, traces, width) {
  const names = traces.filter((trace) => trace.name && trace.showlegend !== false).length;
  if (layout.showlegend === false || names < MANY || width > NARROW_PX) return layout;
  const legend = { ...layout.legend, yref: "container", y: 0, yanchor: "bottom", font: { size: 11 } };
  return { ...layout, height: layout.height + (names - 1) * LINE_PX, legend, margin: { ...layout.margin, t: 12 } };
}

const charts = new WeakMap();

function draw(Plotly, element, chart) {
  chart.shown = chart.wanted;
  if (!element.classList.contains("js-plotly-plot")) element.textContent = ""; // the words shown until now
  const figure = JSON.parse(chart.wanted);
  const layout = withNames(withAxis(figure.layout, chart.data.log, chart.log), figure.data, element.clientWidth);
  chart.height = layout.height;
  element.style.height = `${chart.height}px`;
  const fitting = themed(layout, element);
  element.plain = figure.data; // in the colours for paper
  Plotly.react(element, onGround(figure.data, fitting.modebar.bgcolor, fitting.font.color), fitting, {
    responsive: true,
    locale: spoken(chart.data.words),
    displaylogo: false,
    plotlyServerURL: "", // nothing leaves this machine: without a server there is nothing to share with
    modeBarButtonsToRemove: ["select2d", "lasso2d", "toImage", "sendChartToCloud"], // pictures: see chart_save.js
  });
}

export default function (component) {
  const { data, parentElement } = component;
  const element = parentElement.querySelector(".plm-chart");
  const chart = charts.get(element) || { shown: null, log: Boolean(data.log?.on) };
  charts.set(element, chart);
  chart.data = data;
  chart.mounted = true;
  chart.wanted = data.spec;
  element.style.height = `${chart.height ?? data.height}px`;
  if (chart.shown === null && !element.hasChildNodes()) element.textContent = data.words.loading;
  element.setAttribute("role", "group"); // not "img": its buttons can be reached by keyboard
  element.setAttribute("aria-label", data.alt);

  loadPlotly(data.library).then(
    (Plotly) => {
      const show = () => {
        if (!chart.mounted || chart.shown === chart.wanted) return;
        draw(Plotly, element, chart);
        saveRow(parentElement.querySelector(".plm-save"), element, data, () => {
          chart.log = !chart.log;
          draw(Plotly, element, chart);
          return chart.log;
        });
      };
      if (chart.shown === null) setTimeout(show, 0); // a page's charts appear one after the other, not all at the end
      else show();
    },
    () => {
      element.textContent = data.words.not_drawn;
    },
  );

  return () => {
    chart.mounted = false;
    // a refresh ends and mounts in one go: only a chart that stays away is taken down
    setTimeout(() => {
      if (!chart.mounted && window.Plotly) {
        window.Plotly.purge(element);
        charts.delete(element);
      }
    }, 0);
  };
}
