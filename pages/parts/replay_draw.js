// Two pictures of the replay on canvases: the network and the rows (the third, the surface, has a file of its own).
// Each picture is an object with draw(...); none knows the player.

const MODULE_COLOURS = ["#5f6b7a", "#8f6200", "#0b6bc2", "#bd4a06", "#0a7a53", "#5f6b7a"];
const LONGEST_DRIVER = 14, LONGEST_TARGET = 18; // letters of a name
const MOVE_MS = 500; // how long a node takes to appear or vanish

function bytes(text, signed) {
  const raw = atob(text);
  const all = signed ? new Int8Array(raw.length) : new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) all[i] = raw.charCodeAt(i);
  return all;
}

function isDark(colour) {
  const parts = colour.startsWith("#") ? colour.slice(1).match(/../g).map((two) => parseInt(two, 16)) : colour.match(/\d+/g) || [255, 255, 255];
  return 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] < 128;
}

// Writes with a rim of the ground's colour, so that it can be read over anything.
function write(pen, text, x, y, inks) {
  pen.strokeStyle = inks.ground;
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  pen.strokeText(text, x, y);
  pen.fillStyle = inks.text;
  pen.fillText(text, x, y);
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

// The drawing keeps a layer with everything that stands still; a frame copies it and draws only the nodes that come or go.
class NetworkPicture {
  constructor(canvas) {
    this.canvas = canvas;
    this.layer = document.createElement("canvas");
    this.alive = new Set();
    this.moving = new Map(); // id -> [when it began to move, whether it comes]
    this.at = NaN; // the step drawn last
  }

  // Places from the middle outwards, so that a small network sits in the middle and a large one fills the room.
  layout(film, width, height) {
    const room = film.ended ? film.slots : Math.ceil(Math.max(film.slots, 1) / 24) * 24; // a live network may still grow
    const shape = [room, width, height, film.target, ...film.drivers].join();
    if (shape === this.shape) return;
    this.shape = shape;
    const pen = this.canvas.getContext("2d");
    pen.font = "13px sans-serif";
    const names = Math.max(30, ...film.drivers.map((name) => pen.measureText(short(name, LONGEST_DRIVER)).width));
    const target = pen.measureText(short(film.target, LONGEST_TARGET)).width;
    const [left, right] = [names + 20, width - Math.max(28, target / 2 + 4)], wide = right - left - 104, high = height - 24;
    const columns = Math.max(1, Math.ceil(Math.sqrt((room * wide) / high))), rows = Math.max(1, Math.ceil(room / columns));
    const [dx, dy] = [Math.min(58, wide / columns), Math.min(58, high / rows)], centre = [(left + right) / 2, height / 2];
    const away = ([x, y]) => Math.hypot(x - centre[0], y - centre[1]);
    this.places = [];
    for (let c = 0; c < columns; c += 1)
      for (let r = 0; r < rows; r += 1)
        this.places.push([centre[0] + (c - (columns - 1) / 2) * dx, centre[1] + (r - (rows - 1) / 2) * dy]);
    this.places.sort((one, other) => away(one) - away(other));
    const gap = Math.min(64, (height - 16) / film.drivers.length);
    this.inputs = film.drivers.map((name, j) => [left, height / 2 + (j - (film.drivers.length - 1) / 2) * gap]);
    Object.assign(this, { output: [right, height / 2], radius: Math.max(2, Math.min(10, 0.32 * Math.min(dx, dy))), gap });
    this.paths = new Map();
    this.stale = true;
  }

  path(film, id) {
    if (!this.paths.has(id)) {
      const [slot, , links] = film.nodes[id], [x, y] = this.places[slot], [ox, oy] = this.output;
      const into = new Path2D(), out = new Path2D();
      for (const j of links) {
        const [ix, iy] = this.inputs[j];
        into.moveTo(ix, iy);
        into.bezierCurveTo(ix + 40, iy, x - 40, y, x, y);
      }
      out.moveTo(x, y);
      out.bezierCurveTo(x + 40, y, ox - 50, oy, ox, oy);
      this.paths.set(id, { x, y, into, out });
    }
    return this.paths.get(id);
  }

  // Notes which nodes come and go with a step.
  step(film, step) {
    const now = performance.now(), alive = new Set();
    for (const [id, life] of film.lives) if (life[0] <= step && step < life[1]) alive.add(id);
    for (const id of alive) if (!this.alive.has(id)) this.moving.set(id, [now, true]);
    for (const id of this.alive) if (!alive.has(id)) this.moving.set(id, [now, false]);
    Object.assign(this, { alive, stale: true, born: new Set(film.steps[step].a.map(String)) });
    if (Math.abs(step - this.at) !== 1 || this.moving.size > 60) this.moving.clear(); // a jump: all at once
    this.at = step;
  }

  // Draws, and returns whether something still moves.
  draw(film, step, inks) {
    const { pen, width, height } = sharp(this.canvas);
    this.layout(film, width, height);
    if (this.stale || this.ink !== inks.text) this.still(film, step, inks, width, height);
    pen.drawImage(this.layer, 0, 0, width, height);
    const now = performance.now();
    for (const [id, [began, comes]] of this.moving) {
      const share = Math.min(1, (now - began) / MOVE_MS), shown = comes ? share : 1 - share;
      this.node(pen, film, id, shown, comes ? 1.25 + Math.sin(Math.PI * share) : 1 + 1.5 * share, inks);
      if (share === 1) {
        this.moving.delete(id);
        this.stale = comes || this.stale;
      }
    }
    if (this.stale) this.still(film, step, inks, width, height);
    return this.moving.size > 0;
  }

  // Draws the layer of all that stands still.
  still(film, step, inks, width, height) {
    const scale = window.devicePixelRatio || 1, pen = this.layer.getContext("2d");
    Object.assign(this.layer, { width: Math.round(width * scale), height: Math.round(height * scale) });
    Object.assign(this, { stale: false, ink: inks.text });
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    const into = new Path2D(), outs = [new Path2D(), new Path2D(), new Path2D()], weights = film.weights(film.steps[step].f);
    const standing = [...this.alive].filter((id) => !this.moving.has(id));
    for (const id of standing) {
      const path = this.path(film, id), heavy = Math.abs(weights.get(id) || 0);
      into.addPath(path.into);
      outs[heavy > 60 ? 2 : heavy > 20 ? 1 : 0].addPath(path.out);
    }
    pen.strokeStyle = "rgba(133, 146, 163, 0.3)";
    pen.lineWidth = 0.7;
    pen.stroke(into);
    pen.strokeStyle = "rgba(133, 146, 163, 0.55)";
    outs.forEach((path, k) => ((pen.lineWidth = [0.8, 1.8, 3][k]), pen.stroke(path)));
    const old = standing.filter((id) => !this.born.has(id)), young = standing.filter((id) => this.born.has(id));
    for (const id of old) this.circle(pen, film, id, 1, inks);
    for (const id of young) this.node(pen, film, id, 1, 1.25, inks);
    this.ends(film, pen, inks);
  }

  // Draws a node that stands out, with its lines.
  node(pen, film, id, shown, size, inks) {
    const path = this.path(film, id);
    pen.globalAlpha = Math.max(0, shown);
    pen.strokeStyle = film.nodes[id][1] ? inks.picked : inks.first;
    pen.lineWidth = 1.2;
    pen.stroke(path.into);
    pen.stroke(path.out);
    this.circle(pen, film, id, size, inks);
    pen.globalAlpha = 1;
  }

  circle(pen, film, id, size, inks) {
    const { x, y } = this.path(film, id);
    pen.beginPath();
    pen.arc(x, y, this.radius * size, 0, 7);
    pen.fillStyle = !film.nodes[id][1] ? inks.first : this.born.has(id) ? inks.picked : inks.crammed;
    pen.fill();
    pen.strokeStyle = inks.ground;
    pen.lineWidth = 1;
    pen.stroke();
  }

  // Draws the drivers on the left and the target on the right.
  ends(film, pen, inks) {
    const every = Math.ceil(14 / this.gap); // where they are close, not every driver has room for its name
    pen.fillStyle = inks.text;
    pen.font = `13px ${inks.font}`;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    film.drivers.forEach((name, j) => {
      if (j % every === 0) pen.fillText(short(name, LONGEST_DRIVER), this.inputs[j][0] - 8, this.inputs[j][1]);
    });
    for (const [x, y] of this.inputs) disc(pen, x, y, 3.5, inks.first);
    disc(pen, ...this.output, 8, inks.text);
    pen.textAlign = "center";
    write(pen, short(film.target, LONGEST_TARGET), this.output[0], this.output[1] + 24, inks);
  }

  // Returns what to say about the node under a point; empty if there is none near.
  at(film, x, y) {
    for (const id of this.alive) {
      const path = this.path(film, id);
      if (Math.hypot(path.x - x, path.y - y) < this.radius + 4) {
        const row = film.nodes[id][1];
        return film.say(row ? "player.node" : "player.node_first", { id, row });
      }
    }
    return "";
  }
}

function short(name, most) {
  const kept = most - 1, end = Math.floor(0.4 * kept); // names often differ at their end
  return name.length > most ? `${name.slice(0, kept - end)}…${name.slice(-end)}` : name;
}

function disc(pen, x, y, radius, colour) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.fillStyle = colour;
  pen.fill();
}

class RowsPicture {
  constructor(canvas) {
    this.canvas = canvas;
    this.points = [];
  }

  draw(film, from, to, share, picked, inks) {
    const { pen, width, height } = sharp(this.canvas);
    const left = 58, right = width - 10, top = 22, bottom = height - 40, goal = film.goalByte;
    const y = (value) => (top + bottom) / 2 - ((bottom - top) / 2) * (value / film.reach);
    pen.globalAlpha = 0.12;
    pen.fillStyle = inks.learned;
    pen.fillRect(left, y(goal), right - left, y(-goal) - y(goal));
    pen.globalAlpha = 1;
    pen.strokeStyle = inks.goal;
    pen.lineWidth = 1.5;
    pen.setLineDash([6, 4]);
    for (const edge of [goal, -goal]) line(pen, left, y(edge), right, y(edge));
    pen.setLineDash([]);
    pen.lineWidth = 1;
    pen.strokeStyle = "rgba(128, 140, 155, 0.5)";
    line(pen, left, y(0), right, y(0));
    pen.fillStyle = inks.text;
    pen.font = `13px ${inks.font}`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    [[goal, "plus"], [0, "exact"], [-goal, "minus"]].forEach(([v, word]) => pen.fillText(film.say(`player.${word}`), left - 6, y(v)));
    const n = to.length, named = film.labels;
    pen.fillText(named[n - 1], right, height - 9);
    pen.textAlign = "left";
    pen.fillText(named[0], left, height - 9);
    this.points = new Array(n);
    const learned = new Path2D(), waiting = new Path2D(), radius = n > 600 ? 2 : 3;
    for (let j = 0; j < n; j += 1) {
      const value = from[j] + (to[j] - from[j]) * share;
      const [px, py] = (this.points[j] = [left + 6 + ((right - left - 12) * j) / Math.max(1, n - 1), y(value)]);
      if (picked.has(j)) continue;
      const path = Math.abs(value) <= goal + 0.5 ? learned : waiting;
      path.moveTo(px + radius, py);
      path.arc(px, py, radius, 0, 7);
    }
    pen.fillStyle = inks.learned;
    pen.globalAlpha = 0.8;
    pen.fill(learned);
    pen.globalAlpha = 1;
    pen.strokeStyle = inks.waiting;
    pen.lineWidth = 1.5;
    pen.stroke(waiting);
    pen.globalAlpha = 0.82;
    pen.textAlign = "left";
    write(pen, `↑ ${film.say("player.too_low")}`, left + 6, 10, inks);
    write(pen, `↓ ${film.say("player.too_high")}`, left + 6, bottom + 11, inks);
    pen.globalAlpha = 1;
    for (const j of picked) diamond(pen, ...this.points[j], inks);
    if (picked.size === 1) this.named(film, pen, [...picked][0], left, right, inks);
  }

  // Writes the name of the one row that matters now beside its point.
  named(film, pen, j, left, right, inks) {
    const [x, y] = this.points[j], half = pen.measureText(film.labels[j]).width / 2;
    pen.textAlign = "center";
    pen.font = `600 13px ${inks.font}`;
    write(pen, film.labels[j], Math.max(left + half, Math.min(right - half, x)), y + (y < 40 ? 20 : -18), inks);
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

function diamond(pen, x, y, inks) {
  pen.beginPath();
  [[0, -8], [8, 0], [0, 8], [-8, 0]].forEach(([dx, dy], k) => pen[k ? "lineTo" : "moveTo"](x + dx, y + dy));
  pen.closePath();
  pen.fillStyle = inks.picked;
  pen.fill();
  pen.lineWidth = 1.5;
  pen.strokeStyle = inks.ground;
  pen.stroke();
}
