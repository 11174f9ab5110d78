// The fitted surface of a run with two drivers, seen from above at a slant; dragging turns it.

// dark blue over teal to yellow: light grows steadily, so it reads without colour vision too
const RAMP = [[0, 34, 78], [18, 80, 120], [72, 120, 130], [122, 142, 120], [175, 170, 100], [224, 203, 85], [255, 234, 70]];

function ramp(value) {
  const at = (Math.max(0, Math.min(255, value)) / 255) * (RAMP.length - 1), k = Math.min(RAMP.length - 2, Math.floor(at));
  const mixed = RAMP[k].map((low, j) => Math.round(low + (RAMP[k + 1][j] - low) * (at - k)));
  return `rgb(${mixed.join(",")})`;
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
    const n = Math.round(Math.sqrt(to.length)), size = Math.min(width * 0.64, height * 0.95);
    const [cos, sin] = [Math.cos(this.turn), Math.sin(this.turn)];
    const at = (u, v, h) => {
      const x = (u - 0.5) * cos - (v - 0.5) * sin, depth = (u - 0.5) * sin + (v - 0.5) * cos;
      return [width / 2 + x * size * 0.98, height * 0.53 + depth * size * 0.62 - (h / 255 - 0.3) * size * 0.5, depth];
    };
    const height_ = (k) => from[k] + (to[k] - from[k]) * share;
    const corners = [];
    for (let i = 0; i < n; i += 1)
      for (let j = 0; j < n; j += 1) corners.push(at(j / (n - 1), i / (n - 1), height_(i * n + j)));
    const tiles = [];
    for (let i = 0; i + 1 < n; i += 1)
      for (let j = 0; j + 1 < n; j += 1) {
        const k = i * n + j, all = [k, k + 1, k + n + 1, k + n];
        tiles.push([all.reduce((sum, c) => sum + corners[c][2], 0), all, height_(k)]);
      }
    tiles.sort((a, b) => a[0] - b[0]);
    for (const [, all, value] of tiles) {
      pen.beginPath();
      all.forEach((c, k) => pen[k ? "lineTo" : "moveTo"](corners[c][0], corners[c][1]));
      pen.closePath();
      pen.fillStyle = pen.strokeStyle = ramp(value);
      pen.lineWidth = 0.7;
      pen.fill();
      pen.stroke();
    }
    this.rows(film, pen, at, residuals, picked, (u, v) => height_(Math.round(v * (n - 1)) * n + Math.round(u * (n - 1))));
    this.axes(film, pen, at, inks, width, height);
  }

  rows(film, pen, at, residuals, picked, surface) {
    film.surface.places.forEach(([u, v], j) => {
      const [x, y] = at(u, v, film.heights[j]), foot = at(u, v, surface(u, v));
      pen.strokeStyle = "rgba(60, 60, 60, 0.7)";
      pen.lineWidth = 1;
      line(pen, x, y, foot[0], foot[1]);
      if (picked.has(j)) return;
      pen.beginPath();
      pen.arc(x, y, 3.2, 0, 7);
      pen.fillStyle = Math.abs(residuals[j]) <= film.goalByte ? LEARNED : "#ffffff";
      pen.fill();
      pen.strokeStyle = Math.abs(residuals[j]) <= film.goalByte ? "#ffffff" : "#4a5563";
      pen.stroke();
    });
    for (const j of picked) diamond(pen, ...at(...film.surface.places[j], film.heights[j]).slice(0, 2));
  }

  axes(film, pen, at, inks, width, height) {
    pen.fillStyle = inks.text;
    pen.font = `12px ${inks.font}`;
    pen.textAlign = "center";
    const [[a, b], [c, d]] = film.surface.ranges;
    const put = (text, u, v, down) => {
      const [x, y] = at(u, v, 0);
      pen.fillText(text, Math.max(50, Math.min(width - 50, x)), Math.min(height - 6, y + down));
    };
    const range = (name, low, high) => film.say("player.range", { name, low, high });
    put(range(film.drivers[0], a, b), 0.5, Math.cos(this.turn) > 0 ? 1.14 : -0.14, 14);
    put(range(film.drivers[1], c, d), Math.sin(this.turn) > 0 ? 1.14 : -0.14, 0.5, 14);
  }
}
