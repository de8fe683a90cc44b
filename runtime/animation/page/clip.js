// What the page was given: frames of a motion and what is drawn, decoded.

function bytes(text) {
  const raw = atob(text);
  const result = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) result[i] = raw.charCodeAt(i);
  return result.buffer;
}

const floats = (text) => new Float32Array(bytes(text));
const words = (text) => new Int16Array(bytes(text));
const counts = (text) => new Uint32Array(bytes(text));

class Clip {
  constructor(data) {
    this.data = data;
    this.t = new Float64Array(bytes(data.t));
    this.links = data.links.length;
    this.places = floats(data.places);
    this.turns = words(data.turns);
    this.com = data.com === null ? null : floats(data.com);
    this.starts = counts(data.contacts.starts);
    this.contacts = floats(data.contacts.values);
    this.active = new Uint8Array(bytes(data.active));
    this.duration = this.t[this.t.length - 1] - this.t[0];
  }

  // [number of the frame at or before a time, how far on to the next, in 0..1]
  at(time) {
    const { t } = this;
    let low = 0;
    let high = t.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (t[middle] <= time) low = middle;
      else high = middle - 1;
    }
    const span = low + 1 < t.length ? t[low + 1] - t[low] : 0;
    return [low, span > 0 ? Math.min(Math.max((time - t[low]) / span, 0), 1) : 0];
  }

  place(frame, link) {
    const i = 3 * (frame * this.links + link);
    return [this.places[i], this.places[i + 1], this.places[i + 2]];
  }

  turn(frame, link) {
    const i = 4 * (frame * this.links + link);
    const q = [0, 1, 2, 3].map((k) => this.turns[i + k]);
    const size = Math.hypot(...q);
    return q.map((x) => x / size);
  }

  // Matrix of a link in world between two frames; link -1 is world.
  pose(link, frame, part) {
    if (link < 0) return fromPose([0, 0, 0, 1], [0, 0, 0]);
    const [p, q] = [this.place(frame, link), this.turn(frame, link)];
    if (part <= 0) return fromPose(q, p);
    const [p1, q1] = [this.place(frame + 1, link), this.turn(frame + 1, link)];
    const mixed = q.map((x, k) => x + part * (q1[k] - x));
    const size = Math.hypot(...mixed);
    return fromPose(mixed.map((x) => x / size), add(p, scaled(sub(p1, p), part)));
  }

  // Contacts of a frame: [point, force] each.
  touching(frame) {
    const found = [];
    for (let i = this.starts[frame]; i < this.starts[frame + 1]; i++) {
      const v = this.contacts.subarray(6 * i, 6 * i + 6);
      found.push([[v[0], v[1], v[2]], [v[3], v[4], v[5]]]);
    }
    return found;
  }

  isActive(frame, connection) {
    return this.active[frame * this.data.connections.length + connection] === 1;
  }
}

const CREASE = Math.cos((40 * Math.PI) / 180);

// A surface as [places and normals of its corners, triangles]: smooth where faces meet at less than the crease, with
// a corner for each normal where they do not.
function corners(surface) {
  const grid = new Uint16Array(bytes(surface.vertices));
  const index = surface.wide ? counts(surface.triangles) : new Uint16Array(bytes(surface.triangles));
  const vertex = (i) => [0, 1, 2].map((k) => surface.low[k] + surface.step[k] * grid[3 * i + k]);
  const places = Array.from({ length: grid.length / 3 }, (_, i) => vertex(i));
  const around = places.map(() => []);
  const areas = [];
  for (let f = 0; f < index.length / 3; f++) {
    const [a, b, c] = [0, 1, 2].map((k) => places[index[3 * f + k]]);
    areas.push(cross(sub(b, a), sub(c, a)));
    for (let k = 0; k < 3; k++) around[index[3 * f + k]].push(f);
  }
  const units = areas.map(unit);
  const known = places.map(() => []);
  const values = [];
  const triangles = new Uint32Array(index.length);
  for (let i = 0; i < index.length; i++) {
    const face = Math.floor(i / 3);
    const near = around[index[i]].filter((g) => dot(units[g], units[face]) >= CREASE);
    const normal = unit(near.reduce((sum, g) => add(sum, areas[g]), [0, 0, 0]));
    let same = known[index[i]].find(([other]) => dot(other, normal) > 0.999);
    if (!same) {
      same = [normal, values.length / 6];
      known[index[i]].push(same);
      values.push(...places[index[i]], ...normal);
    }
    triangles[i] = same[1];
  }
  return [new Float32Array(values), triangles];
}

// A cylinder and a cone along z from 0 to 1, of radius 1: what arrows and rods are made of.
function turned(profile, sides = 20) {
  const values = [];
  for (let i = 0; i < sides; i++) {
    const [a, b] = [i, i + 1].map((k) => (2 * Math.PI * k) / sides);
    for (let k = 0; k + 1 < profile.length; k++) {
      const [[r0, z0], [r1, z1]] = [profile[k], profile[k + 1]];
      const point = (angle, r, z) => [r * Math.cos(angle), r * Math.sin(angle), z];
      const normal = (angle) => unit([(z1 - z0) * Math.cos(angle), (z1 - z0) * Math.sin(angle), r0 - r1]);
      const quad = [[a, r0, z0], [b, r0, z0], [b, r1, z1], [a, r0, z0], [b, r1, z1], [a, r1, z1]];
      for (const [angle, r, z] of quad) values.push(...point(angle, r, z), ...normal(angle));
    }
  }
  return [new Float32Array(values), Uint32Array.from({ length: values.length / 6 }, (_, i) => i)];
}
