from collections.abc import Mapping
from uuid import UUID

from tournament_site.matches.selection import Assignment, Candidate, choose

X, Y = "referee-x", "referee-y"


def everywhere(free: Mapping[str, Mapping[int, int]]) -> dict[int, int]:
    """As many games in all as at the referees one by one."""
    found: dict[int, int] = {}
    for versions in free.values():
        for version, games in versions.items():
            found[version] = found.get(version, 0) + games
    return found


def pick(
    candidates: list[Candidate], free: Mapping[str, Mapping[int, int]], rooms: Mapping[str, int]
) -> tuple[Assignment, ...]:
    return choose(candidates, free, rooms, everywhere(free))


def candidate(number: int, *versions: int) -> Candidate:
    return Candidate(UUID(int=number), versions)


def test_matches_are_taken_in_order_while_bots_have_room():
    found = pick([candidate(1, 10, 20), candidate(2, 10, 30), candidate(3, 20, 30)], {X: {10: 2, 20: 2, 30: 2}}, {X: 100})
    assert found == (Assignment(UUID(int=1), X),)


def test_a_bot_with_one_free_place_begins_and_plays_in_waves():
    assert pick([candidate(1, 10, 20)], {X: {10: 1, 20: 8}}, {X: 4}) == (Assignment(UUID(int=1), X),)


def test_a_blocked_match_does_not_block_those_behind_it():
    found = pick([candidate(1, 10, 99), candidate(2, 10, 20)], {X: {10: 2, 20: 2}}, {X: 100})
    assert found == (Assignment(UUID(int=2), X),)


def test_a_referee_takes_no_more_games_than_it_has_room_for():
    free = {X: dict.fromkeys(range(1, 9), 8)}
    found = pick([candidate(1, 1, 2), candidate(2, 3, 4), candidate(3, 5, 6)], free, {X: 5})
    assert len(found) == 2
    assert pick([candidate(1, 1, 2)], free, {X: 1}) == ()
    assert pick([candidate(1, 1, 2)], free, {}) == ()


def test_a_match_needs_one_referee_that_all_its_bots_attend():
    free = {X: {1: 4}, Y: {2: 4}}
    assert pick([candidate(1, 1, 2)], free, {X: 9, Y: 9}) == ()
    free[Y][1] = 4
    assert pick([candidate(1, 1, 2)], free, {X: 9, Y: 9}) == (Assignment(UUID(int=1), Y),)


def test_the_emptier_referee_is_chosen():
    free = {X: dict.fromkeys((1, 2, 3, 4), 8), Y: dict.fromkeys((1, 2, 3, 4), 8)}
    found = pick([candidate(1, 1, 2), candidate(2, 3, 4)], free, {X: 10, Y: 9})
    assert [item.referee for item in found] == [X, Y]


def test_a_bot_gets_no_more_games_than_it_plays_in_all():
    free = {X: dict.fromkeys(range(1, 5), 8), Y: dict.fromkeys(range(1, 5), 8)}
    matches = [candidate(1, 1, 2), candidate(2, 1, 3), candidate(3, 2, 3)]
    found = choose(matches, free, {X: 10, Y: 9}, {1: 2, 2: 8, 3: 8})
    assert [item.match_id.int for item in found] == [1, 3]
    assert choose(matches, free, {X: 10, Y: 9}, {}) == ()


def test_a_match_goes_where_its_bots_are_although_another_referee_has_more_room():
    free = {X: {1: 8, 2: 8}, Y: {1: 8, 2: 8, 3: 8}}
    found = pick([candidate(1, 1, 3), candidate(2, 1, 2)], free, {X: 100, Y: 9})
    assert [item.referee for item in found] == [Y, X]
