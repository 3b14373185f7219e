from attendo.data.batch import Batch


def test_the_target_is_shifted_right_behind_bos():
    batch = Batch.from_pairs([([5, 6], [7, 8, 9]), ([5], [7])])
    assert batch.source.tolist() == [[5, 6, 2], [5, 2, 0]]
    assert batch.target_in.tolist() == [[1, 7, 8, 9], [1, 7, 0, 0]]
    assert batch.target_out.tolist() == [[7, 8, 9, 2], [7, 2, 0, 0]]
    assert batch.num_target_tokens == 6
    moved = batch.to("meta")
    assert {tensor.device.type for tensor in (moved.source, moved.target_in, moved.target_out)} == {"meta"}
    assert moved.num_target_tokens == 6
