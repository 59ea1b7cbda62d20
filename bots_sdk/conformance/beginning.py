"""Scenarios: getting in, and the handshake of a game."""

from typing import Final

from bots_sdk.conformance.report import Failed, NoSession, NotApplicable
from bots_sdk.conformance.sitting import COMMITMENT_BYTES, Sitting
from bots_sdk.conformance.stage import Stage
from bots_sdk.conformance.table import NONCE_BYTES, Table, say
from bots_sdk.conformance.visit import PROTOCOL, Visit
from referee.engine.shuffle import NO_NONCE

Notes = list[str]
TAKES_PART: Final = "it gives its share to every shuffle"
DECLINES: Final = "it takes no part in shuffles: its cards depend on the referee and the other seats alone"


async def ticket(stage: Stage) -> Notes:
    visit = await stage.visitor()
    _with_site(stage)
    asked = stage.site.asked[0]
    if asked.complaint:
        raise Failed(
            "POST /api/v1/sessions with the bot's token and a JSON body with version, sdk, language and capacity",
            asked.complaint,
            "a real site answers such a request with an error; send what `expected` says",
        )
    given = [each.ticket for each in stage.site.asked]
    if visit.ticket not in given:
        raise Failed(
            "the metadata `authorization: Bearer TICKET` with the ticket that the site gave",
            f"the stream came with {visit.ticket!r}",
            "send the field `ticket` of the site's answer, as it is",
        )
    return [f"version {asked.version}"]


def _with_site(stage: Stage) -> None:
    if not stage.site.asked:
        raise NotApplicable("the bot began at the referee and asked the site for nothing")


async def hello(stage: Stage) -> Notes:
    visit = await stage.visitor()
    try:
        await stage.welcome(visit)
    except NoSession as absence:  # here it is the very thing that is tried
        raise Failed(absence.expected, absence.came, absence.advice) from None
    said = visit.hello
    assert said is not None
    took = visit.hello_at - visit.came
    if took > stage.patience.hello:
        raise Failed(
            f"Hello within {stage.patience.hello:g} s",
            f"it came after {took:.1f} s",
            "send Hello at once; the Welcome only comes after it",
        )
    if visit.early:
        raise Failed("Hello as the first message", f"a {visit.early[0]} came before it", "send Hello first")
    if said.protocol != PROTOCOL:
        raise Failed(f"Hello.protocol {PROTOCOL}", f"it is {said.protocol}", f"set protocol to {PROTOCOL}")
    if not said.sdk or not said.language:
        raise Failed("a name in Hello.sdk and Hello.language", "one of them is empty", "fill both in, for people")
    return [f"{said.sdk}, {said.language}, {max(1, said.capacity)} games at once"]


async def handshake(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(), Table(seats=4, seat=2)))
    tables = sitting.tables
    try:
        shares = await _shares(stage, visit, tables)
    except Failed:
        stage.unshared = "its shares are wrong from the start, see the scenario `handshake`"
        raise
    await visit.say(*[say(start=table.start()) for table in tables])
    await sitting.play(rounds=4)
    return [TAKES_PART if shares[0] else DECLINES]


async def _shares(stage: Stage, visit: Visit, tables: list[Table]) -> list[bytes]:
    """Invite the bot and take its nonces; an empty one where it takes no part. Raises Failed."""
    await visit.say(*[say(invite=table.invite()) for table in tables])
    for table in tables:
        await commits(stage, visit, table)
    shares = [await _reveals(stage, visit, tables, table) for table in tables]
    if len(shares) > 1 and shares[0] and shares[0] == shares[1]:
        raise Failed(
            "a nonce of its own for every game",
            "two games have the same",
            "take 32 new bytes of a cryptographic generator for each game",
        )
    return shares


async def commits(stage: Stage, visit: Visit, table: Table) -> None:
    """Take the commitment to a game's nonce. Raises Failed."""
    told = await visit.hear("nonce_commit", table.handle, stage.patience.share)
    if told is None:
        raise Failed(
            f"a NonceCommit for every Invite within {stage.patience.share:g} s",
            "none came",
            "answer each Invite with SHA-512 over label, context, seat and nonce; an empty commitment takes no part",
        )
    commitment = told.message.nonce_commit.commitment
    if len(commitment) not in {0, COMMITMENT_BYTES}:
        raise Failed(
            f"a commitment of {COMMITMENT_BYTES} bytes, or an empty one",
            f"it has {len(commitment)} bytes",
            "send the SHA-512 digest itself: no hexadecimal, no base64",
        )
    table.shuffle.commitments[table.seat] = commitment


async def _reveals(stage: Stage, visit: Visit, tables: list[Table], table: Table) -> bytes:
    """Show the commitments of one game and take the nonce; empty for a bot that takes no part. Raises Failed."""
    early = await visit.hear("nonce_reveal", table.handle, stage.patience.quiet)
    if early is not None and early.message.nonce_reveal.nonce:
        raise Failed(
            "no NonceReveal before the NonceCommits of that game",
            f"a nonce came while {len(tables)} games were still waiting for commitments",
            "keep the nonce until all commitments of its game are shown: whoever sees it before can choose the deck",
        )
    await visit.say(say(nonce_commits=table.commitments()))
    return await reveals(stage, visit, table)


async def reveals(stage: Stage, visit: Visit, table: Table) -> bytes:
    """Take the nonce that was committed to; empty for a bot that takes no part. Raises Failed."""
    taking_part = bool(table.shuffle.commitments[table.seat])
    told = await visit.hear("nonce_reveal", table.handle, stage.patience.share if taking_part else stage.patience.quiet)
    nonce = b"" if told is None else told.message.nonce_reveal.nonce
    if not taking_part:
        if nonce and nonce != NO_NONCE:
            raise Failed("no nonce after an empty commitment", "one came", "reveal nothing where you take no part")
        return b""
    if told is None:
        raise Failed(
            f"a NonceReveal within {stage.patience.share:g} s after the NonceCommits",
            "none came; a real referee counts that as not showing up",
            "answer NonceCommits with the nonce that was committed to",
        )
    if len(nonce) != NONCE_BYTES or not table.keeps_word(nonce):
        raise Failed(
            f"the {NONCE_BYTES} bytes whose commitment was sent",
            f"{len(nonce)} bytes that do not belong to it",
            'commit to SHA-512("p10/nonce-commit/1" 00 | game_id | attempt u32 | seats u8 | seat u8 | nonce), big-endian',
        )
    table.shuffle.nonces[table.seat] = nonce
    return nonce


async def at_once(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(), Table(seats=4, seat=1)))
    frames = [say(invite=table.invite()) + say(start=table.start_unshared()) for table in sitting.tables]
    await visit.say(*frames)
    await sitting.play(rounds=4)
    return []


async def false_commitment(stage: Stage) -> Notes:
    visit = await stage.session()
    if stage.unshared:
        raise NotApplicable(stage.unshared)
    (table,) = Sitting(stage, visit, (Table(),)).tables
    await visit.say(say(invite=table.invite()))
    await commits(stage, visit, table)
    if not table.shuffle.commitments[table.seat]:
        raise NotApplicable("the bot takes no part in shuffles")
    table.shuffle.commitments[table.seat] = bytes(COMMITMENT_BYTES)
    await visit.say(say(nonce_commits=table.commitments()))
    told = await visit.hear("nonce_reveal", table.handle, stage.patience.quiet)
    if told is None:
        return ["it kept its nonce when another commitment was passed on as its own"]
    return ["it revealed its nonce although another commitment was passed on as its own: a referee could cheat it"]


async def refused_ticket(stage: Stage) -> Notes:
    visit = await stage.session()
    _with_site(stage)
    before, dials = len(stage.site.asked), len(stage.first.dials)
    stage.site.revoke()
    visit.end("UNAUTHENTICATED", "the site closed this session; a new ticket is needed")
    after = await stage.first.arrival(stage.patience.connect, visit)
    if after is None:
        tried = len(stage.first.dials) - dials
        asked = len(stage.site.asked) - before
        raise Failed(
            "a new ticket from the site, and a new stream with it, after UNAUTHENTICATED",
            f"{asked} requests to the site and {tried} refused streams within {stage.patience.connect:g} s",
            "throw a ticket away when a stream ends with UNAUTHENTICATED, ask the site again, and dial with the new one",
        )
    await stage.welcome(after)
    return []
