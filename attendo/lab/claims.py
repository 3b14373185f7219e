"""All claims, in the order of their numbers. A new one is written down here."""

from attendo.lab.attention import additivity, rank, receptive_field, scale, variance, without_w, zero_scores
from attendo.lab.claim import Experiment
from attendo.lab.decoding import steps
from attendo.lab.families import parallel
from attendo.lab.layers import residual, share, width, without_feed_forward
from attendo.lab.positions import embedding_scale, mask_and_positions, order, product, rotation
from attendo.lab.softmax import curve, example, jacobian, vanishing
from attendo.lab.training import one_pass, warmup

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.id: module.EXPERIMENT
    for module in (
        curve,  # L1
        jacobian,  # L2
        vanishing,  # L3
        variance,  # L4
        scale,  # L5
        without_feed_forward,  # L11
        additivity,  # L12
        share,  # L13
        zero_scores,  # L14
        rank,  # L15
        residual,  # L16
        order,  # L18
        rotation,  # L19
        product,  # L20
        embedding_scale,  # L22
        mask_and_positions,  # L23
        one_pass,  # L24
        warmup,  # L26
        parallel,  # L28
        steps,  # L32
        without_w,  # L35
        receptive_field,  # L36
        example,  # L38
        width,  # L40
    )
}
