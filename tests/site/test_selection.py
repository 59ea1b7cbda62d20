from uuid import UUID

from tournament_site.matches.selection import Assignment, Candidate, choose

X, Y = "referee-x", "referee-y"


def candidate(number: int, *versions: int) -> Candidate:
    return Candidate(UUID(int=number), versions)


def test_matches_are_taken_in_order_while_bots_have_room():
    found = choose([candidate(1, 10, 20), candidate(2, 10, 30), candidate(3, 20, 30)], {X: {10: 2, 20: 2, 30: 2}}, {X: 100})
    assert found == (Assignment(UUID(int=1), X),)


def test_a_bot_with_one_free_place_begins_and_plays_in_waves():
    assert choose([candidate(1, 10, 20)], {X: {10: 1, 20: 8}}, {X: 4}) == (Assignment(UUID(int=1), X),)


def test_a_blocked_match_does_not_block_those_behind_it():
    found = choose([candidate(1, 10, 99), candidate(2, 10, 20)], {X: {10: 2, 20: 2}}, {X: 100})
    assert found == (Assignment(UUID(int=2), X),)


def test_a_referee_takes_no_more_games_than_it_has_room_for():
    free = {X: dict.fromkeys(range(1, 9), 8)}
    found = choose([candidate(1, 1, 2), candidate(2, 3, 4), candidate(3, 5, 6)], free, {X: 5})
    assert len(found) == 2
    assert choose([candidate(1, 1, 2)], free, {X: 1}) == ()
    assert choose([candidate(1, 1, 2)], free, {}) == ()


def test_a_match_needs_one_referee_that_all_its_bots_attend():
    free = {X: {1: 4}, Y: {2: 4}}
    assert choose([candidate(1, 1, 2)], free, {X: 9, Y: 9}) == ()
    free[Y][1] = 4
    assert choose([candidate(1, 1, 2)], free, {X: 9, Y: 9}) == (Assignment(UUID(int=1), Y),)


def test_the_emptier_referee_is_chosen():
    free = {X: dict.fromkeys((1, 2, 3, 4), 8), Y: dict.fromkeys((1, 2, 3, 4), 8)}
    found = choose([candidate(1, 1, 2), candidate(2, 3, 4)], free, {X: 10, Y: 9})
    assert [item.referee for item in found] == [X, Y]
