// WebGL: surfaces with light from above, a ground with a grid, flat shadows.

const SHADED = `
uniform vec4 colour; uniform vec3 eye, light; uniform float lit;
vec4 shaded(vec3 at, vec3 facing) {
  vec3 view = normalize(eye - at), n = normalize(facing);
  if (dot(n, view) < 0.0) n = -n;
  float sky = 0.5 + 0.5 * n.z, sun = max(dot(n, light), 0.0);
  float shine = pow(max(dot(n, normalize(light + view)), 0.0), 40.0);
  vec3 bright = colour.rgb * (0.32 + 0.28 * sky + 0.5 * sun) + 0.12 * shine;
  return vec4(mix(colour.rgb, bright, lit), colour.a);
}`;

const VERTEX = `#version 300 es
uniform mat4 camera, model; uniform mat3 turned;
in vec3 place, normal; out vec3 at, facing;
void main() {
  vec4 world = model * vec4(place, 1.0);
  at = world.xyz / world.w; facing = turned * normal;
  gl_Position = camera * world;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 at, facing; out vec4 shown;
${SHADED}
void main() { shown = shaded(at, facing); }`;

// The same, shaded at corners instead of pixels.
const QUICK_VERTEX = `#version 300 es
uniform mat4 camera, model; uniform mat3 turned;
in vec3 place, normal; out vec4 bright;
${SHADED}
void main() {
  vec4 world = model * vec4(place, 1.0);
  bright = shaded(world.xyz / world.w, turned * normal);
  gl_Position = camera * world;
}`;

const QUICK_FRAGMENT = `#version 300 es
precision mediump float;
in vec4 bright; out vec4 shown;
void main() { shown = bright; }`;

// A ground: `on` counts cells, `far` is 1 where it ends.
const GRID_VERTEX = `#version 300 es
uniform mat4 camera, model; uniform vec3 axis_x, axis_y; uniform float cell;
in vec3 place; out vec2 on, far;
void main() {
  vec4 world = model * vec4(place, 1.0);
  on = vec2(dot(world.xyz, axis_x), dot(world.xyz, axis_y)) / cell; far = place.xy;
  gl_Position = camera * world;
}`;

const grid = (line) => `#version 300 es
precision highp float;
uniform vec4 colour;
in vec2 on, far; out vec4 shown;
float lines(vec2 p) {
  vec2 wide = max(fwidth(p), vec2(1e-6)), away = abs(fract(p - 0.5) - 0.5) / wide;
  return (1.0 - min(min(away.x, away.y), 1.0)) * (1.0 - min(max(wide.x, wide.y) * 3.0, 1.0));
}
void main() { shown = vec4(mix(colour.rgb, vec3(0.45), ${line}), colour.a * (1.0 - smoothstep(0.35, 1.0, length(far)))); }`;
const [GRID, QUICK_GRID] = ["0.18 * lines(on) + 0.22 * lines(0.2 * on)", "0.25 * lines(on)"].map(grid);

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.slow = isSoftware();
    const gl = canvas.getContext("webgl2", { antialias: !this.slow });
    if (!gl) throw new Error("this page needs WebGL 2, which this browser does not give");
    this.gl = gl;
    this.run = 0; // frames since it began to move
    this.fine = 1; // less than 1: fewer pixels, while drawing takes long
    this.rough = false; // while drawing takes long: surfaces of fewer triangles, shaded at their corners
    this.smooth = this.program(VERTEX, FRAGMENT);
    this.quick = this.program(QUICK_VERTEX, QUICK_FRAGMENT);
    this.fineGrid = this.program(GRID_VERTEX, GRID);
    this.quickGrid = this.program(GRID_VERTEX, QUICK_GRID);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const square = [[-1, -1], [1, -1], [1, 1], [-1, 1]].flatMap(([x, y]) => [x, y, 0, 0, 0, 1]);
    this.square = this.surface([new Float32Array(square), new Uint32Array([0, 1, 2, 0, 2, 3])]);
  }

  // Rougher surfaces and then fewer pixels while frames take longer than a thirtieth of a second; all of them once it
  // stands: true if the picture is then to be drawn anew. Without a graphics processor it begins with rough ones. The
  // first frames prepare what the others draw, and one after a long pause tells nothing.
  adapt(now, moving) {
    const sharper = !moving && (this.fine < 1 || this.rough);
    if (!moving) [this.fine, this.rough, this.run, this.last] = [1, false, 0, null];
    else if (++this.run === 1) this.rough = this.slow;
    if (this.run > 12 && this.last && now - this.last < 700) {
      this.pace = 0.8 * (this.pace ?? 16) + 0.2 * (now - this.last);
      if (this.pace > 34 && (!this.rough || this.fine > 0.6)) {
        if (this.rough) this.fine *= 0.8;
        [this.rough, this.pace] = [true, 16];
      }
    }
    if (moving) this.last = now;
    return sharper;
  }

  program(vertex, fragment) {
    const { gl } = this;
    const made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    gl.bindAttribLocation(made, 0, "place");
    gl.bindAttribLocation(made, 1, "normal");
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    return { made, places: new Map() };
  }

  // [places and normals, six numbers a corner; triangles] -> what `draw` takes.
  surface([values, triangles]) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
    gl.enableVertexAttribArray(0);
    gl.enableVertexAttribArray(1);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { array, count: triangles.length };
  }

  // An empty picture, seen by a camera (4, 4) from `eye`.
  begin(camera, eye, light) {
    const { gl, canvas } = this;
    const ratio = this.fine * Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.BLEND);
    [this.bodies, this.grid] = this.rough ? [this.quick, this.quickGrid] : [this.smooth, this.fineGrid];
    this.use(this.grid);
    this.set("camera", camera);
    this.use(this.bodies);
    for (const [name, value] of Object.entries({ camera, eye, light })) this.set(name, value);
  }

  draw(surface, model, colour, lit = 1) {
    const { gl } = this;
    this.use(this.bodies);
    this.set("model", model);
    this.set("turned", normalMatrix(model));
    this.set("colour", colour);
    this.set("lit", lit);
    if (colour[3] < 1) gl.enable(gl.CULL_FACE);
    this.blended(colour[3] < 1, () => this.show(surface));
    gl.disable(gl.CULL_FACE);
  }

  // A plane (4, 4) about the point of it below `middle`, as far as `reach`, with a grid of that width.
  ground(plane, middle, reach, cell, colour) {
    const [x, y, z] = [plane.slice(0, 3), plane.slice(4, 7), plane.slice(8, 11)];
    const foot = sub(middle, scaled(z, dot(sub(middle, plane.slice(12, 15)), z)));
    this.use(this.grid);
    const model = fromAxes(scaled(x, reach), scaled(y, reach), z, foot);
    this.set("model", model);
    for (const [name, value] of Object.entries({ colour, axis_x: x, axis_y: y, cell }))
      this.set(name, value);
    this.blended(true, () => this.show(this.square), true);
  }

  // Flat pictures on a plane of what lies between it and the light, a little above it.
  shadows(plane, light, draw) {
    const { gl } = this;
    const n = plane.slice(8, 11);
    const d = dot(n, plane.slice(12, 15));
    const nl = dot(n, light);
    if (nl < 0.1) return;
    const m = new Array(16).fill(0); // x - l (n x - d) / (n l)
    for (let j = 0; j < 3; j++) for (let i = 0; i < 3; i++) m[4 * j + i] = (i === j ? 1 : 0) - (light[i] * n[j]) / nl;
    for (let i = 0; i < 3; i++) m[12 + i] = (light[i] * d) / nl;
    m[15] = 1;
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(-2, -2);
    draw(m);
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  // Seen even inside something else.
  before(draw) {
    this.gl.disable(this.gl.DEPTH_TEST);
    draw();
    this.gl.enable(this.gl.DEPTH_TEST);
  }

  blended(on, draw, writes = false) {
    const { gl } = this;
    if (on) gl.enable(gl.BLEND);
    else gl.disable(gl.BLEND);
    gl.depthMask(!on || writes);
    draw();
    gl.depthMask(true);
  }

  show(surface) {
    this.gl.bindVertexArray(surface.array);
    this.gl.drawElements(this.gl.TRIANGLES, surface.count, this.gl.UNSIGNED_INT, 0);
  }

  use(program) {
    this.gl.useProgram(program.made);
    this.current = program;
  }

  set(name, value) {
    const { gl, current } = this;
    if (!current.places.has(name)) current.places.set(name, gl.getUniformLocation(current.made, name));
    const place = current.places.get(name);
    if (typeof value === "number") gl.uniform1f(place, value);
    else if (value.length === 16) gl.uniformMatrix4fv(place, false, value);
    else if (value.length === 9) gl.uniformMatrix3fv(place, false, value);
    else if (value.length === 4) gl.uniform4fv(place, value);
    else gl.uniform3fv(place, value);
  }
}
