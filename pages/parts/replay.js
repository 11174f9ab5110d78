// The replay of a run: a player over steps that were worked out on the server (see replay_spec.py).
// A live run sends its film again as it grows; the player keeps its place, its speed and whether it plays.

const SPEEDS = [["slow", 3200], ["normal", 1500], ["fast", 500], ["very_fast", 60]];
const PATIENCE_MS = 100_000; // a long run starts at a speed that shows it in about this time
const players = new WeakMap();

// The data of the server, with what is derived from them once.
class Film {
  constructor(text, ended) {
    Object.assign(this, JSON.parse(text), { ended });
    this.residuals = new Map();
    this.lives = new Map();
    this.steps.forEach((step, k) => {
      for (const id of step.a) this.lives.set(String(id), [k, Infinity]);
      for (const id of step.d) if (this.lives.has(String(id))) this.lives.get(String(id))[1] = k;
    });
    if (this.surface) this.heights = bytes(this.surface.heights, false);
    const farthest = this.frames.reduce((most, _, k) => this.residual(k).reduce((m, v) => Math.max(m, Math.abs(v)), most), 0);
    this.reach = Math.min(127, Math.max(1.5 * this.goalByte, 1.1 * farthest)); // of the picture of the rows, up and down
    this.pickedAt = [];
    let picked = [];
    for (const step of this.steps) {
      const name = this.modules[step.m];
      if (name === "picking") picked = step.p;
      // while a row is crammed it stands out alone; at the end of the round all picked rows are seen to move
      this.pickedAt.push(name === "cramming" ? step.p : ["interpreting", "end"].includes(name) ? [] : picked);
    }
  }

  // A text in the reader's language, its blanks filled in.
  say(key, values = {}) {
    return this.words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  }

  residual(frame) {
    if (!this.residuals.has(frame)) this.residuals.set(frame, bytes(this.frames[frame].r, true));
    return this.residuals.get(frame);
  }

  weights(frame) {
    const found = new Map(), packed = this.frames[frame].w;
    if (!packed) return found;
    const values = bytes(packed, true);
    const last = this.steps.findLastIndex((step) => step.f === frame && this.modules[step.m] !== "cramming");
    const end = this.steps.findIndex((step) => step.f === frame && ["organizing", "interpreting"].includes(this.modules[step.m]));
    const at = end >= 0 ? end : last;
    const alive = [...this.lives].filter(([, life]) => life[0] <= at && at < life[1]).map(([id]) => Number(id));
    alive.sort((a, b) => a - b);
    if (alive.length === values.length) alive.forEach((id, k) => found.set(String(id), values[k]));
    return found;
  }

  surfaceAt(frame) {
    return bytes(this.surface.frames[frame], false);
  }
}

class Player {
  constructor(root) {
    this.root = root;
    this.find = (name) => root.querySelector(`.rp-${name}`);
    this.network = new NetworkPicture(this.find("network"));
    this.rows = new RowsPicture(this.find("rows"));
    this.step = 0;
    this.playing = true;
    this.share = 1;
    this.controls();
    this.resized = new ResizeObserver(() => this.film && (this.timeline(), this.paint()));
    this.resized.observe(root);
  }

  controls() {
    const slider = this.find("slider"), speed = this.find("speed");
    SPEEDS.forEach((_, k) => speed.add(new Option("", String(k))));
    speed.onchange = () => (this.speed = Number(speed.value));
    slider.oninput = () => this.go(Number(slider.value), false);
    this.find("play").onclick = () => {
      if (!this.playing && this.step === this.last()) this.go(0, true);
      this.play(!this.playing);
    };
    this.find("back").onclick = () => this.go(this.step - 1, false);
    this.find("next").onclick = () => this.go(this.step + 1, false);
    this.hover("rows", (x, y) => this.tell(this.rows.at(x, y)));
    this.hover("network", (x, y) => this.network.at(this.film, x, y));
  }

  // Shows beside the pointer what a picture says about the place under it.
  hover(name, say) {
    const canvas = this.find(name), tip = canvas.parentElement.querySelector(".rp-tip");
    canvas.onpointermove = (move) => {
      const said = this.film ? say(move.offsetX, move.offsetY) : "";
      Object.assign(tip, { hidden: !said, textContent: said });
      tip.style.left = `${Math.max(0, Math.min(move.offsetX, canvas.clientWidth - tip.offsetWidth))}px`;
      tip.style.top = `${move.offsetY + 16}px`;
    };
    canvas.onpointerleave = () => (tip.hidden = true);
  }

  tell(j) {
    if (j < 0) return "";
    const value = this.film.residual(this.film.steps[this.step].f)[j], goals = Math.abs(value) / this.film.goalByte;
    return this.film.say("player.off", { row: this.film.labels[j], goals: Math.abs(value) >= 127 ? this.film.say("player.more") : goals.toFixed(2) });
  }

  last() {
    return this.film.steps.length - 1;
  }

  // Takes the film as it is now; at the first one the speed is chosen so that nobody waits for an hour.
  take(text, ended) {
    const first = !this.film, before = this.film;
    this.film = new Film(text, ended);
    if (before) before.residuals.clear();
    if (first) {
      const n = this.film.steps.length;
      this.speed = Math.max(1, SPEEDS.findIndex(([, ms]) => n * ms <= PATIENCE_MS));
      if (n * SPEEDS[3][1] > PATIENCE_MS) this.speed = 3;
      this.find("speed").value = String(this.speed);
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.playing = !still;
      if (this.film.surface) {
        this.find("surface-panel").hidden = false;
        this.surface = new SurfacePicture(this.find("surface"));
        this.surface.again = () => this.paint();
      }
    }
    this.find("slider").max = String(this.last());
    this.find("goal").textContent = this.film.goalText;
    for (const place of [this.root, ...this.root.querySelectorAll("[data-label]")]) {
      place.setAttribute("aria-label", this.film.say(place.dataset.label));
    }
    for (const place of this.root.querySelectorAll("[data-say]")) {
      const key = place.dataset.say;
      place.textContent = this.film.say(key.includes(".") ? key : `player.${key}`);
    }
    SPEEDS.forEach(([name], k) => (this.find("speed").options[k].text = this.film.say(`player.${name}`)));
    this.timeline();
    this.play(this.playing);
    this.go(Math.min(this.step, this.last()), this.playing);
  }

  play(on) {
    this.playing = on;
    const button = this.find("play");
    this.named = null;
    this.naming(button);
    this.due = performance.now() + SPEEDS[this.speed][1];
    this.wake();
  }

  // What the large button does next: at the end it plays once more.
  naming(button = this.find("play")) {
    const does = this.playing ? "pause" : this.film.ended && this.last() && this.step === this.last() ? "again" : "play";
    if (does === this.named) return;
    this.named = does;
    button.textContent = this.film.say(`player.${does}`);
  }

  go(to, keepPlaying) {
    const step = Math.max(0, Math.min(this.last(), to));
    const moved = this.film.steps[step].f !== this.film.steps[this.step]?.f;
    this.from = moved && this.shown ? this.shown : null;
    this.fromSurface = moved && this.shownSurface ? this.shownSurface : null;
    this.share = moved ? 0 : 1;
    this.began = performance.now();
    this.step = step;
    if (!keepPlaying && this.playing) this.play(false);
    this.words();
    this.naming();
    this.network.step(this.film, step);
    this.due = performance.now() + SPEEDS[this.speed][1];
    this.wake();
  }

  words() {
    const step = this.film.steps[this.step], say = this.find("say"), slider = this.find("slider");
    say.textContent = step.s;
    say.style.borderColor = MODULE_COLOURS[step.m];
    const whole = (n) => n.toLocaleString("en"), say_ = (key, values) => this.film.say(key, values);
    const module = say_(`module.${this.film.modules[step.m]}`);
    this.find("module").textContent = step.n ? say_("player.round", { n: whole(step.n), module }) : module;
    this.find("module").style.background = MODULE_COLOURS[step.m];
    this.find("learned").textContent = say_("player.of", { k: whole(step.l), n: whole(this.film.nTrain) });
    this.find("nodes").textContent = whole(step.h);
    this.find("where").textContent = say_("player.step", { k: whole(this.step + 1), n: whole(this.last() + 1) });
    slider.value = String(this.step);
    slider.setAttribute("aria-valuetext", `${this.find("where").textContent}: ${step.s}`);
  }

  // The strip of all steps in their modules' colours: drawn once for each film and width.  Where the steps are narrower
  // than a line, a column stands for many steps and shows how they shared the time.
  timeline() {
    const { pen, width, height } = sharp(this.find("strip")), steps = this.film.steps;
    const each = width / Math.max(1, steps.length - 1), many = each < 3 ? Math.ceil(8 / each) : 1; // a step lies under the slider's thumb
    for (let k = 0; k < steps.length; k += many) {
      const spent = steps.slice(k, k + many).map((step, j) => [step.m, Math.max(1e-3, step.t - (steps[k + j - 1]?.t ?? step.t))]);
      const total = spent.reduce((sum, [, s]) => sum + s, 0);
      spent.sort((a, b) => a[0] - b[0]);
      let top = 0;
      for (const [module, seconds] of spent) {
        pen.fillStyle = MODULE_COLOURS[module];
        pen.fillRect((k - 0.5) * each, top, each * many - (each > 5 ? 1 : 0), (height * seconds) / total + 0.5);
        top += (height * seconds) / total;
      }
    }
  }

  // One loop, which sleeps when nothing moves.
  wake() {
    if (!this.looping && this.film) this.looping = requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.looping = 0;
    if (!this.root.isConnected) return;
    if (this.share < 1) this.share = Math.min(1, (now - this.began) / Math.min(700, SPEEDS[this.speed][1] * 0.8));
    this.paint();
    if (this.playing && now >= this.due) {
      if (this.step < this.last()) this.go(this.step + 1, true);
      else if (this.film.ended) this.play(false);
    }
    this.frames = (this.frames || 0) + 1;
    Object.assign(this.root.dataset, { frames: String(this.frames), nodes: String(this.network.alive.size) });
    if (this.share < 1 || this.moves || (this.playing && (this.step < this.last() || this.film.ended))) this.wake();
  }

  // The colours of the page and of the replay (replay.css), lighter ones where the page is dark.
  inks() {
    const style = getComputedStyle(this.root), of = (name) => style.getPropertyValue(name).trim();
    const inks = { text: style.color, font: style.fontFamily, ground: of("--st-background-color") };
    this.root.dataset.dark = String(isDark(inks.ground));
    for (const name of ["learned", "picked", "waiting", "goal", "first", "crammed"]) inks[name] = of(`--rp-${name}`);
    return inks;
  }

  paint() {
    const inks = this.inks();
    const step = this.film.steps[this.step], to = this.film.residual(step.f);
    const picked = new Set(this.film.pickedAt[this.step]);
    const same = this.from && this.from.length === to.length;
    this.moves = this.network.draw(this.film, this.step, inks);
    this.rows.draw(this.film, same ? this.from : to, to, this.share, picked, inks);
    if (this.share >= 1) this.shown = to;
    if (!this.surface || !this.film.surface) return;
    const height = this.film.surfaceAt(step.f);
    this.surface.draw(this.film, this.fromSurface || height, height, this.share, to, picked, inks);
    if (this.share >= 1) this.shownSurface = height;
  }
}

export default function (component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".plm-replay");
  const player = players.get(root) || new Player(root);
  players.set(root, player);
  if (player.text !== data.film || player.ended !== data.ended) {
    Object.assign(player, { text: data.film, ended: data.ended });
    player.take(data.film, data.ended);
  }
  return () => {};
}
