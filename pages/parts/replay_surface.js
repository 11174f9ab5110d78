// The fitted surface of a run with two drivers, seen from above at a slant; dragging turns it.

// dark blue over teal to yellow: light grows steadily, so it reads without colour vision too
const RAMP = [[0, 34, 78], [18, 80, 120], [72, 120, 130], [122, 142, 120], [175, 170, 100], [224, 203, 85], [255, 234, 70]];

function ramp(value) {
  const at = (Math.max(0, Math.min(255, value)) / 255) * (RAMP.length - 1), k = Math.min(RAMP.length - 2, Math.floor(at));
  const mixed = RAMP[k].map((low, j) => Math.round(low + (RAMP[k + 1][j] - low) * (at - k)));
  return mixed;
}

// The colour of a tile: its height's, lighter where it faces the light and darker where it turns away.
function lit(value, slope) {
  const light = 1 + Math.max(-0.3, Math.min(0.22, slope / 160));
  return `rgb(${ramp(value).map((part) => Math.min(255, Math.round(part * light))).join(",")})`;
}

class SurfacePicture {
  constructor(canvas) {
    this.canvas = canvas;
    this.turn = -0.7;
    canvas.addEventListener("pointerdown", (down) => {
      const began = this.turn;
      canvas.setPointerCapture(down.pointerId);
      canvas.onpointermove = (move) => {
        this.turn = began + (move.clientX - down.clientX) / 120;
        this.again();
      };
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (canvas.onpointermove = null));
    this.again = () => {};
  }

  draw(film, from, to, share, residuals, picked, inks) {
    const { pen, width, height } = sharp(this.canvas);
    const n = Math.round(Math.sqrt(to.length)), size = Math.min(width * 0.62, height * 0.92);
    const [cos, sin] = [Math.cos(this.turn), Math.sin(this.turn)];
    const at = (u, v, h) => {
      const x = (u - 0.5) * cos - (v - 0.5) * sin, depth = (u - 0.5) * sin + (v - 0.5) * cos;
      return [width / 2 + x * size * 0.98, height * 0.5 + depth * size * 0.56 - (h / 255 - 0.36) * size * 0.46, depth];
    };
    const height_ = (k) => from[k] + (to[k] - from[k]) * share;
    this.floor(pen, at, inks);
    const corners = [];
    for (let i = 0; i < n; i += 1)
      for (let j = 0; j < n; j += 1) corners.push(at(j / (n - 1), i / (n - 1), height_(i * n + j)));
    const tiles = [];
    for (let i = 0; i + 1 < n; i += 1)
      for (let j = 0; j + 1 < n; j += 1) {
        const k = i * n + j, all = [k, k + 1, k + n + 1, k + n], slope = height_(k) - height_(k + 1) + 0.6 * (height_(k) - height_(k + n));
        tiles.push([all.reduce((sum, c) => sum + corners[c][2], 0), all, lit(height_(k), slope)]);
      }
    tiles.sort((a, b) => a[0] - b[0]);
    for (const [, all, colour] of tiles) {
      pen.beginPath();
      all.forEach((c, k) => pen[k ? "lineTo" : "moveTo"](corners[c][0], corners[c][1]));
      pen.closePath();
      pen.fillStyle = pen.strokeStyle = colour;
      pen.lineWidth = 0.7;
      pen.fill();
      pen.stroke();
    }
    this.rows(film, pen, at, residuals, picked, (u, v) => height_(Math.round(v * (n - 1)) * n + Math.round(u * (n - 1))), inks);
    this.axes(film, pen, at, inks, width, height);
    this.scale(film, pen, inks, height);
  }

  // The map of the two drivers under the surface.
  floor(pen, at, inks) {
    pen.strokeStyle = "rgba(128, 140, 155, 0.45)";
    pen.lineWidth = 1;
    for (let k = 0; k <= 4; k += 1) {
      line(pen, ...at(k / 4, 0, 0).slice(0, 2), ...at(k / 4, 1, 0).slice(0, 2));
      line(pen, ...at(0, k / 4, 0).slice(0, 2), ...at(1, k / 4, 0).slice(0, 2));
    }
  }

  // Learned rows lie on the surface and are small; the others hang from it or stand on it, by as much as they are off.
  rows(film, pen, at, residuals, picked, surface, inks) {
    film.surface.places.forEach(([u, v], j) => {
      const [x, y] = at(u, v, film.heights[j]), learned = Math.abs(residuals[j]) <= film.goalByte;
      if (!learned || picked.has(j)) {
        pen.strokeStyle = inks.text;
        pen.lineWidth = 1.2;
        line(pen, x, y, ...at(u, v, surface(u, v)).slice(0, 2));
      }
      if (picked.has(j)) return;
      pen.beginPath();
      pen.arc(x, y, learned ? 2.6 : 4, 0, 7);
      pen.fillStyle = learned ? "#0b6bc2" : "#ffffff";
      pen.fill();
      pen.lineWidth = learned ? 0.8 : 1.5;
      pen.strokeStyle = learned ? "#ffffff" : "#2b3440";
      pen.stroke();
    });
    for (const j of picked) diamond(pen, ...at(...film.surface.places[j], film.heights[j]).slice(0, 2), inks);
  }

  axes(film, pen, at, inks, width, height) {
    pen.font = `13px ${inks.font}`;
    pen.textAlign = "center";
    const [[a, b], [c, d]] = film.surface.ranges;
    const put = (text, u, v) => {
      const [x, y] = at(u, v, 0), half = pen.measureText(text).width / 2;
      write(pen, text, Math.max(half + 4, Math.min(width - half - 4, x)), Math.min(height - 8, y + 10), inks);
    };
    const range = (name, low, high) => film.say("player.range", { name: short(name, 18), low, high });
    put(range(film.drivers[0], a, b), 0.5, Math.cos(this.turn) > 0 ? 1.14 : -0.14);
    put(range(film.drivers[1], c, d), Math.sin(this.turn) > 0 ? 1.14 : -0.14, 0.5);
  }

  // What the colours stand for.
  scale(film, pen, inks, height) {
    const [left, top, tall] = [4, 26, Math.min(110, height * 0.34)], fill = pen.createLinearGradient(0, top + tall, 0, top);
    RAMP.forEach((colour, k) => fill.addColorStop(k / (RAMP.length - 1), `rgb(${colour.join(",")})`));
    pen.fillStyle = fill;
    pen.fillRect(left, top, 10, tall);
    pen.textAlign = "left";
    write(pen, short(film.target, 20), left, 12, inks);
    write(pen, film.surface.high, left + 16, top + 7, inks);
    write(pen, film.surface.low, left + 16, top + tall - 6, inks);
  }
}
