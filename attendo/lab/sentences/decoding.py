"""Sentences about decoding: what is run once, what step by step, when it ends; and the notes' two examples."""

import torch

from attendo.decoding.greedy import greedy_search
from attendo.lab.errata.backing import close, seeded, small_transformer
from attendo.lab.sentences.tried import Tried
from attendo.lab.tools.default_model import default_model
from attendo.model.config import DecoderOnlyConfig
from attendo.model.decoder_only import DecoderOnly
from attendo.special_tokens import SPECIAL


def encoder_runs_once(longest: int = 12) -> Tried:
    model, encoded, fed = small_transformer(), [], []
    model.encoder.register_forward_hook(lambda *call: encoded.append(1))
    model.embedding.register_forward_hook(lambda _, given, output: fed.append(given[0][0].tolist()))
    (found,) = greedy_search(model, torch.tensor([[4, 5, 6]]), longest)
    steps = fed[1:]  # the first is the source
    ended = found.ids[-1] == SPECIAL.eos or len(found.ids) == longest
    fed_back = [token for step in steps[1:] for token in step] == list(found.ids[:-1])
    holds = len(encoded) == 1 and steps[0] == [SPECIAL.bos] and fed_back and ended
    return Tried(holds, {"runs_of_the_encoder": len(encoded), "steps": len(steps)})


def gpt_looks_back(changed: int = -1) -> Tried:
    sizes = DecoderOnlyConfig(vocab_size=20, d_model=16, d_ff=32, num_heads=2, num_layers=2)
    model = seeded(lambda: DecoderOnly(sizes)).double().eval()
    text = torch.tensor([[1, 7, 8, 9, 10]])
    other = text.clone()
    other[0, changed] = 11
    one, two = (model(torch.tensor([[4]]), each)[0, :-1] for each in (text, other))  # all but the last prediction
    return Tried(close(one, two))


def sentence_of_the_notes(text: str = "机器学习很有趣", expected: str = "machine learning is interesting") -> Tried:
    model, tokenizer = default_model()
    (found,) = greedy_search(model, torch.tensor([[*tokenizer.source_ids(text, to="en")]]), 20)
    english = tokenizer.decode([one for one in found.ids if one != SPECIAL.eos])
    return Tried(english.lower().rstrip(".") == expected, {"steps": len(found.ids), "words": len(english.split())})


def other_sentence_of_the_notes() -> Tried:
    return sentence_of_the_notes("我爱机器学习", "i love machine learning")


def four_words_of_512(text: str = "我爱机器学习") -> Tried:
    model, tokenizer = default_model()
    ids = tokenizer.encode(text)
    x, _ = model.embed(torch.tensor([ids, ids]), model.source_positions)
    width = model.config.d_model  # 512 in the notes
    return Tried(x.shape == (2, 4, width), {"words": len(ids), "width": width})


def a_score_for_every_word(text: str = "机器学习很有趣") -> Tried:
    model, tokenizer = default_model()
    source = torch.tensor([[*tokenizer.source_ids(text, to="en")]])
    with torch.inference_mode():
        logits = model(source, torch.tensor([[SPECIAL.bos]]))[0, 0].double()
    p, first = logits.softmax(0), greedy_search(model, source, 20)[0].ids[0]
    holds = len(logits) == model.config.vocab_size and close(p.sum(), 1.0) and int(p.argmax()) == first
    return Tried(holds, {"vocabulary": len(logits), "width": model.config.d_model, "highest": p.max().item()})
