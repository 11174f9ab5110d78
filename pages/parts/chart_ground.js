// A chart on the page that it stands on: what is drawn in dark colours for paper is lifted on a dark page, and the titles
// of its axes are made to fit.

const LETTER_PX = 7.5, MARGINS_PX = 110;
// yellow to cyan look lighter than they are
const LIGHTNESS = 0.6, LIGHTNESS_OF_GREENS = 0.48, SATURATION = 0.78, SATURATION_OF_GREENS = 0.62;

function isDarkGround(colour) {
  const parts = colour.startsWith("#") ? colour.slice(1).match(/../g).map((two) => parseInt(two, 16)) : (colour.match(/\d+/g) ?? [255, 255, 255]).map(Number);
  return 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] < 128;
}

// The same hue, light enough to be read on a dark page.
function lifted(colour) {
  const [r, g, b] = colour.slice(1).match(/../g).map((two) => parseInt(two, 16) / 255);
  const most = Math.max(r, g, b), least = Math.min(r, g, b), range = most - least, light = (most + least) / 2;
  const hue = !range ? 0 : most === r ? ((g - b) / range + 6) % 6 : most === g ? (b - r) / range + 2 : (r - g) / range + 4;
  const green = range && hue > 0.6 && hue < 3.4, wanted = green ? LIGHTNESS_OF_GREENS : LIGHTNESS;
  if (light >= wanted) return colour;
  const saturation = Math.min(green ? SATURATION_OF_GREENS : SATURATION, range ? range / (1 - Math.abs(2 * light - 1)) : 0);
  return `hsl(${Math.round(60 * hue)}, ${Math.round(100 * saturation)}%, ${100 * wanted}%)`;
}

// The figure's series for a ground: error bars have the ink of its text, and text in a bar that is lifted is dark.
function onGround(traces, ground, ink) {
  const text = JSON.stringify(traces), dark = isDarkGround(ground);
  const fitting = JSON.parse(dark ? text.replace(/"(#[0-9a-f]{6})"/gi, (_, colour) => `"${lifted(colour)}"`) : text);
  for (const trace of fitting) for (const bars of [trace.error_x, trace.error_y]) if (bars) bars.color ??= ink;
  for (const trace of fitting) if (dark && trace.type === "bar") trace.insidetextfont = { color: ground };
  return fitting;
}

// A title that is longer than its axis breaks before its unit; Plotly would cut both of its ends.
function fitted(axis, room) {
  const text = axis.title?.text ?? "";
  const letters = text.length + (text.match(/[\u3000-\u9fff\uff00-\uffef]/g)?.length ?? 0); // Chinese ones are twice as wide
  if (!text || letters * LETTER_PX < room - MARGINS_PX) return axis;
  return { ...axis, title: { ...axis.title, text: text.replace(/ ?([(（])/, "<br>$1"), font: { size: 12 } } };
}
