// Whether the browser draws without a graphics processor.
function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const names = gl && gl.getExtension("WEBGL_debug_renderer_info");
  return Boolean(names && /swiftshader|llvmpipe|software/i.test(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)));
}
