"""All claims, in the order of their numbers. A new one is written down here."""

from attendo.lab.attention import (
    additivity,
    diagonal,
    different_heads,
    heads,
    random_start,
    rank,
    receptive_field,
    scale,
    shared_projections,
    source_word,
    variance,
    without_w,
    zero_scores,
)
from attendo.lab.claim import Experiment
from attendo.lab.decoding import steps
from attendo.lab.families import distance, features, lstm_wins, non_autoregressive, one_vector, parallel
from attendo.lab.layers import batch_norm, feed_forward_width, residual, share, width, without_feed_forward
from attendo.lab.positions import embedding_scale, learned, mask_and_positions, order, product, rotation
from attendo.lab.softmax import curve, example, jacobian, vanishing
from attendo.lab.text import cutting
from attendo.lab.training import one_pass, teacher_forcing, warmup

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.id: module.EXPERIMENT
    for module in (
        curve,  # L1
        jacobian,  # L2
        vanishing,  # L3
        variance,  # L4
        scale,  # L5
        heads,  # L6
        diagonal,  # L7
        random_start,  # L8
        different_heads,  # L9
        feed_forward_width,  # L10
        without_feed_forward,  # L11
        additivity,  # L12
        share,  # L13
        zero_scores,  # L14
        rank,  # L15
        residual,  # L16
        batch_norm,  # L17
        order,  # L18
        rotation,  # L19
        product,  # L20
        learned,  # L21
        embedding_scale,  # L22
        mask_and_positions,  # L23
        one_pass,  # L24
        teacher_forcing,  # L25
        warmup,  # L26
        distance,  # L27
        parallel,  # L28
        features,  # L29
        lstm_wins,  # L30
        one_vector,  # L31
        steps,  # L32
        non_autoregressive,  # L33
        shared_projections,  # L34
        without_w,  # L35
        receptive_field,  # L36
        cutting,  # L37
        example,  # L38
        source_word,  # L39
        width,  # L40
    )
}
