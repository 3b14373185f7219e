"""Tables to dataclasses: what fits arrives whole, what does not is one sentence that names the place."""

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attendo.errors import ConfigError
from attendo.files.tables import from_dict, short_repr, unknown_key


@dataclass(frozen=True)
class Wheel:
    spokes: int = 36
    tyre: Literal["wide", "narrow"] = "wide"


@dataclass(frozen=True, kw_only=True)
class Bicycle:
    name: str
    speed: float = 20.0
    gears: int | None = 7
    bell: bool = True
    wheels: tuple[Wheel, ...] = ()
    spare: Wheel = field(default_factory=Wheel)
    colours: tuple[str, ...] = ()
    ends: tuple[str, str] | None = None
    baskets: str | tuple[str, ...] | None = None
    lamps: list[int] = field(default_factory=list)

    def __post_init__(self):
        if self.speed < 0:
            raise ConfigError(f"speed = {self.speed}: expected at least 0")


def bicycle(**more):
    return from_dict(Bicycle, {"name": "x"} | more, "[bicycle]")


def test_every_shape_we_have():
    table = {
        "name": "rover",
        "speed": 25,
        "gears": False,
        "bell": False,
        "wheels": [{"spokes": 32}, {"tyre": "narrow"}],
        "spare": {"spokes": 28},
        "colours": ["red", "blue"],
        "ends": ["here", "there"],
        "baskets": ["front", "back"],
        "lamps": [1, 2],
    }
    made = from_dict(Bicycle, table, "[bicycle]")
    assert made == Bicycle(
        name="rover", speed=25.0, gears=None, bell=False, wheels=(Wheel(32), Wheel(tyre="narrow")), spare=Wheel(28),
        colours=("red", "blue"), ends=("here", "there"), baskets=("front", "back"), lamps=[1, 2],
    )  # fmt: skip
    assert type(made.speed) is float
    assert bicycle(baskets="front").baskets == "front"
    assert bicycle() == Bicycle(name="x")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"speeed": 3}, "unknown key 'speeed' in [bicycle]: did you mean 'speed'?"),
        ({"zzz": 3}, "unknown key 'zzz' in [bicycle]: known keys: name, speed, gears, bell, wheels, spare, colours, "
                     "ends, baskets, lamps"),
        ({"speed": "fast"}, "speed in [bicycle] is 'fast': expected a number"),
        ({"speed": float("nan")}, "speed in [bicycle] is nan: expected a number"),
        ({"speed": float("-inf")}, "speed in [bicycle] is -inf: expected a number"),
        ({"speed": True}, "speed in [bicycle] is True: expected a number"),
        ({"speed": -1}, "[bicycle]: speed = -1.0: expected at least 0"),
        ({"speed": 10**400}, "speed in [bicycle] is a number of about 400 digits: expected a number"),
        ({"gears": 2.0}, "gears in [bicycle] is 2.0: expected a whole number (or false for none)"),
        ({"gears": True}, "gears in [bicycle] is True: expected a whole number (or false for none)"),
        ({"bell": 1}, "bell in [bicycle] is 1: expected true or false"),
        ({"name": 3}, "name in [bicycle] is 3: expected a text"),
        ({"name": date(2020, 1, 1)}, "name in [bicycle] is datetime.date(2020, 1, 1): expected a text"),
        ({"wheels": {"spokes": 3}}, "wheels in [bicycle] is {'spokes': 3}: expected a list of values, each a table"),
        ({"wheels": [{}, 5]}, "[bicycle.wheels.1] is 5: expected a table"),
        ({"wheels": [{}, {"spoke": 5}]}, "unknown key 'spoke' in [bicycle.wheels.1]: did you mean 'spokes'?"),
        ({"spare": {"tyre": "flat"}}, "tyre in [bicycle.spare] is 'flat': expected one of wide, narrow"),
        ({"spare": {"tyre": ["wide"]}}, "tyre in [bicycle.spare] is ['wide']: expected one of wide, narrow"),
        ({"colours": "red"}, "colours in [bicycle] is 'red': expected a list of values, each a text"),
        ({"colours": ["red", 3]}, "colours.1 in [bicycle] is 3: expected a text"),
        ({"ends": ["here"]}, "ends in [bicycle] is ['here']: expected a list of 2 values, each a text"),
        ({"baskets": 4}, "baskets in [bicycle] is 4: expected a text or a list of values, each a text"),
        ({"lamps": [1, 2**63]}, "lamps.1 in [bicycle] is 9223372036854775808: expected a whole number"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_one_sentence(more, sentence):
    with pytest.raises(ConfigError) as caught:
        bicycle(**more)
    assert str(caught.value) == sentence


def test_what_is_missing_is_named():
    with pytest.raises(ConfigError, match=r"^name is missing in \[bicycle\]: expected a text$"):
        from_dict(Bicycle, {}, "[bicycle]")
    with pytest.raises(ConfigError, match=r"^\[bicycle\] is \[\]: expected a table$"):
        from_dict(Bicycle, [], "[bicycle]")


def test_errors_stay_short():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for value in ("x" * 10**6, [10**6000], 10**6000, -(10**50), deep, {"k" * 10**5: 1}):
        assert len(short_repr(value)) <= 60
        with pytest.raises(ConfigError) as caught:
            bicycle(bell=value)
        assert len(str(caught.value)) < 200
    assert len(str(unknown_key("k" * 10**6, ["key"], "here"))) < 200


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.dates()
keys = st.sampled_from([*Bicycle.__dataclass_fields__, *Wheel.__dataclass_fields__, "bel"])
tables = st.dictionaries(keys, scalars | st.lists(scalars, max_size=2), max_size=4)
anything = scalars | tables | st.lists(tables, max_size=2)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])  # the first draw takes a second
@given(st.dictionaries(keys, anything, max_size=6).map(lambda table: {"name": "x"} | table))
def test_any_table_is_read_or_refused(table):
    try:
        made = from_dict(Bicycle, table, "[bicycle]")
    except ConfigError:
        return
    assert type(made.name) is str
    assert type(made.speed) is float
    assert all(type(wheel) is Wheel for wheel in made.wheels)
