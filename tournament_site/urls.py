"""All addresses of the site."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from tournament_site import health
from tournament_site.api import api

admin.site.site_header = admin.site.site_title = "phaseten: administration"

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("", include("tournament_site.pages.urls")),
]
