"""Static files under names that hold their digest."""

from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]  # it ships no types


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # its base is untyped
    """Also rewrites `import './x.js'` inside our ES modules, so that they can be cached for ever too."""

    support_js_module_import_aggregation = True
