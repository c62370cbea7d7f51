// The point layer: one WebGL2 program that draws every row of the table as a square point.
//
// Points are drawn in a fixed shuffled order, so that the first m of them are a fair sample: while a hand drags, a
// sample is drawn and the frame stays quick even in software rendering; when it rests, the rest is filled in. No
// library: those measured are slower in software rendering, and some need `eval`, which the security policy forbids.

export interface View {
  /** Scale and translation from table coordinates to clip space. */
  scale: number;
  x: number;
  y: number;
}

const VERTEX = `#version 300 es
in vec2 position; in vec4 colour;
uniform vec3 view; uniform vec2 aspect; uniform float size;
out vec4 tint;
void main() {
  gl_Position = vec4((position * view.x + view.yz) * aspect, 0.0, 1.0);
  gl_PointSize = size;
  tint = colour;
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 tint; out vec4 shade;
void main() { shade = tint; }`;

export class PointLayer {
  private readonly gl: WebGL2RenderingContext;
  private readonly program: WebGLProgram;
  private readonly positions: WebGLBuffer;
  private readonly colours: WebGLBuffer;
  private total = 0;

  /** Throws where the browser offers no WebGL2; the caller then shows the table alone. */
  constructor(private readonly canvas: HTMLCanvasElement) {
    const gl = canvas.getContext('webgl2', { antialias: false, alpha: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error('no WebGL2');
    this.gl = gl;
    this.program = link(gl);
    this.positions = gl.createBuffer();
    this.colours = gl.createBuffer();
    gl.useProgram(this.program);
    this.bind('position', this.positions, 2, gl.FLOAT, false);
    this.bind('colour', this.colours, 4, gl.UNSIGNED_BYTE, true);
    gl.enable(gl.BLEND);
    // The canvas is composed with premultiplied alpha: coverage adds up by itself, or faint points would glow.
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Positions (2 per point), already in shuffled order. */
  setPositions(xy: Float32Array): void {
    this.total = xy.length / 2;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.positions);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, xy, this.gl.STATIC_DRAW);
  }

  /** Colours (RGBA bytes per point), in the same order. */
  setColours(rgba: Uint8Array): void {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.colours);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, rgba, this.gl.STATIC_DRAW);
  }

  /** Draws points first … last−1; `first` = 0 clears what was there. */
  draw(view: View, first: number, last: number, size: number): void {
    const { gl, canvas } = this;
    const shorter = Math.min(canvas.width, canvas.height);
    gl.viewport(0, 0, canvas.width, canvas.height);
    if (first === 0) gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform3f(gl.getUniformLocation(this.program, 'view'), view.scale, view.x, view.y);
    gl.uniform2f(gl.getUniformLocation(this.program, 'aspect'), shorter / canvas.width, shorter / canvas.height);
    gl.uniform1f(gl.getUniformLocation(this.program, 'size'), size);
    gl.drawArrays(gl.POINTS, first, Math.max(0, Math.min(last, this.total) - first));
  }

  private bind(name: string, buffer: WebGLBuffer, width: number, type: number, normalise: boolean): void {
    const { gl } = this;
    const place = gl.getAttribLocation(this.program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, width, type, normalise, 0, 0);
  }
}

function link(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type);
    if (!shader) throw new Error('no shader');
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? 'link failed');
  return program;
}
