"""Values that are made fast are frozen dataclasses like the others."""

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, fields, is_dataclass, replace

import pytest

from referee.engine import WILD, CardDrawn, End, Hit, Play, Seat
from referee.engine.values import maker, quick

EXAMPLES = [CardDrawn(Seat(1), WILD, from_discard=True), Hit(Seat(0), 1, WILD, End.LOW), Play(), Play(discard=WILD)]


@pytest.mark.parametrize("value", EXAMPLES, ids=repr)
def test_a_maker_makes_the_same(value):
    kind = type(value)
    make = maker(kind)
    values = {field.name: getattr(value, field.name) for field in fields(kind)}
    for same in (make(**values), make(*values.values())):
        assert same == value
        assert type(same) is kind
        assert hash(same) == hash(value)
        with pytest.raises(FrozenInstanceError):
            setattr(same, fields(kind)[0].name, None)


@pytest.mark.parametrize("value", EXAMPLES, ids=repr)
def test_a_value_stays_what_it_is(value):
    kind = type(value)
    assert is_dataclass(kind)
    assert kind(*(getattr(value, field.name) for field in fields(kind))) == value
    assert kind(**{field.name: getattr(value, field.name) for field in fields(kind)}) == value
    assert replace(value) == value
    for same in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert same == value
        assert type(same) is kind
        assert hash(same) == hash(value)
    for field in fields(kind):
        with pytest.raises(FrozenInstanceError):
            setattr(value, field.name, None)
        with pytest.raises(FrozenInstanceError):
            delattr(value, field.name)
    assert set(asdict(value)) == {field.name for field in fields(kind)}
    assert not hasattr(value, "__dict__")


def test_defaults_and_missing_arguments():
    assert Play() == Play((), (), None, None, None)
    with pytest.raises(TypeError):
        CardDrawn(Seat(0))  # type: ignore[call-arg]  # that is the point
    assert maker(Play)(discard=WILD) == Play(discard=WILD)
    with pytest.raises(TypeError):
        maker(CardDrawn)(Seat(0))  # type: ignore[call-arg]  # as above


def test_only_dataclasses_are_made_quick():
    with pytest.raises(TypeError, match="Plain is no dataclass"):

        @quick
        class Plain:
            pass


def test_only_quick_classes_have_a_maker():
    @dataclass(frozen=True)
    class Slow:
        one: int

    with pytest.raises(KeyError):
        maker(Slow)


def test_repr_is_the_dataclass_one():
    @quick
    @dataclass(frozen=True, slots=True)
    class Pair:
        one: int
        other: str = "x"

    assert repr(Pair(1)).endswith("Pair(one=1, other='x')")
    assert Pair(1) != Pair(2)
