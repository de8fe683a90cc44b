// Before viser's page begins, in a browser that draws without a graphics processor: what takes long there is left out.
// Four samples of each pixel; a picture behind the scene, of which there is none; and physically based shading, which at
// the roughness that viser gives shows no more than light that falls on matt surfaces. Text that another version of viser
// or of three.js writes otherwise stays as it is.

const MATT = `
#ifdef FLAT_SHADED
  vec3 facing = normalize(cross(dFdx(vViewPosition), dFdy(vViewPosition)));
#else
  vec3 facing = normalize(vNormal);
#ifdef DOUBLE_SIDED
  facing *= gl_FrontFacing ? 1.0 : -1.0;
#endif
#endif
  vec3 light = ambientLightColor;
  for (int i = 0; i < directionalLights.length(); i++)
    light += max(dot(facing, directionalLights[i].direction), 0.0) * directionalLights[i].color;
  gl_FragColor = linearToOutputTexel(vec4(toneMapping(diffuseColor.rgb * light * RECIPROCAL_PI), diffuseColor.a));
}`;

const NOTHING = "void main() { gl_FragColor = vec4(0.0); discard; }";

function cheaper(text) {
  if (text.includes("uniform sampler2D depthMap;")) return text.replace(/void main\(\) \{[^]*/, NOTHING);
  const lit = ["directionalLights[ ", "ambientLightColor;", "RECIPROCAL_PI", "#define TONE_MAPPING"];
  return lit.every((part) => text.includes(part)) ? text.replace(/float roughnessFactor = roughness;[^]*/, MATT) : text;
}

if (isSoftware()) {
  const context = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return context.call(this, kind, /^webgl/.test(kind) ? { ...options, antialias: false } : options);
  };
  const source = WebGL2RenderingContext.prototype.shaderSource;
  WebGL2RenderingContext.prototype.shaderSource = function (shader, text) {
    source.call(this, shader, cheaper(text));
  };
}
