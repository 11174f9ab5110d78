// The three pictures of the replay: the network (SVG: a node is made once, then only shown or hidden), the rows and the
// two-driver surface (canvas).  Each picture is an object with draw(...); none knows the player.

const MODULE_COLOURS = ["#6b7785", "#b27a00", "#0b6bc2", "#d1570c", "#0a7a53", "#6b7785"];
const LEARNED = "#0b6bc2", PICKED = "#d1570c", WAITING = "#8592a3";
const SVG = "http://www.w3.org/2000/svg";

function bytes(text, signed) {
  const raw = atob(text);
  const all = signed ? new Int8Array(raw.length) : new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) all[i] = raw.charCodeAt(i);
  return all;
}

function svg(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (parent) parent.appendChild(made);
  return made;
}

// A canvas as sharp as the screen; returns its drawing context in CSS pixels.
function sharp(canvas) {
  const box = canvas.getBoundingClientRect(), scale = window.devicePixelRatio || 1;
  const width = Math.round(box.width * scale), height = Math.round(box.height * scale);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, box.width, box.height);
  return { pen, width: box.width, height: box.height };
}

class NetworkPicture {
  constructor(root) {
    this.root = root;
    this.made = new Map();
  }

  // Lays the drawing out for so many places; only a network that outgrew them makes it start anew.
  layout(film) {
    const places = Math.ceil(Math.max(film.slots, 1) / 24) * 24, shape = `${places} ${film.drivers.join()}`;
    if (shape === this.shape) return;
    this.shape = shape;
    const used = film.ended ? film.slots : places; // a network that may still grow gets room for it
    this.columns = Math.max(1, Math.ceil(Math.sqrt(used * 0.85)));
    this.rows = Math.max(1, Math.ceil(used / this.columns));
    this.cell = Math.min(52, 330 / this.columns);
    this.places = this.spots();
    this.root.replaceChildren();
    this.made.clear();
    this.inputs = film.drivers.map((name, j) => {
      const y = 210 + (j - (film.drivers.length - 1) / 2) * Math.min(34, 390 / film.drivers.length);
      const label = svg("text", { x: 96, y: y + 5, "text-anchor": "end", class: "rp-name" }, this.root);
      label.textContent = name.length > 11 ? `${name.slice(0, 10)}…` : name;
      svg("title", {}, label).textContent = name;
      svg("circle", { cx: 106, cy: y, r: 4, class: "rp-input" }, this.root);
      return y;
    });
    svg("circle", { cx: 560, cy: 210, r: 9, class: "rp-output" }, this.root);
    const target = svg("text", { x: 556, y: 240, "text-anchor": "middle", class: "rp-name" }, this.root);
    target.textContent = film.target.length > 9 ? `${film.target.slice(0, 8)}…` : film.target;
    svg("title", {}, target).textContent = film.target;
  }

  // Places from the middle outwards, so that a small network sits in the middle and a large one fills the room.
  spots() {
    const step = Math.min(this.cell, 400 / this.rows), all = [];
    for (let c = 0; c < this.columns; c += 1)
      for (let r = 0; r < this.rows; r += 1)
        all.push([325 + (c - (this.columns - 1) / 2) * this.cell, 210 + (r - (this.rows - 1) / 2) * step]);
    const away = ([x, y]) => Math.hypot(x - 325, y - 210);
    return all.sort((one, other) => away(one) - away(other));
  }

  make(id, [slot, row, links], film) {
    const [x, y] = this.places[slot];
    const node = svg("g", { class: `rp-node ${row ? "rp-crammed" : "rp-first"} rp-away` }, this.root);
    const into = links.map((j) => `M106 ${this.inputs[j]}C160 ${this.inputs[j]} ${x - 60} ${y} ${x} ${y}`).join("");
    svg("path", { d: into, class: "rp-in" }, node);
    const out = svg("path", { d: `M${x} ${y}C${x + 60} ${y} 500 210 560 210`, class: "rp-out" }, node);
    const radius = Math.max(2.5, Math.min(9, this.cell * 0.3));
    const circle = svg("circle", { cx: x, cy: y, r: radius }, node);
    circle.style.transformOrigin = `${x}px ${y}px`;
    svg("title", {}, circle).textContent = row ? `Node ${id}, added for ${row}` : `Node ${id}, of the first network`;
    const made = { node, out, shown: false };
    this.made.set(id, made);
    return made;
  }

  // Shows exactly the nodes alive at a step; whatever is right already is not touched.
  draw(film, step, born) {
    this.layout(film);
    for (const [id, life] of film.lives) {
      const alive = life[0] <= step && step < life[1];
      let made = this.made.get(id);
      if (!made && alive) {
        made = this.make(id, film.nodes[id], film);
        void made.node.getBoundingClientRect(); // so that it grows from nothing instead of being there at once
      }
      if (made && made.shown !== alive) {
        made.shown = alive;
        made.node.classList.toggle("rp-away", !alive);
      }
      if (made && alive) made.node.classList.toggle("rp-new", born.has(id));
    }
    this.weights(film, film.steps[step].f);
  }

  weights(film, frame) {
    if (this.weighed === frame && this.weighedOf === film) return;
    Object.assign(this, { weighed: frame, weighedOf: film });
    const weights = film.weights(frame);
    for (const [id, made] of this.made) {
      const weight = weights.get(id);
      if (weight !== undefined && weight !== made.weight) {
        made.weight = weight;
        made.out.style.strokeWidth = `${0.6 + Math.abs(weight) / 40}px`;
      }
    }
  }
}

class RowsPicture {
  constructor(canvas) {
    this.canvas = canvas;
    this.points = [];
  }

  draw(film, from, to, share, picked, inks) {
    const { pen, width, height } = sharp(this.canvas);
    const left = 52, right = width - 10, top = 10, bottom = height - 26, goal = film.goalByte;
    const y = (value) => (top + bottom) / 2 - ((bottom - top) / 2) * (value / 127);
    pen.fillStyle = "rgba(11, 107, 194, 0.10)";
    pen.fillRect(left, y(goal), right - left, y(-goal) - y(goal));
    pen.strokeStyle = "#b3261e";
    pen.setLineDash([6, 4]);
    for (const edge of [goal, -goal]) line(pen, left, y(edge), right, y(edge));
    pen.setLineDash([]);
    pen.strokeStyle = "rgba(128, 140, 155, 0.5)";
    line(pen, left, y(0), right, y(0));
    pen.fillStyle = inks.text;
    pen.font = `12px ${inks.font}`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    [[goal, "+ goal"], [0, "exact"], [-goal, "− goal"]].forEach(([value, word]) => pen.fillText(word, left - 6, y(value)));
    pen.textAlign = "center";
    const n = to.length, named = film.labels;
    pen.textAlign = "left";
    pen.fillText(named[0], left, height - 10);
    pen.textAlign = "right";
    pen.fillText(named[n - 1], right, height - 10);
    this.points = new Array(n);
    for (let j = 0; j < n; j += 1) {
      const value = from[j] + (to[j] - from[j]) * share;
      const x = left + 6 + ((right - left - 12) * j) / Math.max(1, n - 1);
      this.points[j] = [x, y(value)];
      if (!picked.has(j)) dot(pen, x, y(value), Math.abs(value) <= goal + 0.5, n);
    }
    for (const j of picked) diamond(pen, ...this.points[j]);
  }

  // Returns the row under a point of the canvas, -1 if there is none near.
  at(x, y) {
    let best = -1, nearest = 144;
    this.points.forEach(([px, py], j) => {
      const away = (px - x) ** 2 + (py - y) ** 2;
      if (away < nearest) [best, nearest] = [j, away];
    });
    return best;
  }
}

function line(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

function dot(pen, x, y, learned, n) {
  const radius = n > 600 ? 2 : 3;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  if (learned) {
    pen.fillStyle = LEARNED;
    pen.globalAlpha = 0.75;
    pen.fill();
    pen.globalAlpha = 1;
  } else {
    pen.strokeStyle = WAITING;
    pen.lineWidth = 1.5;
    pen.stroke();
  }
}

function diamond(pen, x, y) {
  pen.beginPath();
  [[0, -7], [7, 0], [0, 7], [-7, 0]].forEach(([dx, dy], k) => pen[k ? "lineTo" : "moveTo"](x + dx, y + dy));
  pen.closePath();
  pen.fillStyle = PICKED;
  pen.fill();
  pen.lineWidth = 1.5;
  pen.strokeStyle = "#ffffff";
  pen.stroke();
}
