// Numbers as people read them, with the digits that they have.

// About four digits: 0.1235, -12.35, 1.2e-5, -∞.
export function show(value) {
  if (value === -Infinity) return "−∞";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e5 || size < 5e-4) return minus(value.toExponential(1));
  return minus(value.toFixed(size < 10 ? 3 : size < 100 ? 2 : 1));
}

// A probability: 0.912, 0.0031, 2.3e-5.
export function showShare(value) {
  if (value === 0) return "0";
  return value >= 0.01 ? value.toFixed(3) : value >= 0.001 ? value.toFixed(4) : value.toExponential(1);
}

function minus(text) {
  return text.replace(/-/g, "−");
}

export function sum(values) {
  let total = 0;
  for (const one of values) total += one;
  return total;
}
