"""What the JavaScript bot works out by itself, against the engine and the shuffle's own functions."""

import random
from dataclasses import replace

from referee.engine.cards import full_deck
from referee.engine.default_move import default_play
from referee.engine.melds import lay
from referee.engine.moves import Meld, Seat
from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import NaturalCards
from referee.engine.search import plan
from referee.engine.shuffle import game_context, nonce_commit, server_commit
from referee.wire.cards import decode_cards
from tests.javascript.node import Node

# Its melds have a number card each, whatever the rules ask for.
RULES = replace(OFFICIAL, natural_cards=NaturalCards.ONE_PER_MELD)
JS_RULES = {"cardPoints": {"low": 5, "high": 10, "skip": 15, "wild": 25}, "sameNumberSets": True}
HANDS = 150

NEAREST = """
import { nearest } from "./melds.js";
told(given.hands.map(([hand, phase]) => nearest(hand, phase, given.rules)));
"""
SHARES = """
import { Share } from "./phaseten/share.js";
const invite = { gameId: Buffer.from(given.game, "hex"), attempt: 3, table: [0, 0, 0, 0], seat: 2 };
const share = new Share({ ...invite, commitment: Buffer.from(given.seed_commitment, "hex") });
share.nonce = Buffer.from(given.nonces[2], "hex");
const ours = share.commitment;
const shown = given.commitments.map((each) => Buffer.from(each, "hex"));
const nonces = given.nonces.map((each) => Buffer.from(each, "hex"));
const revealed = share.reveal(shown)?.toString("hex");
share.started(nonces);
share.ended(Buffer.from(given.seed, "hex"));
told({ ours: ours.toString("hex"), revealed, problem: share.problem });
"""
ADDRESSES = """
import { readAddress } from "./phaseten/tickets.js";
told(given.map(([address, server]) => { try { return readAddress(address, server); } catch { return null; } }));
"""
DEFAULTS = """
import { defaultMove } from "./phaseten/game.js";
import { values } from "./phaseten/schema.js";
const rules = { skipTarget: values("SkipTarget").SKIP_TARGET_CHOSEN };
const table = { stage: values("Stage").STAGE_PLAY, seats: [{ mayBeSkipped: false }, {}, { mayBeSkipped: true }] };
told(given.map((hand) => defaultMove({ hand, seat: 0, table }, rules).play));
"""


def test_the_nearest_way_to_a_phase_is_as_near_as_the_engine_says(bot: Node) -> None:
    dice = random.Random(4)
    deck = full_deck(OFFICIAL.wilds, OFFICIAL.skips)
    hands = [(sorted(dice.sample(deck, 11)), phase) for phase in OFFICIAL.phases for _ in range(HANDS)]
    sent = [[[card + 1 for card in hand], phase] for hand, phase in hands]
    found = bot.ask(NEAREST, {"hands": sent, "rules": JS_RULES})
    layable = 0
    for (hand, phase), way in zip(hands, found, strict=True):
        assert way["missing"] == plan(tuple(hand), phase, RULES).distance
        if not way["missing"]:
            layable += 1
            left = list(hand)
            lay([Meld(decode_cards(cards)) for cards in way["melds"]], phase, left, RULES)
            assert left == list(decode_cards(way["spare"]))
    assert layable > 0


def shares(**changes: object) -> dict[str, object]:
    game, seed = bytes(range(16)), b"s" * 64
    context = game_context(game, 3, 4)
    nonces = [bytes([seat + 1]) * 32 for seat in range(4)]
    honest = {
        "game": game.hex(),
        "seed": seed.hex(),
        "seed_commitment": server_commit(context, seed).hex(),
        "nonces": [nonce.hex() for nonce in nonces],
        "commitments": [nonce_commit(context, seat, nonce).hex() for seat, nonce in enumerate(nonces)],
    }
    return honest | changes


def test_its_share_in_a_shuffle_is_what_the_referee_expects(bot: Node) -> None:
    given = shares()
    told = bot.ask(SHARES, given)
    assert told == {"ours": given["commitments"][2], "revealed": given["nonces"][2], "problem": ""}  # type: ignore[index]  # lists


def test_it_notices_a_referee_that_cheats(bot: Node) -> None:
    honest = shares()
    commitments, nonces = honest["commitments"], honest["nonces"]
    assert isinstance(commitments, list)
    assert isinstance(nonces, list)
    told = bot.ask(SHARES, shares(commitments=[*commitments[:2], "00" * 64, commitments[3]]))
    assert (told.get("revealed"), told["problem"]) == (None, "the referee passed another commitment on as ours")
    told = bot.ask(SHARES, shares(commitments=[commitments[0], "00" * 64, *commitments[2:]]))
    assert told["problem"] == "seat 1 revealed another nonce than it had committed to"
    told = bot.ask(SHARES, shares(seed="11" * 64))
    assert told["problem"] == "the referee's seed is not the one that it had committed to"


def test_addresses_are_read_as_the_sdk_for_python_reads_them(bot: Node) -> None:
    given = [
        ("play.example.org:7010", "https://example.org"),
        ("http://play.example.org:7010", "https://example.org"),
        ("https://play.example.org:7010/", "http://example.org"),
        ("127.0.0.1:7010", "https://example.org"),
        ("play.example.org:7010", "http://example.org"),
        ("[::1]:7010", "http://localhost"),
        ("play.example.org", "https://example.org"),
    ]
    told = bot.ask(ADDRESSES, given)
    assert told == [
        {"target": "play.example.org:7010", "tls": True, "local": False},
        {"target": "play.example.org:7010", "tls": False, "local": False},
        {"target": "play.example.org:7010", "tls": True, "local": False},
        {"target": "127.0.0.1:7010", "tls": False, "local": True},
        {"target": "play.example.org:7010", "tls": False, "local": False},
        {"target": "[::1]:7010", "tls": False, "local": True},
        None,
    ]


def test_its_default_move_is_the_referees(bot: Node) -> None:
    hands = [[1, 12, 24, 49], [49, 50], [50, 50], [50], [10, 22, 3]]
    told = bot.ask(DEFAULTS, hands)
    for hand, move in zip(hands, told, strict=True):
        expected = default_play(decode_cards(hand), [Seat(2)])
        assert expected.discard is not None
        assert move["discard"] == expected.discard + 1
        assert move.get("skipTarget") == expected.skip_target
