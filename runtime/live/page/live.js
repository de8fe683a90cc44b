// A motion that goes on: what scene.js draws of it, its clock, and the controls.

// The one frame there is: now.
class Live {
  constructor(data, motion) {
    const { layout } = motion;
    this.motion = motion;
    this.data = { ...data, connections: layout.switches };
    this.links = layout.links.length;
    this.t = [0];
    this.com = null;
  }

  place(frame, link) {
    const at = this.motion.poses.subarray(16 * link, 16 * link + 16);
    return [at[3], at[7], at[11]];
  }

  // Matrix of a link in world; link -1 is world.
  pose(link) {
    return link < 0 ? fromPose([0, 0, 0, 1], [0, 0, 0]) : fromRows(this.motion.poses.subarray(16 * link, 16 * link + 12));
  }

  touching() {
    return this.motion.contacts().map(({ point, force }) => [point, force]);
  }

  isActive(frame, connection) {
    return this.motion.p[this.data.connections[connection].flag] !== 0;
  }
}

const BUSY = 14; // milliseconds of a frame that steps may take
const CALM = 300; // milliseconds after which nothing moves any more
const TOLD = 100; // milliseconds from one drawing of clock and energy to the next: laying a page out again is dear

class Stage {
  constructor(live) {
    this.live = live;
    this.motion = live.motion;
    this.canvas = element("view");
    this.scene = new Scene(live, new Painter(this.canvas));
    this.pull = new Pull(this);
    this.camera = new Camera(this.canvas, () => this.refresh());
    this.camera.target = this.scene.middle;
    this.camera.distance = 2.8 * this.scene.size;
    this.newton = 0;
    this.energy = new Energy(element("energy"));
    this.panel = new Panel(this);
    this.listen();
    this.reset();
    this.frame = this.frame.bind(this);
    requestAnimationFrame(this.frame);
  }

  listen() {
    element("play").addEventListener("click", () => (this.playing ? this.pause() : this.play()));
    element("reset").addEventListener("click", () => this.reset());
    element("once").addEventListener("click", () => {
      this.pause();
      this.steps(1);
    });
    for (const kind of ["input", "click", "pointermove", "resize"]) addEventListener(kind, () => this.refresh());
    addEventListener("keydown", (event) => {
      if (["SELECT", "INPUT", "BUTTON", "SUMMARY"].includes(event.target.tagName)) return;
      const pressed = { " ": "play", r: "reset", ".": "once" }[event.key];
      if (!pressed) return;
      element(pressed).click();
      event.preventDefault();
    });
  }

  play() {
    [this.playing, this.before, this.owed] = [!this.stopped, null, 0];
    element("play").textContent = this.playing ? "pause" : "play";
  }

  pause() {
    this.playing = false;
    element("play").textContent = "play";
  }

  // Something is to be drawn anew, and more may follow.
  refresh() {
    this.quiet = performance.now() + CALM;
  }

  reset() {
    this.refresh();
    this.pull.drop();
    this.motion.reset();
    this.energy.clear();
    [this.stopped, this.pace] = [false, 1];
    this.say("");
    this.panel.refresh();
  }

  say(text) {
    element("event").textContent = text;
  }

  // n steps, each with its pull of the mouse; false if the motion cannot go on.
  steps(n) {
    const { motion, pull } = this;
    this.refresh();
    const known = motion.events.length;
    try {
      for (let done = 0; done < n; done += pull.held ? 1 : n) {
        pull.act();
        if (!motion.advance(pull.held ? 1 : n)) throw new Error("the state stops being finite, or a loop cannot be closed");
      }
    } catch (error) {
      this.pause();
      this.stopped = true;
      this.say(`stopped at ${motion.t.toFixed(3)} s: ${error.message}`);
      return false;
    } finally {
      motion.look();
      this.energy.note(motion.t, motion.energy);
    }
    if (motion.events.length > known) {
      const [t, what, name] = motion.events.at(-1);
      this.say(`${t.toFixed(3)} s: ${what} ${name}`);
      this.panel.refresh();
    }
    return true;
  }

  frame(now) {
    if (this.playing) this.go(now);
    const moving = this.playing || now < this.quiet;
    if (this.scene.painter.adapt(now, moving) || moving) this.draw();
    requestAnimationFrame(this.frame);
  }

  // As many steps as real time asks for, as far as a frame has time for them.
  go(now) {
    const passed = this.before === null ? 0 : Math.min((now - this.before) / 1000, 0.05);
    this.before = now;
    const wanted = this.owed + (passed * Number(element("speed").value)) / this.motion.dt;
    const end = performance.now() + BUSY;
    let left = Math.floor(wanted);
    for (const all = left; left > 0 && performance.now() < end; ) {
      const n = Math.min(left, Math.max(1, Math.ceil(all / 16)));
      if (!this.steps(n)) return;
      left -= n;
    }
    this.owed = left > 0 ? 0 : wanted % 1;
    const share = wanted >= 1 ? (Math.floor(wanted) - left) / Math.floor(wanted) : 1;
    this.pace += 0.05 * (share - this.pace);
  }

  view() {
    const { scene, camera, canvas } = this;
    const offset = element("follow").checked ? sub(scene.centre(0, 0), scene.middle) : [0, 0, 0];
    const aspect = canvas.clientWidth / Math.max(canvas.clientHeight, 1);
    return { offset, aspect, seen: camera.seen(aspect, offset, scene.size) };
  }

  draw() {
    const { scene, motion } = this;
    for (const { force } of motion.contacts()) this.newton = Math.max(this.newton, length(force));
    this.newton *= 0.995;
    scene.newton = (0.25 * scene.size) / (this.newton || 1);
    const options = { look: element("look").value };
    for (const name of ["forces", "frames", "follow"]) options[name] = element(name).checked;
    const { aspect } = this.view();
    scene.draw(0, 0, this.camera, aspect, options);
    this.pull.draw();
    if (this.told && performance.now() - this.told < TOLD) return;
    this.told = performance.now();
    this.energy.draw();
    const slow = this.playing && this.pace < 0.9 ? `, ${Math.round(100 * this.pace)} % of the speed` : "";
    element("clock").textContent = `${motion.t.toFixed(2)} s${slow}`;
  }
}

try {
  const data = JSON.parse(element("data").textContent);
  const motion = await Motion.from(bytes(data.code), data.layout, data.start);
  window.kinegen = new Stage(new Live(data.look, motion));
  element("name").textContent = data.layout.name;
  for (const text of data.look.notes) element("notes").append(made("li", { textContent: text }));
  window.kinegen.play();
} catch (error) {
  element("failure").hidden = false;
  element("failure").textContent = error.message;
}
