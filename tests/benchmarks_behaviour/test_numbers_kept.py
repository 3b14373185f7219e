"""A lost number is found; one that only changed its form is not lost."""

import pytest

from benchmarks.behaviour.numbers_kept import lost_numbers, lost_runs, runs_of_digits


@pytest.mark.parametrize("text", ["1,234.5", "1.234,5", "1 234,5", "1'234.5", "1\u202f234,5", "１２３４.５"])
def test_separators_do_not_count(text: str) -> None:
    assert runs_of_digits(f"about {text} kg") == ["12345"]
    assert lost_numbers("1,234.5 kg", f"{text} kg", "de") == []


def test_chinese_numerals_are_no_digits() -> None:
    assert runs_of_digits("三十五个人，2张桌子") == ["2"]
    assert lost_numbers("三十五个人", "many people", "en") == []


@pytest.mark.parametrize(
    ("source", "answer", "target", "lost"),
    [
        ("Gate 22 is closed.", "登机口关闭了。", "zh", ["22"]),
        ("Gate 22 is closed.", "2号登机口关闭了。", "zh", ["22"]),
        ("Gate 22 is closed.", "222号登机口关闭了。", "zh", ["22"]),
        ("17 Stühle", "5 chairs", "en", ["17"]),  # only of a time twelve may be taken away
        ("1,234.5", "12345.6", "de", ["1,234.5"]),
        ("Ring 40 and 41.", "Ruf 40 an.", "de", ["41"]),
        ("Um 22.48 Uhr", "At 9:48 pm", "en", ["22.48"]),
        ("Um 22.48 Uhr", "At ten", "en", ["22.48"]),
        ("2027年4月18日", "March 18, 2027", "en", ["4"]),
        ("这座体育场能坐5.2万人。", "The stadium seats 520,000.", "en", ["5.2"]),
    ],
)
def test_a_lost_number_is_found(source: str, answer: str, target: str, lost: list[str]) -> None:
    assert lost_numbers(source, answer, target) == lost
    assert lost_runs(source, answer)


@pytest.mark.parametrize(
    ("source", "answer", "target"),
    [
        ("我们定在2027年4月18日办婚礼。", "We set the wedding for April 18, 2027.", "en"),
        ("Der Mietvertrag endet am 30.09.2027.", "The lease ends on September 30, 2027.", "en"),
        ("Her passport expired on 02/17/2024.", "她的护照于2024年2月17日过期。", "zh"),
        ("这座体育场能坐5.2万人。", "The stadium seats 52,000 people.", "en"),
        ("He sold his start-up for 2.5 million dollars.", "他以250万美元卖掉了公司。", "zh"),
        ("3.2 million pounds", "3,2 Millionen Pfund", "de"),
        ("The last ferry leaves at 10:50 pm.", "Die letzte Fähre fährt um 22.50 Uhr.", "de"),
        ("Der Nachtbus fährt um 22.48 Uhr.", "The night bus leaves at 10:48 pm.", "en"),
        ("Treffen wir uns um 7:45 Uhr?", "Shall we meet at a quarter to eight?", "en"),
        ("The show starts at 7:30 pm.", "Die Vorstellung beginnt um halb acht.", "de"),
        ("Doors open at 6:30.", "六点半开门。", "zh"),
        ("between 9:00 and 11:30", "9点到11点半", "zh"),
        ("我们约好下午2点20分碰面。", "We agreed to meet at 2:20 pm.", "en"),
        ("only took 4 tries", "nur vier Versuche", "de"),
        ("Flat 12B, 3rd floor", "三楼12B室", "zh"),
    ],
)
def test_a_number_may_be_said_in_another_way(source: str, answer: str, target: str) -> None:
    assert lost_numbers(source, answer, target) == []
