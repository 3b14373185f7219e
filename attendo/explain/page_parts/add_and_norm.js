// Norm(x + Sublayer(x)), or x + Sublayer(Norm(x)): the fold of a part's norm stands where the norm is taken.

import { tr } from "./elements.js";
import { normEquation } from "./equations.js";
import { isPreNorm } from "./tensors.js";
import { tensorFold } from "./vectors.js";

export function normFold(part, whole, before) {
  if (isPreNorm() !== before) return null;
  const words = before
    ? tr("norm: every vector to mean 0, variance 1, then gain and bias", "归一化：均值 0、方差 1，再乘增益、加偏置")
    : tr("norm", "归一化");
  return tensorFold(
    { ...whole, name: `${part}.norm`, cell: (i, k) => ["norm", `${part}.norm`, i, k] },
    words,
    normEquation(),
  );
}
