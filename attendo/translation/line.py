"""One text on its way to the model: its segments, and for each that has words what the model is asked.

An address alone has none, unless a glossary may have something to say about it.
"""

from dataclasses import dataclass

from attendo.engines.engine import Limits
from attendo.errors import InputError
from attendo.text.normalize import for_model, is_address, normalize, repair
from attendo.text.scripts import Converted, to_simplified, writes_simplified
from attendo.text.sentences import Segment, cut_again, split
from attendo.text.tokenizer import Tokenizer
from attendo.translation.decode import Job
from attendo.translation.directions import Direction, choose_source, is_foreign
from attendo.translation.phrases import as_phrases
from attendo.translation.wish import Wish

FITS = 0.8  # of the characters that would fill the model's limit: tokens are not evenly spread over them


@dataclass(frozen=True, slots=True)
class Line:
    text: str  # as it came
    repaired: int  # characters that were none
    source_language: str
    segments: list[Segment]
    jobs: dict[int, Job]  # by the segment's place
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preparer:
    tokenizer: Tokenizer
    directions: tuple[Direction, ...]
    limits: Limits

    def prepared(self, text: str, wish: Wish) -> Line:
        if not isinstance(text, str):
            raise InputError(f"a text is {type(text).__name__}: expected str, or a list of str")
        mended, repaired = repair(text)
        source = choose_source(wish.from_, wish.target, mended, self.directions)
        remarks = [f"{repaired} broken characters replaced by U+FFFD"] if repaired else []
        if is_foreign(mended, source):
            remarks.append(f"the text looks Chinese, but into {wish.to} this model reads {source}")
        segments: list[Segment] = []
        jobs: dict[int, Job] = {}
        cut = 0
        waiting = split(mended, source)[::-1]
        while waiting:
            segment = waiting.pop()
            if not (segment.is_silent or (is_address(segment.text) and not wish.glossary)):
                job, remark = self.job(segment, source, wish)
                if len(job.ids) > self.limits.source and len(segment.text) > 1:
                    share = FITS * self.limits.source / len(job.ids)
                    pieces = cut_again(segment, max(2, int(len(segment.text) * share)))
                    if len(pieces) == 1:
                        raise InputError(
                            f"{segment.text!r} has {len(job.ids)} tokens: the model reads {self.limits.source}"
                        )
                    waiting.extend(pieces[::-1])
                    continue
                jobs[len(segments)] = job
                remarks += [remark] if remark else []
            segments.append(segment)
            cut += segment.cut
        if cut:
            remarks.append(f"{cut} cuts in sentences that were too long")
        return Line(text, repaired, source, segments, jobs, tuple(remarks))

    def job(self, segment: Segment, source: str, wish: Wish) -> tuple[Job, str]:
        """What the model is asked, and what the user should know of it."""
        read = for_model(segment.text)
        shown = to_simplified(read) if writes_simplified(source) else Converted(read)
        ids = self.tokenizer.source_ids(shown.text, wish.target)
        if not wish.glossary:
            return Job(shown.text, ids), shown.remark
        terms = [match.target for match in wish.glossary.matches(normalize(read))]
        return Job(shown.text, ids, as_phrases(terms, wish.to, self.tokenizer)), shown.remark
