"""Which drawing shows the part of the machine that a claim is about; one at most, for one is looked at."""

from pathlib import Path

from attendo.inspection.drawings.options import picture_name
from attendo.lab.tools.texts import Language

CLAIMS_OF = {
    "architecture": ("L13", "L40", "L52", "L66", "L67"),
    "masks": ("L23", "L24", "L54"),
    "positions": ("L18", "L19", "L20", "L58"),
    "schedule": ("L26",),
    "qkv": ("L4", "L15", "L34", "L77"),
    "three-attentions": ("L9", "L39", "L43"),
    "training-and-inference": ("L25", "L28", "L32"),
    "embeddings": ("L45", "L49", "L53"),
}
SHOWS = {  # English, Chinese
    "architecture": ("figure 1 of the paper with the shape on every arrow", "论文图 1，并在每个箭头上标出张量的形状"),
    "masks": ("the padding mask and the causal mask of a batch", "一个批次的填充掩码和因果掩码"),
    "positions": ("the table of positions, and one row worked out", "位置编码表，以及其中一行的计算过程"),
    "schedule": ("learning rates, step by step", "学习率随训练步数的变化"),
    "qkv": ("Q, K and V on their way through the heads", "各个头如何处理 Q、K、V"),
    "three-attentions": ("who attends to whom in the three attentions", "三种注意力中谁关注谁"),
    "training-and-inference": ("training in one pass, inference token by token", "训练时并行计算，推理时逐个生成"),
    "embeddings": ("neighbours among the embeddings, and a map of common words", "词嵌入的近邻，以及常用词的分布图"),
}
PICTURES = "../../figures"  # docs/figures, for the pages in docs/lab/en and docs/lab/zh
DRAWING_OF = {claim: drawing for drawing, claims in CLAIMS_OF.items() for claim in claims}


def drawing_parts(claim_id: str, language: Language, folder: Path | None) -> list[str]:
    """How the drawing is made; and itself, where a page in `folder` finds it."""
    drawing = DRAWING_OF.get(claim_id)
    if drawing is None:
        return []
    name = picture_name(drawing, language)
    english, chinese = SHOWS[drawing]
    if language == "zh":
        words = f"配图：`attendo draw {drawing} --out {name} --lang zh` 画出{chinese}。"
    else:
        words = f"Drawing: `attendo draw {drawing} --out {name}` draws {english}."
    there = folder is not None and (folder / PICTURES / name).is_file()
    return [words, f"![{drawing}]({PICTURES}/{name})"] if there else [words]
