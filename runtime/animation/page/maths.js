// Vectors as arrays of three, matrices (4, 4) column by column, quaternions [x y z w].

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scaled(a, 1 / (length(a) || 1));

// Rows of [A | p], twelve numbers -> matrix.
function fromRows(r) {
  return [r[0], r[4], r[8], 0, r[1], r[5], r[9], 0, r[2], r[6], r[10], 0, r[3], r[7], r[11], 1];
}

function fromAxes(x, y, z, p) {
  return [...x, 0, ...y, 0, ...z, 0, ...p, 1];
}

function multiply(a, b) {
  const c = new Array(16);
  for (let j = 0; j < 4; j++)
    for (let i = 0; i < 4; i++)
      c[4 * j + i] = a[i] * b[4 * j] + a[4 + i] * b[4 * j + 1] + a[8 + i] * b[4 * j + 2] + a[12 + i] * b[4 * j + 3];
  return c;
}

const apply = (m, p) => [0, 1, 2].map((i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]);
const turn = (m, v) => [0, 1, 2].map((i) => m[i] * v[0] + m[4 + i] * v[1] + m[8 + i] * v[2]);

// Pose of a unit quaternion and a place.
function fromPose(q, p) {
  const [x, y, z, w] = q;
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0,
    p[0], p[1], p[2], 1,
  ];
}

// Axes that go with a direction: [x, y, z] with z = along.
function axesAlong(along) {
  const z = unit(along);
  const least = [0, 1, 2].reduce((k, i) => (Math.abs(z[i]) < Math.abs(z[k]) ? i : k), 0);
  const x = unit(cross([0, 1, 2].map((i) => (i === least ? 1 : 0)), z));
  return [x, cross(z, x), z];
}

// Rotation that takes `up` to z.
function upright(up) {
  const [x, y, z] = axesAlong(up);
  if (dot(z, [0, 0, 1]) > 1 - 1e-9) return fromAxes([1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, 0, 0, 0, 1];
}

function lookAt(eye, target) {
  const z = unit(sub(eye, target));
  const x = unit(cross([0, 0, 1], z));
  const y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  const d = 1 / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + far) * d, -1, 0, 0, 2 * near * far * d, 0];
}

// (3, 3) that turns normals of what the matrix places: its cofactors, the inverse transposed but for a factor.
function normalMatrix(m) {
  const [a, b, c] = [m.slice(0, 3), m.slice(4, 7), m.slice(8, 11)];
  return [...cross(b, c), ...cross(c, a), ...cross(a, b)];
}
