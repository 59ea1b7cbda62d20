import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament_site.common import text
from tournament_site.common.errors import SENTENCES, STATUSES, Reason, Refused

GOOD = ["Ada", "x", "Röbot", "日本のロボット", "R2-D2 & friends", "<b>bold</b>", "a" * 40, "Денис", "o'Neill", "🎲 Dice 7"]
HOSTILE = {
    "nothing": "",
    "a space": " ",
    "too long": "a" * 41,
    "ten kilobytes": "x" * 10_000,
    "a line break": "a\nb",
    "nul": "a\0b",
    "escape": "\x1b[31mred",
    "delete": "a\x7f",
    "right to left override": "abc\u202egnp",
    "right to left isolate": "abc\u2067",
    "zero width space": "a\u200bb",
    "zero width joiner": "a\u200db",
    "word joiner": "a\u2060b",
    "byte order mark": "\ufeffa",
    "soft hyphen": "a\u00adb",
    "Hangul filler": "a\u3164",
    "braille blank": "a\u2800",
    "variation selector": "a\ufe0f",
    "tag characters": "a\U000e0041",
    "half a surrogate": "a\ud800",
    "private use": "a\ue000",
    "no-break space": "a\u00a0b",
    "ideographic space": "a\u3000b",
    "line separator": "a\u2028b",
    "leading space": " a",
    "two spaces": "a  b",
    "stacked marks": "a" + "\u0301" * 8,
    "only signs": "!?&",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_name_is_taken_as_it_is(name):
    assert text.clean_name(name) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_name_is_refused_with_a_sentence(what):
    with pytest.raises(Refused) as refused:
        text.clean_name(HOSTILE[what])
    assert refused.value.reason is Reason.NAME_INVALID
    assert refused.value.fields["name"].startswith("A name ")


def test_names_that_are_written_in_two_ways_are_one():
    assert text.clean_name("e\u0301") == text.clean_name("\u00e9")


@given(st.text())
def test_whatever_is_taken_can_be_shown(anything):
    try:
        name = text.clean_name(anything)
    except Refused:
        return
    assert name.isprintable()
    assert 1 <= len(name) <= 40
    assert text.clean_name(name) == name


@given(st.text(min_size=1))
def test_a_slug_is_always_plain(anything):
    slug = text.slug_of(anything.encode("utf-8", "replace").decode())
    assert 1 <= len(slug) <= 50
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


@pytest.mark.parametrize(
    ("one", "other"), [("Deep Blue", "deep  blue"), ("Röbot", "Robot"), ("ADA", "ada"), ("Ａｄａ", "Ada")]
)
def test_names_that_look_alike_have_one_slug(one, other):
    assert text.slug_of(one) == text.slug_of(other)


def test_names_without_latin_letters_have_different_slugs():
    assert text.slug_of("日本") != text.slug_of("中国")


@pytest.mark.parametrize("label", ["1", "1.0", "v2.0-rc.1+build_7", "a" * 40])
def test_a_version_label(label):
    assert text.clean_label(label) == label


@pytest.mark.parametrize("label", ["", " ", ".1", "1 0", "a" * 41, "1\n", "é", "<b>", "1\0"])
def test_no_version_label(label):
    with pytest.raises(Refused, match="label_invalid"):
        text.clean_label(label)


@pytest.mark.parametrize("name", ["", "a", "-a", "a b", "ann\n", "änn", "a" * 31, "ann@example.org", "\u0430nn"])
def test_no_user_name(name):
    with pytest.raises(Refused, match="name_invalid"):
        text.clean_username(name)


@pytest.mark.parametrize("word", ["\n", "\0", "é", "x" * 41, "\u202e"])
def test_no_sdk_name(word):
    with pytest.raises(Refused, match="text_invalid"):
        text.clean_word(word, field="sdk")


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_sentence_and_a_status(reason):
    assert SENTENCES[reason].endswith(".")
    assert STATUSES[reason] in {401, 404, 409, 422, 429}
    assert str(Refused(reason)) == f"{reason.value}: {SENTENCES[reason]}"
