// One motion of a mechanism, stepped in WebAssembly. SI units, radians, quaternions [x y z w]; layouts as in `layout`.

const DOUBLES = ["p", "q", "v", "tau", "ready", "turns", "poses", "energy", "wrench_place", "wrench", "servo_kp", "servo_kd",
  "servo_limit", "servo_target", "servo_torque", "contact_options", "wanted", "taken", "impulse", "opening"];
const WHOLES = ["servo_place", "servo_dof"];

function requireCount(where, what, count, most = Infinity) {
  const room = most < Infinity ? `, ${most} at most` : "";
  if (!Number.isInteger(count) || count < 0 || count > most)
    throw new Error(`${where}: expected a whole number of ${what}${room}, got ${count}`);
}

class Motion {
  #dt;

  // `code`: the bytes of the module, `layout`: what stands where, `start`: where it begins and what drives it.
  static async from(code, layout, start) {
    return new Motion((await WebAssembly.instantiate(code)).instance, layout, start);
  }

  constructor(instance, layout, start) {
    const run = instance.exports;
    this.run = run;
    this.layout = layout;
    this.start = start;
    run._initialize();
    const views = (names, Kind) => names.filter((name) => run[name]).forEach((name) => {
      this[name] = new Kind(run.memory.buffer, run[name](), run[`${name}_entries`]());
    });
    views(DOUBLES, Float64Array);
    views(WHOLES, Int32Array);
    for (const struct of ["contact", "condition"])
      if (run[`${struct}_size`] && run[`${struct}_size`]() !== layout[struct].size)
        throw new Error(`struct ${struct} has another layout in the module than in its description`);
    this.reset();
  }

  // Back to where it started.
  reset() {
    const { start } = this;
    for (const name of ["p", "q", "v", "tau"]) this[name].set(start[name]);
    this.contact_options.set(start.options);
    if (start.ready) this.ready.set(start.ready);
    this.wrench_place.set(start.wrenches.place);
    this.wrench.set(start.wrenches.rows);
    this.wrenches = start.wrenches.rows.length / 6;
    const { servos } = start;
    for (const name of ["place", "dof", "kp", "kd", "target"]) this[`servo_${name}`].set(servos[name]);
    this.servo_limit.set(servos.limit.map((limit) => limit ?? Infinity));
    this.servos = servos.dof.length;
    this.named = servos.named;
    this.#dt = start.dt;
    [this.steps, this.within] = [start.steps, start.within];
    this.watches = start.watches.map((watch) => ({ ...watch, row: Uint8Array.from(watch.row) }));
    this.timed = [...start.timed];
    this.events = [];
    this.begin();
    if (this.turns) this.turns.set(start.turns);
  }

  // The motion goes on from the q and v that are in the arrays: loops are closed, nothing is left of the last step.
  // Turns of joints that close loops are counted anew, on with `closing`, after a change of lengths.
  begin(closing = false) {
    const { run, start } = this;
    const turns = closing && this.turns ? this.turns.slice() : null;
    if (closing) run.close();
    this.use(this.wrenches, this.servos);
    this.gap = run.begin(start.integrator, start.limits, start.shapes, start.ready ? 1 : 0, start.rank);
    if (turns) this.turns.set(turns);
    this.watch();
    run.look();
  }

  // So many of the wrenches and servos in the arrays act from here on. What was let go follows no parameter any more.
  use(wrenches, servos) {
    requireCount("use", "wrenches", wrenches, this.wrench.length / 6);
    requireCount("use", "servos", servos, this.servo_dof.length);
    [this.wrenches, this.servos] = [wrenches, servos];
    this.named = this.named.filter(({ dof }) => this.servo(dof) >= 0);
    this.run.use(wrenches, servos);
  }

  // Place of the servo that acts on this entry, or -1.
  servo(dof) {
    return this.servo_dof.subarray(0, this.servos).indexOf(dof);
  }

  // Gains and limits of servos that name a parameter are what it is now. Error where that is negative.
  follow() {
    for (const { what, joint, dof, place } of this.named) {
      const value = this.p[place];
      if (value < 0) throw new Error(`servos: joint '${joint}': ${what} must not be negative, got ${value}`);
      this[`servo_${what}`][this.servo(dof)] = value;
    }
  }

  // Length of a step [s], by which time is counted.
  get dt() {
    return this.#dt;
  }

  set dt(dt) {
    throw new Error(`dt: it stays ${this.#dt} s, by which time is counted; make a Motion from a start with another dt`);
  }

  // Time [s]: a product, so that it does not drift.
  get t() {
    return this.steps * this.dt + this.within;
  }

  // n steps, with what happens on the way; false if the motion cannot go on: the state is then the last good one.
  advance(n = 1) {
    requireCount("advance", "steps", n);
    const until = this.steps + n;
    while (this.steps < until || this.isDue()) {
      this.happen(this.due());
      if (this.steps < until && !this.march(until - this.steps)) return false;
    }
    return true;
  }

  // Poses of the links and energy as they are now.
  look() {
    this.run.look();
  }

  // Contacts of the last step: number of the pair, point [m], force on its second link [N].
  contacts() {
    const { run, layout } = this;
    if (!run.contacts) return [];
    const view = new DataView(run.memory.buffer, run.contacts(), run.contact_count() * layout.contact.size);
    const vector = (at) => [0, 8, 16].map((k) => view.getFloat64(at + k, true));
    const found = [];
    for (let i = 0; i < run.contact_count(); i++) {
      const at = i * layout.contact.size;
      const pair = view.getInt32(at + layout.contact.pair, true);
      if (pair < layout.pairs) found.push({ pair, point: vector(at + layout.contact.point), force: vector(at + layout.contact.force) });
    }
    return found;
  }

  // ---- Structure: connections and joints that can be cut

  isActive(name) {
    return this.p[this.switch(name).flag] !== 0;
  }

  switch(name) {
    const found = this.layout.switches.find((known) => known.name === name);
    if (!found) throw new Error(`there is nothing to connect or cut by the name '${name}'`);
    return found;
  }

  // First all cuts, then all connections together, with their impulse. Error: nothing has changed.
  change(connect, cut, tolerance = 1e-3) {
    const { p, wanted, taken, layout } = this;
    const before = p.slice();
    for (const { name, loop, pose, given } of layout.switches) {
      const made = connect.includes(name);
      wanted[loop] = Number(made || (this.isActive(name) && !cut.includes(name)));
      taken[loop] = Number(!(made && given.length));
      if (made && given.length) pose.forEach((place, k) => (p[place] = given[k]));
    }
    const failed = this.run.restructure(tolerance);
    if (failed) {
      p.set(before);
      const { name } = layout.switches.find(({ loop }) => loop === failed - 1) ?? { name: layout.loops[failed - 1] };
      throw new Error(`'${name}' cannot be connected: its frames are ${this.opening[0].toPrecision(3)} m or rad apart`);
    }
    for (const name of cut) this.events.push([this.t, "cut", name]);
    for (const name of connect) this.events.push([this.t, "connect", name]);
  }

  // ---- Time, and what is to happen

  isDue() {
    return this.timed.length > 0 && this.timed[0].t <= this.t + this.layout.instant * this.dt;
  }

  due() {
    const found = [];
    while (this.isDue()) found.push(this.timed.shift());
    return found;
  }

  // All of these at once, then one by one those that stand alone; what is already so stays. Error: what could not be
  // made, and what would come after it, waits on.
  happen(changes) {
    const together = changes.filter((change) => !change.alone);
    const all = (what) => [...new Set(together.flatMap((change) => change[what]))];
    let left = changes;
    try {
      this.alter(all("connect"), all("cut"));
      left = changes.filter((change) => change.alone);
      for (; left.length; left = left.slice(1)) {
        const { connect, cut, values, tolerance } = left[0];
        for (const [place, value] of values) this.p[place] = value;
        this.alter(connect, cut, tolerance);
      }
    } finally {
      if (left.length) this.wait(left);
    }
  }

  // What was taken out and did not happen comes up again at once when the motion goes on.
  wait(left) {
    this.timed = [...left.filter((change) => "t" in change), ...this.timed];
    const conditions = left.filter((change) => !("t" in change));
    for (const watch of conditions) watch.armed = true;
    this.watches = [...new Set([...this.watches, ...conditions])];
    this.watch();
  }

  alter(connect, cut, tolerance) {
    const made = connect.filter((name) => !this.isActive(name));
    const gone = cut.filter((name) => this.isActive(name));
    if (made.length || gone.length) this.change(made, gone, tolerance);
  }

  // The next steps in one call, and what came true in them.
  march(n) {
    const { run } = this;
    this.follow();
    const [count, length] = this.span(n, this.timed.length ? this.timed[0].t : Infinity);
    const done = run.step(count, length, this.dt, this.within);
    const part = run.part ? run.part() : -1;
    this.passed(done, part, length);
    const fired = this.fired();
    if (done !== count && !(part >= 0)) return false;
    this.happen(fired);
    return true;
  }

  // [steps, length of each] of the next call: up to n whole ones, less if something is to happen before.
  span(n, moment) {
    const { dt, within } = this;
    if (moment === Infinity && !within) return [n, dt];
    const left = moment - this.t;
    if (within > 0) return [1, Math.min(dt - within, left)];
    if (left >= dt * (1 - this.layout.instant)) return [Math.trunc(Math.min(n, left / dt + this.layout.instant)), dt];
    return [1, left];
  }

  passed(count, part, length) {
    const { dt } = this;
    if (length === dt && !this.within) {
      this.steps += count;
      this.within = Math.max(part, 0) * length;
    } else this.within += count ? length : Math.max(part, 0) * length;
    if (this.within >= dt * (1 - this.layout.instant)) [this.steps, this.within] = [this.steps + 1, 0];
  }

  // The conditions as C watches them.
  watch() {
    const { run, layout, watches } = this;
    if (!run.watch) return;
    watches.forEach(({ row, armed }, k) => {
      const at = run.conditions() + k * layout.condition.size;
      new Uint8Array(run.memory.buffer, at, layout.condition.size).set(row);
      new DataView(run.memory.buffer).setInt32(at + layout.condition.armed, Number(armed), true);
    });
    run.watch(watches.length);
  }

  // Changes whose conditions came true; those that do not repeat are not watched any more.
  fired() {
    const { run, layout, watches } = this;
    if (!watches.length) return [];
    const view = new DataView(run.memory.buffer);
    const at = (k, what) => view.getInt32(run.conditions() + k * layout.condition.size + layout.condition[what], true);
    const found = watches.filter((_, k) => at(k, "fired"));
    watches.forEach((watch, k) => {
      watch.armed = Boolean(at(k, "armed")) && !at(k, "fired");
      watch.row = new Uint8Array(run.memory.buffer, run.conditions() + k * watch.row.length, watch.row.length).slice();
    });
    if (found.length) {
      this.watches = watches.filter((watch, k) => watch.repeat || !at(k, "fired"));
      this.watch();
    }
    return found;
  }
}
