"""Settings: complete, or a list of everything that is wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.service.settings import Settings, SettingsError
from referee.service.tickets import key_id
from tests.service.client import new_key, public_pem


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "ticket key.pem"
    path.write_bytes(public_pem(new_key()))
    return path


def read(**variables: object) -> Settings:
    return Settings.from_env({f"PHASETEN_REFEREE_{name}": str(value) for name, value in variables.items()})


def problems(**variables: object) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as wrong:
        read(**variables)
    return wrong.value.problems


def test_two_variables_are_enough(key_file: Path) -> None:
    settings = read(ID="north", TICKET_PUBLIC_KEY_FILE=key_file)
    assert settings.referee == "north"
    assert settings.bind == "127.0.0.1:7010"
    assert settings.control_bind == "127.0.0.1:7011"
    assert settings.metrics_bind is None
    assert settings.tls is None


def test_every_variable_is_read(key_file: Path, tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    certificate.write_bytes(b"cert")
    key.write_bytes(b"key")
    settings = read(
        ID="north",
        TICKET_PUBLIC_KEY_FILE=key_file,
        BIND="0.0.0.0:1",
        CONTROL_BIND="[::1]:2",
        MAX_GAMES=3,
        MAX_RECORD_BYTES=4,
        GRACE_SECONDS="0.5",
        METRICS_BIND="127.0.0.1:5",
        JOURNAL_FILE=tmp_path / "journal",
        TLS_CERT_FILE=certificate,
        TLS_KEY_FILE=key,
        LOG_LEVEL="warning",
    )
    assert (settings.bind, settings.control_bind, settings.metrics_bind) == ("0.0.0.0:1", "[::1]:2", "127.0.0.1:5")
    assert (settings.max_games, settings.max_record_bytes, settings.grace) == (3, 4, 0.5)
    assert (settings.log_level, settings.journal) == ("WARNING", tmp_path / "journal")
    assert settings.tls is not None
    assert (settings.tls.certificate, settings.tls.key) == (b"cert", b"key")
    assert "key" not in repr(settings.tls).replace("key=", "")


def test_two_keys_in_one_file_are_both_trusted(tmp_path: Path) -> None:
    old, new = new_key(), new_key()
    path = tmp_path / "keys.pem"
    path.write_bytes(public_pem(old, new))
    settings = read(ID="north", TICKET_PUBLIC_KEY_FILE=path)
    assert set(settings.keys.keys) == {key_id(old.public_key()), key_id(new.public_key())}


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("ID", "two words", "without blanks"),
        ("BIND", "7010", "host:port"),
        ("BIND", "host:70100", "host:port"),
        ("CONTROL_BIND", ":7011", "host:port"),
        ("METRICS_BIND", "host:", "host:port"),
        ("MAX_GAMES", "0", "above 0"),
        ("MAX_RECORD_BYTES", "many", "above 0"),
        ("GRACE_SECONDS", "-1", "seconds"),
        ("GRACE_SECONDS", "soon", "seconds"),
        ("LOG_LEVEL", "LOUD", "one of"),
        ("TICKET_PUBLIC_KEY_FILE", "/nowhere/key.pem", "cannot be read"),
        ("TICKET_PUBLIC_KEY_FILE", str(Path(__file__).with_name("client.py")), "holds no public key"),
        ("JOURNAL_FILE", "/nowhere/at/all", "in a folder that exists"),
        ("JOURNAL_FILE", "/", "must be a file"),
        ("JOURNAL_FILE", "/dev/null", "must be a file"),
        ("JOURNAL_FILE", "/" + "long" * 100, "name too long"),
        ("TLS_CERT_FILE", __file__, "go together"),
        ("TLS_KEY_FILE", __file__, "go together"),
    ],
)
def test_a_wrong_value_is_named(key_file: Path, variable: str, value: str, said: str) -> None:
    given = {"ID": "north", "TICKET_PUBLIC_KEY_FILE": key_file} | {variable: value}
    found = problems(**given)
    assert len(found) == 1
    assert "PHASETEN_REFEREE_" + variable in found[0]
    assert said in found[0]


def test_all_problems_come_at_once() -> None:
    found = problems(BIND="x", MAX_GAMES="x", LOG_LEVEL="x", TLS_CERT_FILE="/nowhere/at/all")
    assert len(found) == 6
    assert any("_ID is not set" in problem for problem in found)
    assert any("_TICKET_PUBLIC_KEY_FILE is not set" in problem for problem in found)


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import x25519

    public = x25519.X25519PrivateKey.generate().public_key()
    path = tmp_path / "key.pem"
    path.write_bytes(public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    assert "not Ed25519" in problems(ID="north", TICKET_PUBLIC_KEY_FILE=path)[0]
    path.write_bytes(b"-----BEGIN PUBLIC KEY-----\nnonsense\n-----END PUBLIC KEY-----\n")
    assert "cannot be read" in problems(ID="north", TICKET_PUBLIC_KEY_FILE=path)[0]


def test_the_process_names_its_problems_and_exits_with_2() -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PHASETEN_")}
    done = subprocess.run(
        [sys.executable, "-m", "referee.service"],
        env=env | {"PHASETEN_REFEREE_BIND": "nonsense"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("phaseten-referee: PHASETEN_REFEREE_") for line in lines)
