"""All claims, in the order of their numbers. A new one is written down here."""

from attendo.lab.attention import (
    l4_variance,
    l5_scale,
    l6_heads,
    l7_diagonal,
    l8_random_start,
    l9_different_heads,
    l12_additivity,
    l14_zero_scores,
    l15_rank,
    l34_shared_projections,
    l35_without_w,
    l36_receptive_field,
    l39_source_word,
)
from attendo.lab.claim import Experiment
from attendo.lab.decoding import l32_steps
from attendo.lab.families import (
    l27_distance,
    l28_parallel,
    l29_features,
    l30_lstm_wins,
    l31_one_vector,
    l33_non_autoregressive,
)
from attendo.lab.layers import (
    l10_feed_forward_width,
    l11_without_feed_forward,
    l13_share,
    l16_residual,
    l17_batch_norm,
    l40_width,
)
from attendo.lab.positions import (
    l18_order,
    l19_rotation,
    l20_product,
    l21_learned,
    l22_embedding_scale,
    l23_mask_and_positions,
)
from attendo.lab.softmax import l1_curve, l2_jacobian, l3_vanishing, l38_example
from attendo.lab.text import l37_cutting
from attendo.lab.training import l24_one_pass, l25_teacher_forcing, l26_warmup

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.id: module.EXPERIMENT
    for module in (
        l1_curve,
        l2_jacobian,
        l3_vanishing,
        l4_variance,
        l5_scale,
        l6_heads,
        l7_diagonal,
        l8_random_start,
        l9_different_heads,
        l10_feed_forward_width,
        l11_without_feed_forward,
        l12_additivity,
        l13_share,
        l14_zero_scores,
        l15_rank,
        l16_residual,
        l17_batch_norm,
        l18_order,
        l19_rotation,
        l20_product,
        l21_learned,
        l22_embedding_scale,
        l23_mask_and_positions,
        l24_one_pass,
        l25_teacher_forcing,
        l26_warmup,
        l27_distance,
        l28_parallel,
        l29_features,
        l30_lstm_wins,
        l31_one_vector,
        l32_steps,
        l33_non_autoregressive,
        l34_shared_projections,
        l35_without_w,
        l36_receptive_field,
        l37_cutting,
        l38_example,
        l39_source_word,
        l40_width,
    )
}
