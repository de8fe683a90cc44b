// The page: time runs, is dragged, stands; the options are what is drawn.

const element = (name) => document.getElementById(name);
const CALM = 300; // milliseconds after which nothing moves any more

class Player {
  constructor(clip) {
    this.clip = clip;
    this.time = clip.t[0];
    this.playing = false;
    this.stale = true;
    this.canvas = element("view");
    this.scene = new Scene(clip, new Painter(this.canvas));
    this.camera = new Camera(this.canvas, () => this.refresh());
    this.camera.target = this.scene.middle;
    this.camera.distance = 1.75 * this.scene.size;
    this.say();
    this.listen();
    this.step = this.step.bind(this);
    requestAnimationFrame(this.step);
  }

  // Names and texts, as text: nothing in them is ever read as markup.
  say() {
    const { data, t, duration } = this.clip;
    element("name").textContent = data.name;
    const list = (name, texts) => texts.forEach((text) => element(name).append(Object.assign(document.createElement("li"), { textContent: text })));
    list("connections", data.connections.map(({ name }) => name));
    list("notes", data.notes);
    element("follow").checked = this.scene.travels;
    element("forces").parentElement.hidden = this.clip.contacts.length === 0;
    element("com").parentElement.hidden = this.clip.com === null;
    const kinds = new Set(data.parts.map((part) => part[4]));
    for (const option of element("look").options) option.hidden = option.value !== "drawn" && !kinds.has(option.value);
    Object.assign(element("time"), { min: t[0], max: t[t.length - 1], value: t[0] });
    element("bar").hidden = !(duration > 0);
    for (const [time, what, name] of data.events) {
      const tick = document.createElement("i");
      tick.style.left = `${(100 * (time - t[0])) / (duration || 1)}%`;
      tick.title = `${time.toFixed(3)} s: ${what} ${name}`;
      element("ticks").append(tick);
    }
  }

  listen() {
    element("play").addEventListener("click", () => (this.playing ? this.pause() : this.play()));
    element("time").addEventListener("input", (event) => {
      this.pause();
      this.seek(Number(event.target.value));
    });
    element("options").addEventListener("input", () => this.refresh());
    addEventListener("resize", () => this.refresh());
    addEventListener("keydown", (event) => {
      if (["SELECT", "INPUT", "BUTTON"].includes(event.target.tagName)) return;
      const [frame] = this.clip.at(this.time);
      if (event.key === " ") element("play").click();
      else if (event.key === "ArrowRight") this.show(frame + 1);
      else if (event.key === "ArrowLeft") this.show(frame - 1);
      else return;
      event.preventDefault();
    });
  }

  play() {
    if (this.time >= this.clip.t[this.clip.t.length - 1]) this.time = this.clip.t[0];
    this.playing = this.clip.duration > 0;
    this.before = null;
    element("play").textContent = "pause";
  }

  pause() {
    this.playing = false;
    element("play").textContent = "play";
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.clip.t[0]), this.clip.t[this.clip.t.length - 1]);
    this.refresh();
  }

  show(frame) {
    this.pause();
    this.seek(this.clip.t[Math.min(Math.max(frame, 0), this.clip.t.length - 1)]);
  }

  // Something is to be drawn anew, and more may follow.
  refresh() {
    this.stale = true;
    this.quiet = performance.now() + CALM;
  }

  step(now) {
    if (this.playing) {
      const passed = this.before === null ? 0 : Math.min((now - this.before) / 1000, 0.2);
      this.before = now;
      const next = this.time + passed * Number(element("speed").value);
      const { t, duration } = this.clip;
      this.seek(next > t[t.length - 1] ? t[0] + ((next - t[0]) % duration) : next);
    }
    if (this.scene.painter.adapt(now, this.playing || now < this.quiet)) this.stale = true;
    if (this.stale) this.draw();
    requestAnimationFrame(this.step);
  }

  draw() {
    this.stale = false;
    const [frame, part] = this.clip.at(this.time);
    const options = { look: element("look").value };
    for (const name of ["forces", "com", "frames", "follow"]) options[name] = element(name).checked;
    this.scene.draw(frame, part, this.camera, this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1), options);
    const { t, duration, data } = this.clip;
    element("time").value = this.time;
    element("clock").textContent = `${(this.time - t[0]).toFixed(2)} / ${duration.toFixed(2)} s`;
    [...element("connections").children].forEach((item, k) => item.classList.toggle("active", this.clip.isActive(frame, k)));
    const told = data.events.filter(([time]) => time <= this.time && this.time - time < 0.08 * duration).at(-1);
    element("event").textContent = told ? `${told[1]} ${told[2]}` : "";
  }
}

try {
  const clip = new Clip(JSON.parse(element("data").textContent));
  const player = new Player(clip);
  window.kinegen = player;
  if (clip.duration > 0) player.play();
} catch (error) {
  element("failure").hidden = false;
  element("failure").textContent = error.message;
}
