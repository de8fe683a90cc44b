// An eye that turns about a point: drag turns, shift or the right button moves, the wheel or two fingers zoom.

class Camera {
  constructor(canvas, changed) {
    this.turn = -0.6;
    this.rise = 0.3;
    this.distance = 3;
    this.target = [0, 0, 0];
    this.angle = (35 * Math.PI) / 180;
    this.fingers = new Map();
    const heard = (kind, act) => canvas.addEventListener(kind, (event) => {
      event.preventDefault();
      act(event);
      changed();
    }, { passive: false });
    heard("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      canvas.focus();
      this.fingers.set(e.pointerId, e);
    });
    for (const end of ["pointerup", "pointercancel"]) heard(end, (e) => this.fingers.delete(e.pointerId));
    heard("pointermove", (e) => this.moved(e, canvas.clientHeight));
    heard("wheel", (e) => this.zoom(Math.exp(0.001 * e.deltaY)));
    heard("contextmenu", () => {});
  }

  moved(event, height) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    this.fingers.set(event.pointerId, event);
    if (this.fingers.size === 2) {
      const [a, b] = [...this.fingers.values()];
      const other = a === event ? b : a;
      const apart = (e) => Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
      this.zoom((apart(before) || 1) / (apart(event) || 1));
      this.pan(dx / 2, dy / 2, height);
    } else if (event.shiftKey || event.buttons & 6) this.pan(dx, dy, height);
    else {
      this.turn -= 0.008 * dx;
      this.rise = Math.min(Math.max(this.rise + 0.008 * dy, -1.55), 1.55);
    }
  }

  zoom(factor) {
    this.distance = Math.min(Math.max(this.distance * factor, 1e-4), 1e6);
  }

  pan(dx, dy, height) {
    const step = (2 * this.distance * Math.tan(this.angle / 2)) / height;
    const [s, c] = [Math.sin(this.turn), Math.cos(this.turn)];
    const right = [-s, c, 0];
    const up = cross(this.direction(), right);
    this.target = add(this.target, add(scaled(right, -dx * step), scaled(up, dy * step)));
  }

  // Unit vector from the target to the eye.
  direction() {
    const c = Math.cos(this.rise);
    return [c * Math.cos(this.turn), c * Math.sin(this.turn), Math.sin(this.rise)];
  }

  // [matrix (4, 4), place of the eye], `offset` being what the camera follows.
  seen(aspect, offset, size) {
    const target = add(this.target, offset);
    const eye = add(target, scaled(this.direction(), this.distance));
    const far = this.distance + 60 * size;
    const near = Math.max(this.distance * 0.01, far * 1e-5);
    return [multiply(perspective(this.angle, aspect, near, far), lookAt(eye, target)), eye, target];
  }
}
