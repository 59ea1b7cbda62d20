"""Static files under names that hold their digest."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]  # it ships no types


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # its base is untyped
    """Also rewrites `import './x.js'` inside our ES modules, so that they can be cached for ever too."""

    support_js_module_import_aggregation = True

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Only what changed: collecting again at each start has to be quick."""
        yield from super().compress_files([path for path in paths if not self._is_compressed(path)])

    def _is_compressed(self, path: str) -> bool:
        file = Path(self.path(path))
        packed = file.with_name(file.name + ".gz")
        return packed.exists() and packed.stat().st_mtime >= file.stat().st_mtime
