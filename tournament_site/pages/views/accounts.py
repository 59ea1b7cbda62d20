"""Sign-up, log-in, log-out."""

from django.contrib.auth import login, logout
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from tournament_site.common.errors import Refused
from tournament_site.common.throttle import SIGN_UP_BY_ADDRESS, address_of, spend
from tournament_site.pages import forms

UNPROCESSABLE = 422


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Make an account and be logged in."""
    if request.user.is_authenticated:
        return redirect("my-bots")
    form = forms.SignUp(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        try:
            spend(SIGN_UP_BY_ADDRESS, address_of(request))
            user = form.save()
        except Refused as refused:
            user = None
            form.add_error(None, refused.detail)
        if user is not None:
            login(request, user)
            return redirect("my-bots")
    return render(request, "accounts/sign_up.html", {"form": form}, status=UNPROCESSABLE if form.errors else 200)


class LogIn(LoginView):
    """Django's log-in with our form and page."""

    template_name = "accounts/log_in.html"
    authentication_form = forms.LogIn
    redirect_authenticated_user = True

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=UNPROCESSABLE)


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """End the session."""
    logout(request)
    return redirect("front")
