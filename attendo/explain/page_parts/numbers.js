// The numbers of the page: read from base64 when first asked for, written with the digits that they have.

const DATA = JSON.parse(document.getElementById("data").textContent);

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// {shape, type, data} -> Float32Array; packing.py tells what f24 and f16 are.
function unpack(stored) {
  const bytes = bytesOf(stored.data);
  if (stored.type === "f16") {
    const halves = new Uint16Array(bytes.buffer);
    return Float32Array.from(halves, fromHalf);
  }
  const count = bytes.length / 3;
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    words[i] = (bytes[3 * i] << 8) | (bytes[3 * i + 1] << 16) | (bytes[3 * i + 2] << 24);
  }
  return new Float32Array(words.buffer);
}

function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

// About four digits: 0.1235, -12.35, 1.2e-5, -∞.
function show(value) {
  if (value === -Infinity) return "−∞";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e5 || size < 5e-4) return minus(value.toExponential(1));
  return minus(value.toFixed(size < 10 ? 3 : size < 100 ? 2 : 1));
}

// A probability: 0.912, 0.0031, 2.3e-5.
function showShare(value) {
  if (value === 0) return "0";
  return value >= 0.01 ? value.toFixed(3) : value >= 0.001 ? value.toFixed(4) : value.toExponential(1);
}

function minus(text) {
  return text.replace(/-/g, "−");
}

function sum(values) {
  let total = 0;
  for (const one of values) total += one;
  return total;
}
