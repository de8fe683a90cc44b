// A clip as it is drawn: parts on their links, grounds, rods, contact forces, connections.

const RANK = { stick: 0, shape: 1, visual: 2 };
const COLOURS = { force: [0.7, 0.15, 0.12, 1], rod: [0.25, 0.29, 0.35, 1], com: [0.7, 0.26, 0.12, 1],
  active: [0.85, 0.45, 0.1, 1], loose: [0.55, 0.58, 0.64, 0.5] };
const DARK = matchMedia("(prefers-color-scheme: dark)").matches;
const GROUND = DARK ? [0.2, 0.22, 0.25, 1] : [0.87, 0.87, 0.85, 1];
const SHADOW = scaled(GROUND, 0.77);
const ARROW = [[0, 0], [0.35, 0], [0.35, 0.75], [1, 0.75], [0, 1]];

class Scene {
  constructor(clip, painter) {
    this.clip = clip;
    this.painter = painter;
    this.up = upright(clip.data.up);
    this.surfaces = new Map(); // what a surface is told by -> what is drawn
    this.parts = clip.data.parts.map(([link, surface, place, colour, kind]) =>
      ({ link, surface, place: fromRows(place), colour, kind }));
    this.best = new Map();
    for (const { link, kind } of this.parts)
      if (!(RANK[this.best.get(link)] > RANK[kind])) this.best.set(link, kind);
    this.plainest = new Map(this.best); // shapes throw simpler shadows than visuals
    for (const { link, kind } of this.parts) if (kind === "shape") this.plainest.set(link, kind);
    this.grounds = clip.data.grounds.map(([link, place]) => ({ link, place: fromRows(place) }));
    this.rod = painter.surface(turned([[1, 0], [1, 1]]));
    this.arrow = painter.surface(turned(ARROW));
    this.ball = painter.surface(turned(Array.from({ length: 13 }, (_, i) => {
      const angle = (Math.PI * (i - 6)) / 12;
      return [Math.cos(angle), Math.sin(angle)];
    })));
    this.measure();
  }

  // Size of what is seen in the first frame [m], its middle, whether it travels; size of the usual large force [N].
  measure() {
    const { clip } = this;
    const [low, high] = this.bounds(0);
    this.size = length(sub(high, low)) || 1;
    this.middle = scaled(add(low, high), 0.5);
    const paths = [[...low], [...high]];
    for (let f = 0; f < clip.t.length; f += Math.ceil(clip.t.length / 60))
      for (let l = 0; l < clip.links; l++) {
        const p = turn(this.up, clip.place(f, l));
        for (let k = 0; k < 3; k++) {
          paths[0][k] = Math.min(paths[0][k], p[k]);
          paths[1][k] = Math.max(paths[1][k], p[k]);
        }
      }
    const whole = length(sub(paths[1], paths[0]));
    this.travels = whole > 2.5 * this.size;
    if (!this.travels) [this.middle, this.size] = [scaled(add(...paths), 0.5), whole || 1];
    const forces = [];
    for (let f = 0; f < clip.t.length; f++) for (const [, force] of clip.touching(f)) forces.push(length(force));
    forces.sort((a, b) => a - b);
    this.newton = (0.2 * this.size) / (forces[Math.floor(0.7 * (forces.length - 1))] || 1);
  }

  // [lowest, highest] corner of all parts as they are drawn in a frame, and of all links.
  bounds(frame) {
    const { clip } = this;
    const corners = [];
    for (let l = 0; l < clip.links; l++) corners.push(turn(this.up, clip.place(frame, l)));
    for (const part of this.parts) {
      if (part.link < 0 || part.kind !== this.best.get(part.link)) continue;
      const { low, step } = clip.data.surfaces[part.surface];
      const model = multiply(this.pose(part.link, frame, 0), part.place);
      for (let k = 0; k < 8; k++)
        corners.push(apply(model, low.map((x, i) => x + (k & (1 << i) ? 65535 * step[i] : 0))));
    }
    const bound = (pick) => [0, 1, 2].map((k) => corners.reduce((m, c) => pick(m, c[k]), corners[0][k]));
    return corners.length ? [bound(Math.min), bound(Math.max)] : [[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]];
  }

  pose(link, frame, part) {
    return multiply(this.up, this.clip.pose(link, frame, part));
  }

  // Mean place of all links, which the camera follows.
  centre(frame, part) {
    const { clip } = this;
    let sum = [0, 0, 0];
    for (let l = 0; l < clip.links; l++) sum = add(sum, turn(this.up, clip.pose(l, frame, part).slice(12, 15)));
    return scaled(sum, 1 / (clip.links || 1));
  }

  surface(number) {
    const fine = this.clip.data.surfaces[number];
    const told = (this.painter.rough && fine.rough) || fine;
    if (!this.surfaces.has(told)) this.surfaces.set(told, this.painter.surface(corners(told)));
    return this.surfaces.get(told);
  }

  draw(frame, part, camera, aspect, options) {
    const { painter } = this;
    const offset = options.follow ? sub(this.centre(frame, part), this.centre(0, 0)) : [0, 0, 0];
    const [matrix, eye, target] = camera.seen(aspect, offset, this.size);
    const light = unit([0.35, -0.3, 0.9]);
    painter.begin(matrix, eye, light);
    const poses = Array.from({ length: this.clip.links }, (_, l) => this.pose(l, frame, part));
    const at = (link) => (link < 0 ? this.up : poses[link]);
    const shown = this.parts.filter(({ link, kind }) => kind === (options.look === "drawn" || link < 0 ? this.best.get(link) : options.look));
    const planes = this.grounds.map(({ link, place }) => multiply(at(link), place));
    for (const plane of painter.slow ? [] : planes.slice(0, 1))
      painter.shadows(plane, light, (flat) => {
        for (const { link, surface, place, colour, kind } of this.parts)
          if (colour[3] >= 1 && link >= 0 && kind === this.plainest.get(link))
            painter.draw(this.surface(surface), multiply(flat, multiply(at(link), place)), [...SHADOW, 1], 0);
      });
    const paint = (clear) => {
      for (const { link, surface, place, colour } of shown)
        if (colour[3] < 1 === clear) painter.draw(this.surface(surface), multiply(at(link), place), colour);
    };
    paint(false);
    for (const plane of planes) painter.ground(plane, target, 25 * this.size, this.cell(), GROUND);
    paint(true);
    this.drawRods(at);
    this.drawConnections(frame, at);
    if (options.forces) painter.before(() => this.drawForces(frame));
    if (options.com) this.drawPath(frame);
    if (options.frames) for (const pose of [this.up, ...poses]) this.drawFrame(pose);
  }

  // Width of a cell of the grid: 1 or 5 times a power of ten.
  cell() {
    const power = 10 ** Math.floor(Math.log10(this.size / 5));
    return this.size / 5 >= 5 * power ? 5 * power : power;
  }

  line(a, b, radius, colour, surface = this.rod) {
    const along = sub(b, a);
    const far = length(along);
    if (far < 1e-3 * this.size) return;
    const [x, y] = axesAlong(along);
    this.painter.draw(surface, fromAxes(scaled(x, radius), scaled(y, radius), along, a), colour);
  }

  spot(p, radius, colour) {
    this.painter.draw(this.ball, fromAxes([radius, 0, 0], [0, radius, 0], [0, 0, radius], p), colour);
  }

  drawRods(at) {
    for (const [a, p, b, q] of this.clip.data.rods)
      this.line(apply(at(a), p), apply(at(b), q), 0.006 * this.size, COLOURS.rod);
  }

  drawConnections(frame, at) {
    this.clip.data.connections.forEach(({ link, point }, k) => {
      const active = this.clip.isActive(frame, k);
      this.spot(apply(at(link), point), (active ? 0.012 : 0.008) * this.size, active ? COLOURS.active : COLOURS.loose);
    });
  }

  drawForces(frame) {
    for (const [point, force] of this.clip.touching(frame)) {
      const tail = turn(this.up, point);
      this.spot(tail, 0.006 * this.size, COLOURS.force);
      const long = Math.min(length(force) * this.newton, 0.6 * this.size); // what hits hard is cut short
      this.line(tail, add(tail, scaled(unit(turn(this.up, force)), long)), 0.012 * this.size, COLOURS.force, this.arrow);
    }
  }

  drawPath(frame) {
    const { com, t } = this.clip;
    if (com === null) return;
    const step = Math.ceil(t.length / 240);
    const places = [];
    for (let f = 0; f < t.length; f += step) places.push(turn(this.up, [com[3 * f], com[3 * f + 1], com[3 * f + 2]]));
    for (let i = 0; i + 1 < places.length; i++) this.line(places[i], places[i + 1], 0.0025 * this.size, COLOURS.com);
    this.spot(turn(this.up, [com[3 * frame], com[3 * frame + 1], com[3 * frame + 2]]), 0.014 * this.size, COLOURS.com);
  }

  drawFrame(pose) {
    const origin = pose.slice(12, 15);
    [0, 4, 8].forEach((i, k) => {
      const colour = [0, 1, 2].map((c) => (c === k ? 0.75 : 0.15));
      this.line(origin, add(origin, scaled(pose.slice(i, i + 3), 0.07 * this.size)), 0.004 * this.size, [...colour, 1]);
    });
  }
}
