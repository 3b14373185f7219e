"""Errata about training and decoding: what is shifted, what is compared, how many steps there are."""

import torch
from torch import nn
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.data.batches import Position
from attendo.decoding.greedy import greedy_tokens
from attendo.lab.errata.backing import Backing, close, normal, seeded, small_transformer
from attendo.lab.tools.default_model import default_model
from attendo.special_tokens import SPECIAL
from attendo.training.masked_tokens import Masking
from attendo.training.objective import TeacherForcing


def shifted_right() -> Backing:
    how, are, you = 7, 8, 9
    batch = Batch.from_pairs([([4, 5, 6], [how, are, you])])
    target_in, target_out = batch.target_in[0].tolist(), batch.target_out[0].tolist()
    numbers = {"how_in_the_target": target_out.index(how), "how_in_the_input": target_in.index(how)}
    return Backing(target_in[:-1] == target_out[1:], target_in[1:] == target_out[:-1], numbers)


def true_words_or_predicted() -> Backing:
    model, batch = small_transformer(), Batch.from_pairs([([4, 5, 6], [7, 8, 9])])
    predicted = torch.cat((batch.target_in[:, :1], model(batch.source, batch.target_in).argmax(-1)[:, :-1]), dim=1)
    by_hand = [
        F.cross_entropy(model(batch.source, given)[0], batch.target_out[0], reduction="sum")
        for given in (predicted, batch.target_in)
    ]
    loss = TeacherForcing()(model, batch)  # what attendo trains by
    numbers = {"loss": loss.item(), "with_predicted": by_hand[0].item(), "with_true": by_hand[1].item()}
    return Backing(abs(loss - by_hand[0]).item() < 1e-4, abs(loss - by_hand[1]).item() < 1e-4, numbers)


def encoder_knows_no_target() -> Backing:
    model, source = small_transformer(), torch.tensor([[4, 5, 6]])
    memories, logits = [], []
    model.encoder.register_forward_hook(lambda *call: memories.append(call[2]))
    for target_in in ([[1, 7, 8]], [[1, 9, 8]]):  # two true targets
        logits.append(model(source, torch.tensor(target_in)))
    return Backing(not close(*memories), close(*memories) and not close(*logits))


def cross_entropy_of_what(true_word: int = 2) -> Backing:
    logits = normal(6)
    sharper = 2 * logits  # the likeliest word is the same
    losses = [F.cross_entropy(one, torch.tensor(true_word)) for one in (logits, sharper)]
    minus_log_p = [-one.softmax(0)[true_word].log() for one in (logits, sharper)]
    numbers = {"loss": losses[0].item(), "loss_sharper": losses[1].item()}
    same_word = bool(logits.argmax() == sharper.argmax())
    return Backing(same_word and close(*losses), close(torch.stack(losses), torch.stack(minus_log_p)), numbers)


def terms_of_the_loss(source_words: int = 9, target_words: int = 4) -> Backing:
    batch = Batch.from_pairs([([5] * source_words, [6] * target_words)])
    losses = F.cross_entropy(small_transformer()(batch.source, batch.target_in).mT, batch.target_out, reduction="none")
    numbers = {"terms": losses.numel(), "source": batch.source.numel(), "target": batch.target_out.numel()}
    both_sides = batch.source.numel() + batch.target_out.numel()
    return Backing(losses.numel() == both_sides, losses.numel() == batch.target_out.numel(), numbers)


def one_row_is_enough() -> Backing:
    model, source, row = small_transformer(), torch.tensor([[4, 5, 6]]), torch.tensor([[1, 7, 8, 9, 10]])
    once, copies = model(source, row), model(source.expand(5, -1), row.expand(5, -1))
    prefixes = torch.stack([model(source, row[:, : n + 1])[0, -1] for n in range(5)])
    numbers = {"distributions_of_one_row": once.shape[1], "of_five_copies": copies.shape[0] * copies.shape[1]}
    return Backing(len(copies) * copies.shape[1] == 5, close(once[0], prefixes), numbers)


def one_more_step(text: str = "机器学习很有趣") -> Backing:
    model, tokenizer = default_model()
    source = torch.tensor([[*tokenizer.source_ids(text, to="en")]])
    ids = list(greedy_tokens(model, source, max_length=50))  # one step of the decoder each
    words = [one for one in ids if one != SPECIAL.eos]
    return Backing(len(ids) == len(words), len(ids) == len(words) + 1, {"tokens": len(words), "steps": len(ids)})


def one_new_position(tokens: int = 20) -> Backing:
    model, source = small_transformer(), torch.tensor([[4, 5, 6]])
    state, fed = model.start_decoding(source), [1]
    for _ in range(tokens):
        logits = model.next_token_logits(torch.tensor([fed[-1:]]), state)  # the last token alone; the rest is kept
        fed.append(int(logits.argmax()))
    whole = model(source, torch.tensor([fed[:-1]]))[:, -1]
    return Backing(
        state.length == tokens * (tokens + 1) // 2,
        state.length == tokens and close(logits, whole),
        {"fed": state.length},
    )


def state_is_all_it_knows() -> Backing:
    rnn, x = seeded(lambda: nn.RNN(3, 4)).double(), normal(6, 3).requires_grad_()
    states, again = rnn(x)[0], rnn(x)[0]  # had it a choice, it could choose otherwise
    resumed, _ = rnn(x[4:], states[3:4])  # from the state alone, without the words before it
    (to_words,) = torch.autograd.grad(states[-1].sum(), x)
    reached = to_words[0].norm().item()  # of the first word
    return Backing(not close(again, states), close(resumed[-1], states[-1]) and reached > 0, {"reached": reached})


def only_what_was_hidden(words: int = 100) -> Backing:
    sentence = torch.arange(4, 4 + words)[None]
    hide = Masking(share=0.15, vocab_size=200, first_piece=4, seed=1)  # BERT hides 15 %
    batch = hide(Batch(sentence, sentence, sentence[:, :0], num_target_tokens=0), Position())
    predicted = (batch.target_out[0] != SPECIAL.pad).sum().item()
    return Backing(predicted == words, 0 < predicted < words / 4, {"words": words, "predicted": predicted})
