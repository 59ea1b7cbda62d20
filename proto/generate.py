"""Writes proto/gen from the schema, or with --check says whether what is there is fresh.

Runs under any Python; the generator itself lives in `.venv-proto`, made from requirements/proto.lock, because the version
that old protobuf runtimes can read cannot share a venv with the runtime of the servers. `--baseline` writes the image that
`buf breaking` compares with; do that once, when a version of the schema is published.
"""

import argparse
import filecmp
import hashlib
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
GEN = PROTO / "gen"
VENV = ROOT / ".venv-proto"
LOCK = ROOT / "requirements" / "proto.lock"


def generator() -> Path:
    """The Python of the generator's venv, which is made when it is missing or its lock has changed."""
    python = VENV / "bin" / "python"
    stamp = VENV / "lock.sha256"
    wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    venv.EnvBuilder(with_pip=True, clear=True).create(VENV)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    subprocess.run([*pip, "-r", str(LOCK)], check=True)
    stamp.write_text(wanted)
    return python


def generate(python: Path, out: Path) -> None:
    """Runs protoc over all schema files into `out`, which then is a package root."""
    files = sorted(str(path.relative_to(PROTO)) for path in (PROTO / "phaseten").rglob("*.proto"))
    subprocess.run(
        [
            str(python), "-m", "grpc_tools.protoc", "-I.",
            f"--python_out={out}", f"--grpc_python_out={out}", f"--mypy_out={out}", f"--mypy_grpc_out={out}",
            *files,
        ],
        cwd=PROTO,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": f"{python.parent}:/usr/bin:/bin"},
    )  # fmt: skip
    for path in [path for path in out.rglob("*_pb2_grpc.py") if "class " not in path.read_text()]:
        path.unlink()  # a file of messages without a service
        path.with_suffix(".pyi").unlink()
    for folder in (out / "phaseten", out / "phaseten" / "v1"):
        (folder / "__init__.py").write_text('"""Generated from proto/; run `python3 dev.py proto`, never edit."""\n')
    (out / "phaseten" / "py.typed").write_text("")


def listing(root: Path) -> dict[str, Path]:
    """The generated files below a root, by relative name."""
    return {
        str(path.relative_to(root)): path
        for path in sorted(root.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def stale(fresh: Path) -> list[str]:
    """Names of files in proto/gen that differ from fresh ones, are missing, or should not be there."""
    new, old = listing(fresh), listing(GEN)
    same = {name for name in new.keys() & old.keys() if filecmp.cmp(new[name], old[name], shallow=False)}
    return sorted((new.keys() | old.keys()) - same)


def replace(fresh: Path) -> None:
    """Makes proto/gen hold exactly the fresh files."""
    old = listing(GEN)
    for name, path in listing(fresh).items():
        target = GEN / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
        old.pop(name, None)
    for path in old.values():
        path.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if proto/gen is not fresh")
    parser.add_argument("--baseline", action="store_true", help="write proto/baseline.binpb for `buf breaking`")
    arguments = parser.parse_args()
    if arguments.baseline:
        subprocess.run(["buf", "build", "-o", "baseline.binpb"], cwd=PROTO, check=True)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            generate(generator(), Path(folder))
        except subprocess.CalledProcessError as failed:
            print(failed.stderr or f"{failed.cmd[0]} failed with {failed.returncode}", file=sys.stderr)
            return 1
        names = stale(Path(folder))
        if not arguments.check:
            replace(Path(folder))
        for name in names:
            print(f"{'stale' if arguments.check else 'written'}: proto/gen/{name}")
    if arguments.check and names:
        print("run `python3 dev.py proto` and commit what it writes")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
