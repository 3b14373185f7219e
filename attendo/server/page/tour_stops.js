// The ten stops of the tour, in the order in which the notes tell of the machine. Every number is computed from what is
// looked at, whatever the sentence and the model are.
//   station, block()   where it is
//   claim, lesson      of the lab, and of the ten steps
//   enter()            what is chosen there, before anything is asked
//   says, todo, asks   one sentence, one thing to do, one question
//   choices()          to choose from, named(value) says which; without them a number is asked for, from least to most
//   isCount            whether that number counts things, and is whole
//   shows              what the answer is about: selectors in the block, of its first and last part
//   hand()             laid on when the guess is made, taken off when one goes on
//   answer()           the number; tells(answer) says it in words

import { tr } from "/glass/elements.js";
import { CONFIG, DATA } from "/glass/look.js";
import { show, showShare } from "/glass/numbers.js";
import { headOf, set, state } from "/glass/state.js";
import { tensor } from "/glass/tensors.js";
import {
  bestScores,
  blockOf,
  clearestStep,
  firstBlock,
  firstWord,
  headsLookAt,
  largest,
  leastSure,
  length,
  lookedAt,
  rough,
  rowOf,
  someKeys,
  untouched,
} from "./tour_numbers.js";

export const STOPS = [
  {
    station: "pieces",
    claim: "L37",
    lesson: 10,
    says: () =>
      tr(
        `The model knows neither letters nor words: it reads pieces, out of a vocabulary of ${CONFIG.vocab_size.toLocaleString("en")}.`,
        `模型不认识字母，也不认识词：它读的是词元，词表里共有 ${CONFIG.vocab_size.toLocaleString("en")} 个。`,
      ),
    asks: () =>
      tr(
        "How many pieces does it read here, tag and end included?",
        "这句话一共读入多少个词元（含语言标记和结束符）？",
      ),
    least: () => 1,
    most: () => 150,
    isCount: true,
    answer: () => DATA.source.ids.length,
    tells: (n) => tr(`${n} pieces: ${DATA.source.labels.join(" ")}`, `${n} 个词元：${DATA.source.labels.join(" ")}`),
    todo: () => tr("Click a piece, and the page follows it from here on.", "点击一个词元，后面各站就跟着它走。"),
  },
  {
    station: "embedding",
    claim: "L22",
    lesson: 6,
    says: () =>
      tr(
        `Each piece becomes ${CONFIG.d_model} numbers, a row of a table; all of them are multiplied by one factor.`,
        `每个词元变成 ${CONFIG.d_model} 个数，即词嵌入表的一行；所有的数都乘以同一个系数。`,
      ),
    asks: () =>
      tr("Which factor, so that they can stand beside the positions?", "为了与位置编码相称，这个系数是多少？"),
    least: () => 0,
    most: () => CONFIG.d_model,
    answer: () =>
      length(tensor("source.scaled").row(state.position)) / length(tensor("source.embedding").row(state.position)),
    tells: (n) => `√${CONFIG.d_model} ${Number.isInteger(Math.sqrt(CONFIG.d_model)) ? "=" : "≈"} ${rough(n)}`,
    todo: () => tr("Click a number, and see what it was made from.", "点击一个数，看看它是怎样算出来的。"),
  },
  {
    station: "overview",
    claim: "L18",
    lesson: 6,
    hand: () => (CONFIG.positions === "none" ? null : { positions: "off" }),
    says: () =>
      tr(
        "Attention does not see which piece stands where: what says so is added to the embedding.",
        "注意力看不到哪个词元在前、哪个在后：位置是另外加到词向量上的。",
      ),
    asks: () =>
      tr(
        `The translation has ${untouched().length} pieces. Without positions, how many of them stay the same, from the first on?`,
        `译文有 ${untouched().length} 个词元。去掉位置编码，从头数起有几个保持不变？`,
      ),
    least: () => 0,
    most: () => untouched().length,
    isCount: true,
    answer: () => (DATA.comparison ? (DATA.comparison.parts_at ?? untouched().length) : untouched().length),
    tells: (n) =>
      tr(`${n}, then it goes on otherwise: “${DATA.translation}”`, `${n} 个，此后就不同了：“${DATA.translation}”`),
    todo: () =>
      tr(
        "Positions are off until you go on. Follow the lines: from which piece does each word come now?",
        "在进入下一站之前，位置编码一直关着。顺着连线看看：现在每个词来自哪个词元？",
      ),
  },
  {
    station: "encoder",
    claim: "L44",
    lesson: 1,
    block: firstBlock,
    enter: () => set({ position: Math.min(firstWord() + 1, DATA.source.ids.length - 1), layer: 0 }),
    says: () =>
      tr(
        "A query is compared with every key, q·k/√d_k; softmax makes weights of these scores, which sum to 1.",
        "查询与每个键比较，得到 q·k/√d_k；softmax 把这些分数变成和为 1 的权重。",
      ),
    asks: () => {
      const [first, second] = bestScores().map(show);
      return tr(
        `For ${DATA.source.labels[state.position]} the two best scores are ${first} and ${second}. How many times the second's weight has the first?`,
        `${DATA.source.labels[state.position]} 的最高两个分数是 ${first} 和 ${second}。前者的权重是后者的几倍？`,
      );
    },
    least: () => 1,
    most: () => 1e6,
    answer: () => {
      const [first, second] = Array.from(rowOf("weights")).sort((a, b) => b - a);
      return first / second;
    },
    tells: (n) => {
      const [first, second] = bestScores();
      return `exp(${show(first)} − ${show(second)}) ≈ ${rough(n)}`;
    },
    shows: ["[id$=-row] .inside", "[id$=-row] .inside"],
    todo: () => tr("Click a weight to unfold it: exp / Σ exp.", "点一个权重，看它怎样算出来：exp / Σ exp。"),
  },
  {
    station: "encoder",
    claim: "L9",
    lesson: 5,
    block: firstBlock,
    says: () =>
      tr(
        `${CONFIG.num_heads} heads ask at once, each by matrices of its own.`,
        `${CONFIG.num_heads} 个头同时提问，各用各的矩阵。`,
      ),
    asks: () =>
      tr(
        `For ${DATA.source.labels[state.position]}, each of the ${CONFIG.num_heads} heads of this layer gives one piece the largest weight. How many different pieces are these?`,
        `对 ${DATA.source.labels[state.position]} 来说，本层 ${CONFIG.num_heads} 个头各有一个权重最大的词元。这些词元里有几个不同的？`,
      ),
    choices: () =>
      Array.from({ length: Math.min(CONFIG.num_heads, DATA.source.ids.length) }, (_, at) => ({
        value: at + 1,
        label: String(at + 1),
      })),
    answer: () => new Set(headsLookAt()).size,
    tells: () => {
      const seen = headsLookAt()
        .map((key, head) => tr(`head ${head + 1}: `, `头 ${head + 1}：`) + DATA.source.labels[key])
        .join(" · ");
      return tr(`The largest weight: ${seen}`, `权重最大的词元：${seen}`);
    },
    shows: [".controls", ".picture"],
    todo: () => tr("Choose another head, and then another layer.", "换一个头看看，再换一层。"),
  },
  {
    station: "encoder",
    claim: "L11",
    lesson: 7,
    block: () => `encoder-${state.layer}-feed_forward`,
    says: () =>
      tr(
        `Then each piece is by itself: ${CONFIG.d_model} numbers become ${CONFIG.d_ff}, what is below zero is cut, and ${CONFIG.d_model} come out.`,
        `然后每个词元各自计算：${CONFIG.d_model} 个数变成 ${CONFIG.d_ff} 个，压掉负的，再变回 ${CONFIG.d_model} 个。`,
      ),
    asks: () =>
      tr(
        `Which share of the ${CONFIG.d_ff} is above zero for ${DATA.source.labels[state.position]}, in percent?`,
        `对 ${DATA.source.labels[state.position]} 来说，${CONFIG.d_ff} 个数里大于零的占百分之几？`,
      ),
    least: () => 0,
    most: () => 100,
    answer: () => {
      const hidden = Array.from(tensor(`encoder.${state.layer}.feed_forward.hidden`).row(state.position));
      return (100 * hidden.filter((one) => one > 0).length) / hidden.length;
    },
    tells: (n) => tr(`${rough(n)} % of them are at work.`, `${rough(n)}% 的隐藏单元在工作。`),
    shows: [".stripes", ".stripes"],
    todo: () =>
      tr(
        "Look at the stripes under “the hidden numbers”: the gaps are those that were cut to zero.",
        "看看“隐藏单元”的条纹：空白处就是被压成零的。",
      ),
  },
  {
    station: "decoder",
    claim: "L24",
    lesson: 4,
    block: blockOf("self_attention"),
    says: () =>
      tr(
        "What is written looks back at what was written before, and at nothing that comes later.",
        "译文里的每个词元只看前面已写出的，不看后面的。",
      ),
    asks: () => {
      const n = DATA.target_in.labels.length;
      return tr(`Of its ${n} × ${n} weights, how many are exactly 0?`, `${n} × ${n} 个权重里，有多少个恰好是 0？`);
    },
    least: () => 0,
    most: () => DATA.target_in.labels.length ** 2,
    isCount: true,
    answer: () => {
      const part = `decoder.${state.decoderLayer}.self_attention`,
        weights = tensor(`${part}.weights`);
      return DATA.target_in.labels.reduce(
        (sum, _, i) => sum + Array.from(weights.row(headOf(part), i)).filter((one) => one === 0).length,
        0,
      );
    },
    tells: (n) => {
      const size = DATA.target_in.labels.length;
      if (n !== (size * (size - 1)) / 2) return tr(`${n} of ${size * size}`, `${size * size} 个里的 ${n} 个`);
      return tr(`${n}: all that lie above the diagonal`, `${n} 个：对角线以上的全部`);
    },
    shows: [".controls", ".picture"],
    todo: () =>
      tr(
        "Choose “map”: each row sees one piece more than the row above it.",
        "选“热图”：每一行都比上一行多看到一个词元。",
      ),
  },
  {
    station: "decoder",
    claim: "L39",
    lesson: 9,
    block: blockOf("cross_attention"),
    enter: () => set({ step: clearestStep(), decoderLayer: CONFIG.decoder_layers - 1 }),
    says: () =>
      tr(
        "Here the translation looks at the source: queries of the decoder meet keys of the encoder's memory.",
        "译文在这里看源句：解码器的查询遇到编码器 memory 的键。",
      ),
    asks: () =>
      tr(
        `Which piece is looked at most while ${DATA.target.labels[state.step]} is written (mean of the heads)?`,
        `写出 ${DATA.target.labels[state.step]} 时，看得最多的是哪个词元（各头取平均）？`,
      ),
    named: (key) => DATA.source.labels[key],
    choices: () => someKeys(largest(lookedAt(state.step)), DATA.source.labels.length - 1),
    answer: () => largest(lookedAt(state.step)),
    tells: (key) => {
      const share = showShare(lookedAt(state.step)[key]);
      return tr(`It gets ${share} of all weight.`, `它占全部权重的 ${share}。`);
    },
    shows: [".controls", ".picture"],
    todo: () => tr("Go through the steps, and watch where it looks.", "逐步往前，看它的目光移到哪里。"),
  },
  {
    station: "output",
    claim: "L38",
    lesson: 10,
    enter: () => set({ step: leastSure() }),
    says: () =>
      tr(
        `At each step every one of the ${CONFIG.vocab_size.toLocaleString("en")} pieces gets a probability; they sum to 1.`,
        `每一步，词表里的 ${CONFIG.vocab_size.toLocaleString("en")} 个词元各得一个概率，和为 1。`,
      ),
    asks: () =>
      tr(
        `At step ${state.step + 1} it is the least sure. Which probability, in percent, has ${DATA.target.labels[state.step]}?`,
        `第 ${state.step + 1} 步它最没有把握。${DATA.target.labels[state.step]} 的概率是百分之几？`,
      ),
    least: () => 0,
    most: () => 100,
    answer: () => 100 * Math.exp(DATA.steps[state.step].log_prob),
    tells: (n) => tr(`It is ${rough(n)} %.`, `概率是 ${rough(n)}%。`),
    todo: () => tr("Click a piece that lost, and let it come instead.", "点一个落选的词元，让它取而代之。"),
  },
  {
    station: "training",
    claim: "L25",
    lesson: 9,
    says: () =>
      tr(
        "In training the right pieces are read, whatever the model would have written; the loss is −ln p of each answer.",
        "训练时读入的总是正确的词元，不管模型自己会写什么；损失是每个答案的 −ln p。",
      ),
    asks: () =>
      tr(
        "Between how many pieces does it waver on average (perplexity, e to the mean loss)?",
        "平均来说，它在几个词元之间拿不定主意（困惑度，即 e 的平均损失次方）？",
      ),
    least: () => 1,
    most: () => CONFIG.vocab_size,
    answer: () => Math.exp(DATA.training.loss),
    tells: (n) => `e^${show(DATA.training.loss)} ≈ ${rough(n)}`,
    todo: () =>
      tr(
        "Give it a translation of your own, and see where it would not have followed.",
        "给它一个你自己的译文，看看它在哪里不会跟着写。",
      ),
  },
];
