"""The state directory: private, locked, with short ways to sockets."""

import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from deploy.local.errors import LocalError
from deploy.local.state import SOCKET_PATH_LIMIT, State, usable_for_sockets, write_private


def test_secrets_are_made_once_and_for_the_owner_only(tmp_path: Path) -> None:
    state = State(tmp_path / "state")
    secret = state.secret("site-secret")
    assert len(secret) >= 32
    assert State(tmp_path / "state").secret("site-secret") == secret
    assert state.secret("another") != secret
    assert (tmp_path / "state" / "keys" / "site-secret").stat().st_mode & 0o777 == 0o600


def test_ticket_keys_belong_together_and_stay(tmp_path: Path) -> None:
    private, public = State(tmp_path).ticket_keys()
    before = private.read_bytes(), public.read_bytes()
    assert State(tmp_path).ticket_keys() == (private, public)
    assert (private.read_bytes(), public.read_bytes()) == before
    assert private.stat().st_mode & 0o777 == 0o600
    key = load_pem_private_key(before[0], password=None)
    assert key.public_key() == load_pem_public_key(before[1])


def test_a_missing_half_makes_a_new_pair(tmp_path: Path) -> None:
    _, public = State(tmp_path).ticket_keys()
    public.unlink()
    private, public = State(tmp_path).ticket_keys()
    key = load_pem_private_key(private.read_bytes(), password=None)
    assert key.public_key() == load_pem_public_key(public.read_bytes())


def test_what_a_house_is_told_is_kept_for_its_owner_while_it_runs(tmp_path: Path) -> None:
    state = State(tmp_path / "state")
    assert not state.in_use
    with state.locked():
        assert State(state.root).in_use
        with pytest.raises(LocalError, match="is not up yet"):
            state.environment()
        state.keep_environment({"DATABASE_URL": "postgres://", "PHASETEN_SITE_BIND": "here", "EDITOR": "ed"})
        assert State(state.root).environment() == {"DATABASE_URL": "postgres://", "PHASETEN_SITE_BIND": "here"}
    assert (state.root / "environment.json").stat().st_mode & 0o777 == 0o600
    assert not state.in_use


def test_the_lock_is_free_after_its_holder(tmp_path: Path) -> None:
    with State(tmp_path).locked(), pytest.raises(LocalError, match=f"process {os.getpid()}"):  # noqa: SIM117 - one block each, so that it is clear who raises
        with State(tmp_path).locked():
            pass
    with State(tmp_path).locked():
        pass


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(LocalError, match=f"cannot keep state in {tmp_path}/state"):  # noqa: SIM117 - one block each, so that it is clear who raises
        with State(tmp_path / "state").locked():
            pass


def test_sockets_are_at_home_where_the_path_is_short() -> None:
    assert usable_for_sockets(Path("/srv/phaseten/.phaseten/run"))
    assert not usable_for_sockets(Path("/srv/with spaces/run"))
    assert not usable_for_sockets(Path("/" + "x" * SOCKET_PATH_LIMIT))


def test_sockets_move_out_of_a_long_path_and_leave_nothing_there(tmp_path: Path) -> None:
    state = State(tmp_path / ("x" * 120))
    first = state.socket_folder()
    assert usable_for_sockets(first)
    assert first.stat().st_mode & 0o077 == 0
    # killed; the next start finds what was left
    second = State(tmp_path / ("x" * 120)).socket_folder()
    assert not first.exists()
    state.remove_temporary_sockets()
    assert not second.exists()


def test_a_private_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    (tmp_path / "file.new").write_text("left by somebody who was interrupted")
    write_private(path, b"new")
    assert path.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_demo_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match=r"demo\.json"):
        State(tmp_path).demo()
