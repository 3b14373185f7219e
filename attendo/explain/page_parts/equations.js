// The equations, in MathML, in the paper's letters.

import { isAdditive, isScaled } from "./arithmetic.js";
import { el, filled, MATH } from "./elements.js";
import { CONFIG, HANDS } from "./look.js";
import { isPreNorm, isStored } from "./tensors.js";

function math(...children) {
  return filled(document.createElementNS(MATH, "math"), { displaystyle: "true" }, [m("mrow", ...children)]);
}

function m(tag, ...children) {
  return filled(document.createElementNS(MATH, tag), {}, children);
}

const mi = (text) => m("mi", text);
const mo = (text) => m("mo", text);
const mn = (text) => m("mn", String(text));
const mtext = (text) => m("mtext", text);
const sub = (base, below) => m("msub", base, below);
const sup = (base, above) => m("msup", base, above);
const frac = (above, below) => m("mfrac", above, below);
const root = (inside) => m("msqrt", inside);
const row = (...children) => m("mrow", ...children);
const bracket = (...children) => row(mo("("), ...children, mo(")"));
const letter = (text, below) => sub(mi(text), mi(below));
const called = (name, ...inside) => row(mi(name), bracket(...inside));
const sumOver = (index) => m("munder", mo("∑"), mi(index));

const transposed = (text) => sup(mi(text), mi("⊤"));
const dModel = () => letter("d", "model");
const angle = () => frac(mi("pos"), sup(mn(10000), row(mn(2), mi("i"), mo("/"), dModel())));

// Q = x W_Q, K = y W_K, V = y W_V: y is x itself, or the memory in cross-attention.
function projections(y) {
  const made = (name, from) => [mi(name), mo("="), mi(from), letter("W", name)];
  const then = () => [mo(","), mtext(" ")];
  return math(...made("Q", "x"), ...then(), ...made("K", y), ...then(), ...made("V", y));
}

// What softmax is taken of: Q Kᵀ / √d_k; with additive attention w · tanh(q + k) of each pair.
function compared() {
  if (isAdditive()) return row(mi("w"), mo("·"), called("tanh", mi("q"), mo("+"), mi("k")));
  const product = row(mi("Q"), transposed("K"));
  return isScaled() ? frac(product, root(letter("d", "k"))) : product;
}

const EQUATIONS = {
  embedding: () =>
    math(
      mi("x"),
      mo("="),
      mi("E"),
      mo("["),
      mi("id"),
      mo("]"),
      mo("·"),
      root(dModel()),
      ...(isStored("source.positions") ? [mo("+"), mi("PE"), bracket(mi("pos"))] : []),
    ),
  sine: () => math(sub(mi("PE"), row(mi("pos"), mo(","), mn(2), mi("i"))), mo("="), called("sin", angle())),
  cosine: () =>
    math(sub(mi("PE"), row(mi("pos"), mo(","), mn(2), mi("i"), mo("+"), mn(1))), mo("="), called("cos", angle())),
  attention: () =>
    math(
      called("Attention", mi("Q"), mo(","), mi("K"), mo(","), mi("V")),
      mo("="),
      called("softmax", compared()),
      mi("V"),
    ),
  projections: () => projections("x"),
  crossProjections: () => projections("memory"),
  scores: () =>
    math(
      letter("s", "ij"),
      mo("="),
      letter("q", "i"),
      mo("·"),
      letter("k", "j"),
      mo("="),
      sumOver("d"),
      letter("q", "id"),
      letter("k", "jd"),
    ),
  softmax: () =>
    math(
      letter("a", "ij"),
      mo("="),
      frac(called("exp", letter("s", "ij")), row(sumOver("l"), called("exp", letter("s", "il")))),
    ),
  heads: () => math(mi("head"), mo("["), mi("i"), mo("]"), mo("="), sumOver("j"), letter("a", "ij"), letter("v", "j")),
  output: () =>
    math(
      mi("out"),
      mo("="),
      called("Concat", letter("head", "1"), mo(","), mo("…"), mo(","), letter("head", "h")),
      letter("W", "O"),
    ),
  add: () =>
    math(mi("add"), mo("="), mi("x"), mo("+"), called("Sublayer", isPreNorm() ? called("Norm", mi("x")) : mi("x"))),
  layerNorm: () =>
    math(
      called("Norm", mi("x")),
      mo("="),
      mi("γ"),
      frac(row(mi("x"), mo("−"), mi("μ")), root(row(sup(mi("σ"), mn(2)), mo("+"), mi("ε")))),
      mo("+"),
      mi("β"),
    ),
  rmsNorm: () =>
    math(
      called("Norm", mi("x")),
      mo("="),
      mi("γ"),
      frac(mi("x"), root(row(called("mean", sup(mi("x"), mn(2))), mo("+"), mi("ε")))),
    ),
  feedForward: () =>
    math(
      called("FFN", mi("x")),
      mo("="),
      CONFIG.activation === "swiglu"
        ? row(
            bracket(called("SiLU", mi("x"), letter("W", "gate")), mo("⊙"), mi("x"), letter("W", "up")),
            letter("W", "down"),
          )
        : row(
            called(
              { relu: "ReLU", swish: "SiLU" }[CONFIG.activation] || "GELU",
              mi("x"),
              letter("W", "1"),
              mo("+"),
              letter("b", "1"),
            ),
            letter("W", "2"),
            mo("+"),
            letter("b", "2"),
          ),
    ),
  logits: () =>
    math(
      mi("logits"),
      mo("="),
      mi("x"),
      transposed("E"),
      mo(","),
      mtext(" "),
      letter("p", "i"),
      mo("="),
      frac(
        called(
          "exp",
          temperature() === 1 ? letter("logit", "i") : row(letter("logit", "i"), mo("/"), mn(temperature())),
        ),
        row(
          sumOver("j"),
          called(
            "exp",
            temperature() === 1 ? letter("logit", "j") : row(letter("logit", "j"), mo("/"), mn(temperature())),
          ),
        ),
      ),
    ),
  loss: () =>
    math(
      mi("loss"),
      mo("="),
      mo("−"),
      frac(mn(1), mi("T")),
      sumOver("t"),
      mi("log"),
      mi("p"),
      bracket(letter("y", "t"), mo("|"), sub(mi("y"), row(mo("<"), mi("t"))), mo(","), mi("x")),
    ),
};

export function equation(name) {
  return el("span", { class: "equation" }, EQUATIONS[name]());
}

export function normEquation() {
  return equation(CONFIG.norm === "layer" ? "layerNorm" : "rmsNorm");
}

export function temperature() {
  return HANDS.temperature === undefined ? 1 : HANDS.temperature;
}
