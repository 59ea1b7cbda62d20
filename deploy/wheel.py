"""A wheel whose busiest modules are compiled: a build hook of hatchling's, for whoever wants speed and has a C compiler.

mypyc turns ordinary typed modules into C. The Python files stay beside what they became, mean the same, and are what runs
where nothing was compiled. Enabled by `HATCH_BUILD_HOOKS_ENABLE=1 pip install .`; `dev.py bench` does it by itself.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_ENGINE: Final = (
    "apply check closing decide default_move game hits holding lays legal melds observe scoring search settle shuffle state"
)
_WIRE: Final = "cards enums events fields melds moves view"
_SERVICE: Final = "batch clock containment game messages meter outbox pieces seats session telling"
_SDK: Final = "games session"

#: What every decision goes through. Not among them, because mypyc cannot have them or makes them no faster: cards, integers
#: of a class of their own; values and what is made by them (moves, events); what authors derive theirs from; and what calls
#: their code, because frames are looked for there (`bots_sdk/stopping.py`).
MODULES: Final = (
    *(f"referee/engine/{name}.py" for name in _ENGINE.split()),
    *(f"referee/wire/{name}.py" for name in _WIRE.split()),
    *(f"referee/service/{name}.py" for name in _SERVICE.split()),
    *(f"bots_sdk/{name}.py" for name in _SDK.split()),
    "bots_sdk/house_bots/habits.py",
)
NAMES: Final = tuple(module.removesuffix(".py").replace("/", ".") for module in MODULES)
# Other people's types are left out: their objects are then used as Python uses them, without a guess at what they hold. So
# modules that are not compiled may seem wrong where other people's are not installed; `dev.py check` sees all of it.
OPTIONS: Final = """
[mypy]
cache_dir = {cache}
python_version = 3.11
ignore_missing_imports = True
ignore_errors = True
[mypy-phaseten.*,google.*]
follow_imports = skip
[mypy-{compiled}]
ignore_errors = False
"""


class CompiledWheel(BuildHookInterface):  # type: ignore[type-arg] # its configuration is of no interest
    """What hatchling calls."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and put the results beside the modules. Raises what mypyc and the C compiler complain of."""
        if version == "editable":  # its modules change under our feet
            return
        self._made = tempfile.TemporaryDirectory(prefix="phaseten-compiled-")
        made = Path(self._made.name)
        with _inside(Path(self.root)):
            compile_modules(made)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        libraries = made / "lib"
        found = sorted(libraries.rglob("*.so"))
        if len(found) < len(MODULES):
            raise RuntimeError(f"{len(MODULES)} modules were to be compiled, and {len(found)} libraries were made")
        for library in found:
            build_data["force_include"][str(library)] = str(library.relative_to(libraries))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002  hatchling's
        """The wheel is written."""
        made = getattr(self, "_made", None)
        if made is not None:
            made.cleanup()


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Modules are found from where the compiler stands."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def compile_modules(made: Path) -> None:
    """Compile MODULES of the current folder; libraries go to `made/lib`, everything else that comes up to `made`."""
    from mypyc.build import mypycify
    from setuptools import Distribution

    options = made / "mypy.ini"
    options.write_text(OPTIONS.format(compiled=",".join(NAMES), cache=made / "types"))
    extensions = mypycify(
        [f"--config-file={options}", *MODULES],
        opt_level="2",
        debug_level="0",
        multi_file=True,
        target_dir=str(made / "c"),
        group_name="phaseten_compiled",
    )
    command = Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(made / "lib"), str(made / "objects")
    command.parallel = os.cpu_count()
    command.ensure_finalized()
    command.run()
