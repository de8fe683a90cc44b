// Sliders and buttons: torques and servos of joints, parameters, connections; and the energy over time.

const element = (name) => document.getElementById(name);
const made = (tag, properties) => Object.assign(document.createElement(tag), properties); // names are text, never markup
const rounded = (x) => Number(x.toPrecision(4));

// q [x y z w] turned by the rotation vector [a b c] about its own axes.
const turnedBy = ([x, y, z, w], [a, b, c]) => {
  const angle = Math.hypot(a, b, c);
  const [s, r] = [angle < 1e-9 ? 0.5 : Math.sin(angle / 2) / angle, Math.cos(angle / 2)];
  const [i, j, k] = [s * a, s * b, s * c];
  return [w * i + x * r + y * k - z * j, w * j + y * r + z * i - x * k, w * k + z * r + x * j - y * i,
    w * r - x * i - y * j - z * k];
};

// Where joints whose coordinates do not add come by `way`: along the parent's axes, and turned about their own.
const GONE = {
  spherical: turnedBy,
  free: (from, way) => [...way.slice(0, 3).map((x, k) => from[k] + x), ...turnedBy(from.slice(3), way.slice(3))],
  planar: ([x, y, c, s], [dx, dy, w]) => {
    const [cw, sw] = [Math.cos(w), Math.sin(w)];
    return [x + dx, y + dy, c * cw - s * sw, s * cw + c * sw];
  },
};

class Panel {
  constructor(stage) {
    this.stage = stage;
    const { layout } = stage.motion;
    this.rows = [];
    for (const joint of layout.joints) if (joint.adds) for (let i = 0; i < joint.nv; i++) this.joint(joint, i);
    const held = new Set(stage.motion.start.servos.dof);
    for (const joint of [...layout.joints, ...layout.cut]) if (!joint.adds && held.has(joint.v)) this.held(joint);
    for (const joint of layout.cut)
      if (joint.adds || !held.has(joint.v)) for (let i = 0; i < joint.nv; i++) this.cut(joint, i);
    for (const parameter of layout.parameters) this.parameter(parameter);
    for (const connection of layout.switches) this.connection(connection);
    for (const { text, connect, cut } of stage.motion.start.watches) this.planned(text, connect, cut);
    for (const { t, connect, cut } of stage.motion.start.timed) this.planned(`t = ${rounded(t)} s`, connect, cut);
    for (const name of ["joints", "parameters", "connections"]) element(name).hidden = element(name).children.length < 2;
    element("joints").open = layout.joints.length + layout.cut.length < 12;
    element("forces").parentElement.hidden = layout.pairs === 0;
  }

  // A slider with its name and value; `told` is called with what it is set to, `shows` gives what it is at.
  slider(room, name, low, high, told, shows) {
    const row = made("label", { className: "row" });
    const input = made("input", { type: "range", min: low, max: high, step: "any" });
    const output = made("output", {});
    row.append(made("span", { textContent: name, title: name }), input, output);
    element(room).append(row);
    const show = (value) => (output.textContent = String(rounded(value)));
    input.addEventListener("input", () => {
      told(Number(input.value));
      show(Number(input.value));
    });
    const refresh = () => {
      input.value = shows();
      show(shows());
    };
    this.rows.push(refresh);
    return { row, input, refresh };
  }

  // Torque of an entry of a joint, or where a servo holds it.
  joint(joint, i) {
    const { motion } = this.stage;
    const [dof, place] = [joint.v + i, joint.q + i];
    const range = motion.start.torque_range[dof] || 1;
    const far = joint.linear[i] ? 1 : Math.PI;
    const name = joint.nv > 1 ? `${joint.name} ${i + 1}` : joint.name;
    const servo = () => this.servos().indexOf(dof);
    const told = (value) => {
      if (servo() >= 0) motion.servo_target[servo()] = value;
      else motion.tau[dof] = value;
    };
    const shows = () => (servo() >= 0 ? motion.servo_target[servo()] : motion.tau[dof]);
    const made_ = this.slider("joints", name, -range, range, told, shows);
    const { row, input } = made_;
    const held = made("input", { type: "checkbox", title: "held by a servo" });
    row.prepend(held);
    held.addEventListener("change", () => {
      if (held.checked) this.hold(dof, place, range, joint.effort[i]);
      else this.release(dof);
      this.refresh();
    });
    this.rows.push(() => {
      held.checked = servo() >= 0;
      const [low, high] = [joint.lower[i] ?? motion.start.q[place] - far, joint.upper[i] ?? motion.start.q[place] + far];
      [input.min, input.max] = held.checked ? [low, high] : [-range, range];
      made_.refresh();
    });
  }

  // Where a servo holds a joint whose coordinates do not add, from where it held it first.
  held(joint) {
    const { motion } = this.stage;
    const at = (count) => 2 * count + joint.q;
    const first = at(motion.start.servos.dof.length);
    const from = motion.start.servos.target.slice(first, first + joint.nq);
    const way = new Array(joint.nv).fill(0);
    const put = () => motion.servo_target.set(GONE[joint.kind](from, way), at(motion.servos));
    this.rows.push(() => {
      if (from.every((x, k) => x === motion.servo_target[at(motion.servos) + k])) way.fill(0);
    });
    joint.linear.forEach((linear, i) => {
      const far = linear ? 1 : Math.PI;
      const told = (value) => {
        way[i] = value;
        put();
      };
      this.slider("joints", `${joint.name} ${i + 1}`, -far, far, told, () => way[i]);
    });
  }

  // Torque of an entry of a joint that closes a loop, or where a servo holds it; felt while it is connected.
  cut(joint, i) {
    const { motion } = this.stage;
    const { start } = motion;
    const at = joint.v + i;
    const range = start.torque_range[at] || 1;
    const name = joint.nv > 1 ? `${joint.name} ${i + 1}` : joint.name;
    const k = start.servos.dof.indexOf(at);
    if (k < 0) {
      this.slider("joints", name, -range, range, (value) => (motion.tau[at] = value), () => motion.tau[at]);
      return;
    }
    const far = joint.linear[i] ? 1 : Math.PI;
    const [low, high] = [joint.lower[i] ?? start.servos.target[k] - far, joint.upper[i] ?? start.servos.target[k] + far];
    const servo = () => this.servos().indexOf(at);
    this.slider("joints", name, low, high, (value) => (motion.servo_target[servo()] = value),
      () => motion.servo_target[servo()]);
  }

  servos() {
    return [...this.stage.motion.servo_dof.subarray(0, this.stage.motion.servos)];
  }

  // A servo at the present coordinate: critically damped, 10 rad/s, where `range` is ten times the joint's inertia.
  hold(dof, place, range, effort) {
    const { motion } = this.stage;
    const rows = this.read();
    rows.push({ dof, place, kp: 10 * range, kd: 2 * range, limit: effort ?? Infinity, at: motion.q[place], speed: 0 });
    motion.tau[dof] = 0;
    this.write(rows);
  }

  release(dof) {
    this.write(this.read().filter((row) => row.dof !== dof));
  }

  read() {
    const { motion } = this.stage;
    const n = motion.servos;
    return this.servos().map((dof, k) => ({ dof, place: motion.servo_place[k], kp: motion.servo_kp[k],
      kd: motion.servo_kd[k], limit: motion.servo_limit[k], at: motion.servo_target[k], speed: motion.servo_target[n + k] }));
  }

  write(rows) {
    const { motion } = this.stage;
    const { nq, cut } = motion.layout;
    const coordinates = cut.reduce((sum, joint) => sum + joint.nq, nq);
    const goal = motion.servo_target.slice(2 * motion.servos, 2 * motion.servos + coordinates); // stands behind them
    const put = (name, values) => motion[`servo_${name}`].set(values);
    for (const name of ["dof", "place", "kp", "kd", "limit"]) put(name, rows.map((row) => row[name]));
    put("target", [...rows.map((row) => row.at), ...rows.map((row) => row.speed), ...goal]);
    motion.use(motion.wrenches, rows.length);
  }

  parameter({ name, place, sign }) {
    const { motion } = this.stage;
    const at = motion.start.p[place];
    const wide = 2 * Math.abs(at) || 10;
    let [low, high] = [at - wide, at + wide];
    if (sign.includes("positive") && !sign.includes("not")) low = 0.05 * at;
    else if (sign === "not negative") low = 0;
    else if (sign.includes("negative")) high = 0.05 * at;
    else if (sign === "not positive") high = 0;
    if (motion.start.servos.named.some((gain) => gain.place === place)) low = Math.max(low, 0);
    const told = (value) => {
      motion.p[place] = value;
      if (motion.layout.loops.length) motion.begin(true);
    };
    this.slider("parameters", name, low, high, told, () => motion.p[place]);
  }

  connection({ name }) {
    const { stage } = this;
    const button = made("button", { type: "button", textContent: name });
    element("connections").append(button);
    button.addEventListener("click", () => {
      const active = stage.motion.isActive(name);
      try {
        stage.motion.change(active ? [] : [name], active ? [name] : [], 0.1);
        stage.say(`${active ? "cut" : "connect"} ${name}`);
      } catch (error) {
        stage.say(error.message);
      }
      this.refresh();
    });
    this.rows.push(() => button.classList.toggle("active", stage.motion.isActive(name)));
  }

  planned(when, connect, cut) {
    const what = [...connect.map((name) => `connect ${name}`), ...cut.map((name) => `cut ${name}`)].join(", ");
    element("connections").append(made("p", { textContent: `${when}: ${what}` }));
  }

  refresh() {
    for (const row of this.rows) row();
  }
}

const SPAN = 10; // seconds that are shown

class Energy {
  constructor(canvas) {
    this.canvas = canvas;
    this.clear();
  }

  clear() {
    this.told = [];
  }

  note(t, [kinetic, potential]) {
    this.told.push([t, kinetic, potential, kinetic + potential]);
    while (this.told.length > 4000 || this.told[0][0] < t - SPAN) this.told.shift();
  }

  draw() {
    const { canvas, told } = this;
    if (!canvas.clientWidth) return;
    [canvas.width, canvas.height] = [canvas.clientWidth, canvas.clientHeight];
    const pen = canvas.getContext("2d");
    if (told.length < 2) return;
    const all = told.flatMap((row) => row.slice(1));
    const [low, high] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
    const end = told.at(-1)[0];
    const x = (t) => canvas.width * (1 - (end - t) / SPAN);
    const y = (value) => 4 + (canvas.height - 8) * (1 - (value - low) / (high - low || 1));
    ["#3b6fb6", "#c4761f", DARK ? "#e7e9ee" : "#1d2430"].forEach((colour, k) => {
      pen.strokeStyle = colour;
      pen.beginPath();
      for (const row of told) pen.lineTo(x(row[0]), y(row[k + 1]));
      pen.stroke();
    });
    element("joules").textContent = `${rounded(told.at(-1)[3])} J`;
  }
}
