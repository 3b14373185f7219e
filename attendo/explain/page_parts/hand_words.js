// The hands in words, and what is left if one of them is taken away.

import { tr } from "./elements.js";
import { handsWith, toggleFeedForward, toggleHead } from "./hand_changes.js";
import { wordLabel } from "./joined.js";
import { DATA } from "./look.js";

// [{words, without()}]; layers, heads and steps are counted from 1 where people read them
export function handsInWords(hands) {
  return [
    ...erasedWords(hands.erase || []),
    ...(hands.heads_off || []).map(([where, layer, head]) => ({
      words: tr(
        `${whereName(where)}: layer ${layer + 1}, head ${head + 1} off`,
        `${whereName(where)}：第 ${layer + 1} 层第 ${head + 1} 个头关闭`,
      ),
      without: () => toggleHead(where, layer, head),
    })),
    ...(hands.feed_forward_off || []).map(([where, layer]) => ({
      words: tr(
        `${whereName(where)}: feed-forward of layer ${layer + 1} off`,
        `${whereName(where)}：第 ${layer + 1} 层前馈层关闭`,
      ),
      without: () => toggleFeedForward(where, layer),
    })),
    ...forcedWords(hands.force || {}),
    hands.causal_mask === false && changedSetting(tr("causal mask off", "因果掩码关闭"), "causal_mask"),
    hands.positions === "off" && changedSetting(tr("positions off", "位置编码关闭"), "positions"),
    hands.positions === "shuffled" &&
      changedSetting(
        tr(`positions shuffled, seed ${hands.seed || 1}`, `位置打乱，随机种子 ${hands.seed || 1}`),
        "positions",
      ),
    hands.scale === false && changedSetting(tr("no 1/√d_k", "不除以 √d_k"), "scale"),
    hands.temperature !== undefined &&
      changedSetting(tr(`temperature ${hands.temperature}`, `温度 ${hands.temperature}`), "temperature"),
  ].filter(Boolean);
}

function whereName(where) {
  return {
    encoder: tr("encoder", "编码器"),
    decoder: tr("decoder", "解码器"),
    cross: tr("cross-attention", "交叉注意力"),
  }[where];
}

function changedSetting(words, name) {
  return { words, without: () => handsWith({ [name]: null }) };
}

function erasedWords(erased) {
  return DATA.words.source
    .map(([from, to]) => erased.filter((one) => from <= one && one < to))
    .filter((positions) => positions.length)
    .map((positions) => {
      const word = wordLabel(DATA.source.labels, [positions[0], positions[positions.length - 1] + 1]);
      return {
        words: tr(`erased: ${word}`, `擦去：${word}`),
        without: () => handsWith({ erase: erased.filter((one) => !positions.includes(one)) }),
      };
    });
}

export function forcedWords(force) {
  return Object.entries(force).map(([step, id]) => ({
    words: tr(`step ${step} forced: ${DATA.pieces[id]}`, `第 ${step} 步指定：${DATA.pieces[id]}`),
    without: () => handsWith({ force: Object.fromEntries(Object.entries(force).filter(([other]) => other !== step)) }),
  }));
}
