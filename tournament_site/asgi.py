"""The site as an ASGI application."""

from django.core.asgi import get_asgi_application

from tournament_site.settings import announce, require

announce()
require()
application = get_asgi_application()
