// The numbers of a page that holds them all, as base64: packing.py writes them, and tells what f24, f16 and i8 are.

export function embeddedNumbers(data) {
  const unpacked = new Map();
  const once = (name, stored) => {
    if (!unpacked.has(name)) unpacked.set(name, unpack(stored));
    return unpacked.get(name);
  };
  const columnAt = (matrix, k) => (matrix in data.weights ? data.weights[matrix].columns.indexOf(k) : -1);
  return {
    has: (name) => name in data.tensors,
    shape: (name) => data.tensors[name].shape,
    values: (name) => once(name, name in data.tensors ? data.tensors[name] : ofNorm(data, name)),
    hasColumn: (matrix, k) => columnAt(matrix, k) >= 0,
    column: (matrix, k) => {
      const { weight, bias } = data.weights[matrix],
        at = columnAt(matrix, k),
        width = weight.shape[1];
      const values = once(`${matrix}.weight`, weight).subarray(at * width, (at + 1) * width);
      return { values, bias: bias ? once(`${matrix}.bias`, bias)[at] : 0 };
    },
    hasOutput: (id) => data.output_rows.ids.includes(id),
    output: (id) => {
      const { ids, rows, bias } = data.output_rows,
        width = rows.shape[1],
        at = ids.indexOf(id);
      const values = once("output", rows).subarray(at * width, (at + 1) * width);
      return { values, bias: bias ? once("output.bias", bias)[at] : 0 };
    },
  };
}

// encoder.layers.0.around_self_attention.norm.gain
function ofNorm(data, name) {
  const dot = name.lastIndexOf(".");
  return data.weights[name.slice(0, dot)][name.slice(dot + 1)];
}

function unpack(stored) {
  const bytes = bytesOf(stored.data);
  if (stored.type === "f16") {
    const halves = new Uint16Array(bytes.buffer);
    return Float32Array.from(halves, fromHalf);
  }
  if (stored.type === "i8") {
    const [rows, width] = stored.shape;
    const scales = new Float32Array(bytes.buffer, 0, rows);
    return Float32Array.from(new Int8Array(bytes.buffer, 4 * rows), (whole, i) => whole * scales[Math.floor(i / width)]);
  }
  const count = bytes.length / 3;
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    words[i] = (bytes[3 * i] << 8) | (bytes[3 * i + 1] << 16) | (bytes[3 * i + 2] << 24);
  }
  return new Float32Array(words.buffer);
}

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
