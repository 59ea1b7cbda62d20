"""All addresses of the site."""

from importlib.util import find_spec

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from tournament_site import health
from tournament_site.api import api

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("healthz", health.alive),
    path("readyz", health.ready),
]
# The pages are a layer of their own: the API and the administration stand without them.
if find_spec("tournament_site.pages") and find_spec("tournament_site.pages.urls"):
    urlpatterns.append(path("", include("tournament_site.pages.urls")))
