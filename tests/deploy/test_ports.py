import socket

from deploy.local.house import HOST, Ports
from deploy.local.ports import is_free, pick
from tests import workers


def test_a_taken_port_is_passed_over() -> None:
    taken = pick(HOST, 20500 + 200 * workers.number())  # none that connections, or others who look for one, are given
    with socket.socket() as holder:
        holder.bind((HOST, taken))
        holder.listen()
        assert not is_free(HOST, taken)
        assert pick(HOST, taken) != taken
    assert is_free(HOST, taken)
    assert pick(HOST, taken) == taken


def test_a_port_promised_to_another_is_passed_over() -> None:
    free = pick(HOST, 20000)
    assert pick(HOST, free, taken=[free]) != free


def test_there_is_something_above_the_last_port() -> None:
    assert pick(HOST, 65535, taken=[65535]) < 65535


def test_every_port_that_moved_is_told() -> None:
    assert Ports().moved() == []
    assert Ports(8001, 7010, 7012).moved() == [
        "port 8000 is taken: the site is on 8001",
        "port 7011 is taken: the site reaches the referee on 7012",
    ]
    assert Ports(9000).moved(9000) == []


def test_several_referees_are_told_apart() -> None:
    ports = Ports(more=((7012, 7013), (7020, 7015)))
    assert ports.referees == {"referee-1": (7010, 7011), "referee-2": (7012, 7013), "referee-3": (7020, 7015)}
    assert ports.moved() == ["port 7014 is taken: bots dial referee-3 on 7020"]


def test_every_referee_has_ports_of_its_own() -> None:
    ports = Ports.free(7010, referees=4)
    assert len({ports.site, *(port for pair in ports.referees.values() for port in pair)}) == 9


def test_the_three_ports_differ() -> None:
    ports = Ports.free(7010)
    assert len({ports.site, ports.referee, ports.control}) == 3
