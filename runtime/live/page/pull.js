// The mouse pulls a link: a spring and a damper between the point that was grasped and the cursor.

const STIFF = 2 * Math.PI * 3; // how fast a grasped point follows [rad/s], by the inertia that is felt at it

class Pull {
  constructor(stage) {
    this.stage = stage;
    this.held = null;
    const { canvas } = stage;
    const heard = (kind, act) => canvas.addEventListener(kind, act, { passive: false });
    heard("pointerdown", (event) => {
      if (event.shiftKey || event.button !== 0 || !this.take(...this.at(event))) return;
      canvas.setPointerCapture(event.pointerId);
      event.stopImmediatePropagation();
    });
    heard("pointermove", (event) => {
      if (!this.held) return;
      this.move(...this.at(event));
      event.stopImmediatePropagation();
    });
    for (const end of ["pointerup", "pointercancel"]) heard(end, () => this.drop());
  }

  // Place of the cursor in the picture, -1 to 1 to the right and up.
  at(event) {
    const { clientWidth: width, clientHeight: height } = this.stage.canvas;
    return [(2 * event.offsetX) / width - 1, 1 - (2 * event.offsetY) / height];
  }

  // [eye, direction] of the ray through a point of the picture.
  ray(x, y) {
    const { camera } = this.stage;
    const { aspect, seen } = this.stage.view();
    const back = camera.direction();
    const right = [-Math.sin(camera.turn), Math.cos(camera.turn), 0];
    const wide = Math.tan(camera.angle / 2);
    const across = add(scaled(right, x * wide * aspect), scaled(cross(back, right), y * wide));
    return [seen[1], unit(sub(across, back))];
  }

  // Grasp what is under a point of the picture; false if there is nothing.
  take(x, y) {
    const { scene, motion } = this.stage;
    const [eye, way] = this.ray(x, y);
    const hit = this.nearest(eye, way);
    if (!hit) return false;
    const pose = scene.pose(hit.link, 0, 0);
    const point = add(eye, scaled(way, hit.far));
    const local = inverse(pose)(point);
    const mass = this.felt(hit.link, local);
    if (!(mass > 0)) return false;
    this.held = { link: hit.link, local, mass, depth: dot(sub(point, eye), this.stage.camera.direction()), goal: point, last: null };
    motion.use(motion.start.wrenches.rows.length / 6 + 1, motion.servos);
    return true;
  }

  // The cursor goes on in the plane of the picture through the point that was grasped.
  move(x, y) {
    const [eye, way] = this.ray(x, y);
    this.held.goal = add(eye, scaled(way, this.held.depth / dot(way, this.stage.camera.direction())));
  }

  drop() {
    const { motion } = this.stage;
    if (this.held) motion.use(motion.start.wrenches.rows.length / 6, motion.servos);
    this.held = null;
  }

  // {link, how far along the ray}: the first box around a part that is drawn, else a part that is nearly met.
  nearest(eye, way) {
    const { scene } = this.stage;
    let best = null;
    let near = null;
    for (const { link, kind, surface, place } of scene.parts) {
      if (link < 0 || kind !== scene.best.get(link)) continue;
      const { low, step } = scene.clip.data.surfaces[surface];
      const model = multiply(scene.pose(link, 0, 0), place);
      const back = inverse(model);
      const [from, to] = [back(eye), back(add(eye, way))];
      const far = boxed(from, sub(to, from), low, low.map((x, i) => x + 65535 * step[i]));
      if (far !== null && (!best || far < best.far)) best = { link, far };
      const middle = apply(model, low.map((x, i) => x + 32767.5 * step[i]));
      const along = dot(sub(middle, eye), way);
      const off = length(sub(middle, add(eye, scaled(way, along))));
      if (along > 0 && off < 0.05 * scene.size && (!near || off < near.off)) near = { link, far: along, off };
    }
    return best ?? near;
  }

  // Inertia [kg] that is felt at a point of a link in the direction where it is least: by steps with a small force,
  // after which all is as before.
  felt(link, local) {
    const { motion } = this.stage;
    const memory = new Uint8Array(motion.run.memory.buffer);
    const saved = memory.slice();
    const k = motion.start.wrenches.rows.length / 6;
    const moved = (force) => {
      memory.set(saved);
      if (motion.run.watch) motion.run.watch(0);
      motion.wrench_place.set([link, ...local, 0], 5 * k);
      motion.wrench.set([...force, 0, 0, 0], 6 * k);
      motion.run.use(k + 1, motion.servos);
      if (motion.run.step(1, motion.dt) !== 1) return null;
      motion.run.look();
      return apply(this.stage.live.pose(link), local);
    };
    const places = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]].map(moved);
    memory.set(saved);
    if (places.includes(null)) return 0;
    const least = Math.max(...[1, 2, 3].map((i) => Math.abs(places[i][i - 1] - places[0][i - 1]))) / motion.dt ** 2;
    return least > 1e-9 ? 1 / least : 0;
  }

  // The force of the present step.
  act() {
    if (!this.held) return;
    const { motion, live, scene } = this.stage;
    const { link, local, mass, goal } = this.held;
    motion.look();
    const point = apply(live.pose(link), local);
    const speed = this.held.last ? scaled(sub(point, this.held.last), 1 / motion.dt) : [0, 0, 0];
    this.held.last = point;
    const stiff = STIFF * Number(element("strength").value);
    const aim = transposed(scene.up, goal);
    const force = sub(scaled(sub(aim, point), mass * stiff ** 2), scaled(speed, 2 * mass * stiff));
    const k = motion.start.wrenches.rows.length / 6;
    motion.wrench_place.set([link, ...local, 0], 5 * k);
    motion.wrench.set([...force, 0, 0, 0], 6 * k);
  }

  // Where the point is that is held, as it is drawn.
  point() {
    return apply(this.stage.scene.pose(this.held.link, 0, 0), this.held.local);
  }

  draw() {
    if (!this.held) return;
    const { scene } = this.stage;
    const point = this.point();
    scene.line(point, this.held.goal, 0.004 * scene.size, COLOURS.active);
    scene.spot(point, 0.01 * scene.size, COLOURS.active);
  }
}

// What takes points of the world to those of a frame that an affine matrix places.
function inverse(m) {
  const [a, b, c, p] = [0, 4, 8, 12].map((i) => m.slice(i, i + 3));
  const rows = [cross(b, c), cross(c, a), cross(a, b)];
  const size = dot(a, rows[0]);
  return (point) => rows.map((row) => dot(row, sub(point, p)) / size);
}

// A vector by the transpose of a rotation.
const transposed = (m, v) => [0, 4, 8].map((i) => m[i] * v[0] + m[i + 1] * v[1] + m[i + 2] * v[2]);

// How far along a ray it enters a box between two corners; null if it does not.
function boxed(eye, way, low, high) {
  let [from, until] = [0, Infinity];
  for (let i = 0; i < 3; i++) {
    const ends = [low[i], high[i]].map((x) => (x - eye[i]) / way[i]);
    from = Math.max(from, Math.min(...ends));
    until = Math.min(until, Math.max(...ends));
  }
  return from <= until && until > 0 ? from : null;
}
