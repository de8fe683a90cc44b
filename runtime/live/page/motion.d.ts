/** One motion of a mechanism, stepped in WebAssembly: SI units, radians, quaternions [x y z w]. Nothing is allocated. */
export declare class Motion {
  /** From the bytes of the module; `layout` and `start` as in the file beside it, or another start. */
  static from(code: BufferSource, layout: Layout, start: Start): Promise<Motion>;
  readonly layout: Layout;
  readonly start: Start;
  /** Length of a step [s], by which time is counted: that of `start`, for another one make a motion from another start. */
  readonly dt: number;
  /** Time [s]. */
  readonly t: number;
  /** Run-time parameters, at the places that `layout.parameters` gives. */
  readonly p: Float64Array;
  /** (nq) configuration and (nv) velocity; after writing into them call `begin`. */
  readonly q: Float64Array;
  readonly v: Float64Array;
  /** Torques: (nv) of the tree's joints, then of those that close loops. */
  readonly tau: Float64Array;
  /** 16 a link: rows of its pose (4, 4) in world; kinetic and potential energy [J]. Both as of the last `look`. */
  readonly poses: Float64Array;
  readonly energy: Float64Array;
  /** External wrenches: [link, x, y, z, 0] and [force; moment] in world axes of each; `use` says how many act. */
  readonly wrench_place: Float64Array;
  readonly wrench: Float64Array;
  /**
   * Servos: places in q and v, from nq and nv on those of joints that close loops, gains, largest torques, targets, what
   * they exerted. Targets: positions, velocities, and coordinates of all joints, to which those go whose coordinates do
   * not add and whose place in q is -1. Gains and largest torques that name a parameter are taken from `p` at each step.
   */
  readonly servo_place: Int32Array;
  readonly servo_dof: Int32Array;
  readonly servo_kp: Float64Array;
  readonly servo_kd: Float64Array;
  readonly servo_limit: Float64Array;
  readonly servo_target: Float64Array;
  readonly servo_torque: Float64Array;
  /** Coordinates of the joints that close loops, with the turns that they have made; not there in a tree. */
  readonly turns?: Float64Array;
  /** Gap [m, rad] of the loops where it began. */
  readonly gap: number;
  /** What happened: time [s], "connect" or "cut", what. */
  readonly events: [number, "connect" | "cut", string][];
  /** Back to the start. */
  reset(): void;
  /**
   * Goes on from the q and v that are in the arrays, with turns counted anew; `closing`: loops are closed first, after a
   * change of lengths, and turns counted on.
   */
  begin(closing?: boolean): void;
  /**
   * So many of the wrenches and servos in the arrays act from here on: at most 16 wrenches, and as many servos as
   * `servo_dof` has entries. Error for others.
   */
  use(wrenches: number, servos: number): void;
  /**
   * n steps, a whole number, with what happens on the way; false if the motion cannot go on: the state is then the last
   * good one. Error where something cannot be connected, which waits on, and where a servo's gain that names a parameter
   * is negative.
   */
  advance(n?: number): boolean;
  /** `poses` and `energy` as they are now. */
  look(): void;
  /** Contacts of the last step: point [m] and force [N] on the second link of the pair. */
  contacts(): { pair: number; point: number[]; force: number[] }[];
  /** Whether a connection, or a joint that can be cut, holds. */
  isActive(name: string): boolean;
  /** First all cuts, then all connections together, with their impulse. Error: nothing has changed. */
  change(connect: string[], cut: string[], tolerance?: number): void;
}

export interface Layout {
  name: string;
  nq: number;
  nv: number;
  links: string[];
  joints: Joint[];
  /** Joints that close loops; their entries stand behind those of the tree. */
  cut: Joint[];
  loops: string[];
  parameters: { name: string; place: number; sign: string }[];
  switches: { name: string; loop: number; flag: number; pose: number[]; given: number[]; link: number; point: number[] }[];
  touching: [string, string][];
  pairs: number;
  contact: Record<string, number>;
  condition: Record<string, number>;
}

/** Entries of q from `q` on and of v from `v` on; bounds that are not finite are null. */
export interface Joint {
  name: string;
  kind: string;
  q: number;
  nq: number;
  v: number;
  nv: number;
  adds: boolean;
  linear: boolean[];
  lower: (number | null)[];
  upper: (number | null)[];
  effort: (number | null)[];
}

/** Where a motion begins and what drives it; integrator 0: semi-implicit Euler, 1: Runge-Kutta 4. */
export interface Start {
  dt: number;
  integrator: number;
  limits: number;
  shapes: number;
  options: number[];
  p: number[];
  q: number[];
  v: number[];
  tau: number[];
  wrenches: { place: number[]; rows: number[] };
  servos: {
    place: number[];
    dof: number[];
    kp: number[];
    kd: number[];
    limit: (number | null)[];
    target: number[];
    /** Gains and largest torques that are parameters: which, of which entry of v, and the place in p. */
    named: { what: "kp" | "kd" | "limit"; joint: string; dof: number; place: number }[];
  };
  ready: number[] | null;
  turns: number[];
  rank: number;
  steps: number;
  within: number;
  watches: (Change & { row: number[]; text: string; repeat: boolean; armed: boolean })[];
  timed: (Change & { t: number })[];
  torque_range: number[];
}

/** What happens at a time or by a condition: parameters [place, value], cuts and connections. */
export interface Change {
  connect: string[];
  cut: string[];
  values: [number, number][];
  tolerance: number;
  alone: boolean;
}

export declare const layout: Layout;
export declare const start: Start;
/** The motion, from the bytes of the module beside this file. */
export declare function load(code: BufferSource): Promise<Motion>;
