"""The client against a small gRPC server: connecting, losing the connection, giving up."""

import asyncio
from collections.abc import Callable

import grpc
import pytest
from phaseten.v1 import bot_pb2 as pb

from bots_sdk.bot import BotSource, maker
from bots_sdk.client import Backoff, Client, Timing
from bots_sdk.errors import SiteRefused, SiteUnavailable, Superseded, WrongInput
from bots_sdk.house_bots import GreedyBot
from bots_sdk.info import Ending
from bots_sdk.tickets import RefereeAddress, Ticket
from bots_sdk.watcher import Watcher
from deploy.local.ports import is_free
from referee.engine.moves import Draw
from referee.engine.view import View
from tests.sdk.scripted import Recorder, ScriptedGame, frame, joined
from tests.sdk.tiny_referee import QUICK, Diary, TinyReferee, Visit


def client(source: BotSource, fetch: Callable[[], Ticket], watcher: Watcher | None = None, timing: Timing = QUICK) -> Client:
    return Client(maker(source), fetch, 8, watcher or Diary(), timing)


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not happened():  # noqa: ASYNC110 - what is waited for is many things, and a test
            await asyncio.sleep(0.005)


async def run_until(running: Client, happened: Callable[[], bool]) -> None:
    """Run a client until something has happened; its own end is passed on."""
    task = asyncio.create_task(running.run())
    try:
        await until(lambda: happened() or task.done())
    finally:
        task.cancel()
        await asyncio.wait([task])
    if not task.cancelled():
        await task


async def stay(visit: Visit) -> None:
    """Welcome the bot and then say nothing more than pongs."""
    await visit.welcome()
    await stay_awake(visit)


async def stay_awake(visit: Visit) -> None:
    """Say nothing more than pongs."""
    while True:
        ping = (await visit.hear("ping")).ping
        await visit.say(frame(pong=pb.Pong(id=ping.id)))


async def test_a_game_is_played_over_the_network() -> None:
    script, bot, diary = ScriptedGame(seats=3), GreedyBot(), Diary()

    async def whole_game(visit: Visit) -> None:
        hello = await visit.welcome()
        assert hello.capacity == 8
        await visit.say(script.opening())
        await visit.play(script)
        await stay_silent()

    async with TinyReferee(whole_game) as referee:
        await run_until(client(bot, referee.ticket, diary), diary.over.is_set)
        assert [visit.ticket for visit in referee.visits] == ["ticket"]
    assert script.rejected == []
    assert diary.lines == ["connected to tiny for 8", "game over"]


async def stay_silent() -> None:
    await asyncio.Event().wait()


async def test_many_games_share_the_stream_and_their_answers_share_frames() -> None:
    scripts = [ScriptedGame(handle=number, number=number) for number in range(1, 33)]
    sizes: list[int] = []

    async def question_all(visit: Visit) -> None:
        await visit.welcome()
        await visit.say(*[script.opening() for script in scripts], *[script.ask() for script in scripts])
        while sum(sizes) < len(scripts):
            sizes.append(len((await visit.read()).messages))
        await stay_silent()

    calm = Timing(ping=60.0, silence=60.0, slice=30.0)
    async with TinyReferee(question_all) as referee:
        await run_until(client(Recorder, referee.ticket, timing=calm), lambda: sum(sizes) == len(scripts))
    assert sizes == [32]


async def test_a_lost_connection_is_made_again_and_the_game_goes_on() -> None:
    script, bot, diary = ScriptedGame(), Recorder(), Diary()

    async def cut_off(visit: Visit) -> None:
        await visit.welcome()
        await visit.say(script.opening())
        await visit.play(script, answers_until_it_stops=3)
        await visit.refuse(grpc.StatusCode.UNAVAILABLE, "cut")

    async def go_on(visit: Visit) -> None:
        await visit.welcome()
        script.handle = 2
        await visit.say(frame(resync=pb.Resync(games=[script.resync()])))
        await visit.play(script)
        await stay_silent()

    async with TinyReferee(cut_off, go_on) as referee:
        await run_until(client(lambda: bot, referee.ticket, diary), diary.over.is_set)
    assert script.game.result is not None
    assert script.game.result.faults == (0, 0)
    assert len(bot.started) == 1
    assert bot.results[0].ending is Ending.FINISHED
    assert "lost tiny: UNAVAILABLE: cut" in diary.lines


async def test_a_referee_that_is_not_there_is_tried_again() -> None:
    diary = Diary()
    back = TinyReferee(stay)
    back.port = next(port for port in range(19_400, 19_500) if is_free("127.0.0.1", port))  # none that connections are given
    task = asyncio.create_task(client(Recorder, back.ticket, diary).run())
    await until(lambda: any(line.startswith("lost tiny: UNAVAILABLE") for line in diary.lines))
    async with back:
        await until(lambda: "connected to tiny for 8" in diary.lines)
        task.cancel()
        await asyncio.wait([task])


async def test_a_connection_may_take_its_time() -> None:
    """Half a second until the referee's first byte: a busy machine, or one that is far away."""
    ways: list[asyncio.Task[None]] = []

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float = 0.0) -> None:
        await asyncio.sleep(delay)
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()

    async with TinyReferee(stay) as referee:

        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            to_bot, to_referee = writer, await asyncio.open_connection("127.0.0.1", referee.port)
            ways.append(asyncio.create_task(pass_on(reader, to_referee[1])))
            ways.append(asyncio.create_task(pass_on(to_referee[0], to_bot, 0.5)))

        async with await asyncio.start_server(relay, "127.0.0.1", 0) as far_away:
            port = far_away.sockets[0].getsockname()[1]
            ticket = Ticket("ticket", 8, (RefereeAddress("far", f"127.0.0.1:{port}", tls=False),))
            diary = Diary()
            await run_until(client(Recorder, lambda: ticket, diary), lambda: bool(diary.lines))
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
    assert diary.lines[0] == "connected to tiny for 8"


async def test_superseded_stops_for_good() -> None:
    async def take_over(visit: Visit) -> None:
        await visit.welcome()
        await visit.say(frame(superseded=pb.Superseded(text="a newer session took over")))
        await visit.refuse(grpc.StatusCode.ABORTED, "a newer session took over")

    async with TinyReferee(take_over) as referee:
        with pytest.raises(Superseded, match="newer session"):
            await run_until(client(Recorder, referee.ticket), lambda: False)
        assert len(referee.visits) == 1


async def test_a_refused_ticket_is_replaced() -> None:
    diary = Diary()
    tickets = iter(["stale", "fresh"])

    async def check(visit: Visit) -> None:
        if visit.ticket == "stale":
            await visit.refuse(grpc.StatusCode.UNAUTHENTICATED, "the ticket has expired")
        await stay(visit)

    async with TinyReferee(check) as referee:
        running = client(Recorder, lambda: referee.ticket(next(tickets)), diary)
        await run_until(running, lambda: "connected to tiny for 8" in diary.lines)
        assert [visit.ticket for visit in referee.visits] == ["stale", "fresh"]
    assert "lost tiny: UNAUTHENTICATED: the ticket has expired" in diary.lines


async def test_a_good_ticket_is_used_again() -> None:
    fetched: list[int] = []

    async def leave_at_once(visit: Visit) -> None:
        await visit.welcome()

    async with TinyReferee(leave_at_once) as referee:

        def fetch() -> Ticket:
            fetched.append(1)
            return referee.ticket()

        await run_until(client(Recorder, fetch), lambda: len(referee.visits) == 4)
    assert len(fetched) == 1


async def test_a_site_that_is_away_is_waited_for() -> None:
    diary, troubles = Diary(), [SiteUnavailable("down"), SiteRefused(429, "too_many_requests", "slow down", wait=0.01)]

    async with TinyReferee(stay) as referee:

        def fetch() -> Ticket:
            if troubles:
                raise troubles.pop(0)
            return referee.ticket()

        await run_until(client(Recorder, fetch, diary), lambda: "connected to tiny for 8" in diary.lines)
    assert diary.lines[0] == "waiting: down. Is the address right?"
    assert diary.lines[1].startswith("waiting: the site says: slow down")


async def test_a_site_that_says_no_ends_the_client() -> None:
    def fetch() -> Ticket:
        raise SiteRefused(401, "sign_in_needed", "A valid token is needed.")

    with pytest.raises(SiteRefused, match="valid token"):
        await run_until(client(Recorder, fetch), lambda: False)


async def test_answers_of_a_slow_bot_go_out_one_by_one_and_pings_are_answered_in_between() -> None:
    import time

    class Slow(Recorder):
        def draw(self, view: View) -> Draw:
            time.sleep(0.03)
            return Draw()

    scripts = [ScriptedGame(handle=number, number=number) for number in range(1, 41)]  # the ping may take its time
    frames: list[pb.ConnectRequest] = []

    async def question_all(visit: Visit) -> None:
        await visit.welcome()
        await visit.say(*[script.opening() for script in scripts], *[script.ask() for script in scripts])
        await visit.say(frame(ping=pb.Ping(id=5)))
        while sum(len(one.messages) for one in frames) < 41:
            frames.append(await visit.read())
        await stay_silent()

    calm = Timing(ping=60.0, silence=60.0)
    async with TinyReferee(question_all) as referee:
        await run_until(client(Slow, referee.ticket, timing=calm), lambda: sum(len(one.messages) for one in frames) == 41)
    kinds = [message.WhichOneof("kind") for one in frames for message in one.messages]
    assert len(frames) > 3
    assert kinds.index("pong") < 40


async def test_every_referee_of_the_ticket_is_attended_and_new_ones_are_found() -> None:
    diary = Diary()
    often = Timing(ping=60.0, silence=60.0, shortest=0.01, longest=0.05, refresh=0.1)
    async with TinyReferee(stay) as first, TinyReferee(stay) as second:
        lists = [(first.address("a"),), (first.address("a"), second.address("b"))]

        def fetch() -> Ticket:
            return Ticket("ticket", 8, lists.pop(0) if len(lists) > 1 else lists[0])

        running = client(Recorder, fetch, diary, often)
        await run_until(running, lambda: len(first.visits) == 1 and len(second.visits) == 1)
        assert len(first.visits) == 1


async def test_a_referee_that_left_the_list_is_not_dialled_again() -> None:
    diary = Diary()

    async def send_away(visit: Visit) -> None:
        await visit.refuse(grpc.StatusCode.UNAUTHENTICATED, "go elsewhere")

    async with TinyReferee(send_away) as old, TinyReferee(stay) as new:
        lists = [(old.address("old"),), (new.address("new"),)]
        running = client(Recorder, lambda: Ticket("ticket", 8, lists.pop(0)), diary)
        await run_until(running, lambda: "connected to tiny for 8" in diary.lines)
        assert (len(old.visits), len(new.visits)) == (1, 1)


async def test_a_draining_referee_is_left_and_dialled_again() -> None:
    diary = Diary()

    async def drain(visit: Visit) -> None:
        await visit.welcome()
        await visit.say(frame(drain=pb.Drain(grace_ms=0)))

    async with TinyReferee(drain, stay) as referee:
        running = client(Recorder, referee.ticket, diary)
        await run_until(running, lambda: diary.lines.count("connected to tiny for 8") == 2)
    assert "lost tiny: the referee went away" in diary.lines


async def test_an_unreadable_frame_does_not_end_the_session() -> None:
    diary, script = Diary(), ScriptedGame()

    async def nonsense(visit: Visit) -> None:
        await visit.welcome()
        broken = script.invite()
        broken.match_id = b""
        await visit.say(joined(frame(invite=broken), script.opening()))
        await visit.play(script)
        await stay_silent()

    async with TinyReferee(nonsense) as referee:
        await run_until(client(Recorder, referee.ticket, diary), diary.over.is_set)
    assert diary.lines == ["connected to tiny for 8", "game over"]


def test_pauses_grow_up_to_a_bound_and_begin_anew() -> None:
    timing = Timing()
    backoff = Backoff(timing)
    pauses = [backoff.next() for _ in range(2000)]
    assert pauses[0] <= 0.4
    assert all(0.2 <= pause <= 5.0 for pause in pauses)
    assert max(pauses) > 3.0
    backoff.reset()
    assert backoff.next() <= 0.4


def test_no_games_at_once_is_refused() -> None:
    with pytest.raises(WrongInput, match="at least one game"):
        Client(maker(Recorder), lambda: Ticket("t", 1, ()), 0)
