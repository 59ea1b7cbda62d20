"""Django's generic classes: they take a type in their stubs only, not when they run."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
    ModelForm = forms.ModelForm[Any]
    PeopleAdmin = UserAdmin[Any]
    NewPersonForm = AdminUserCreationForm[Any]
    PersonForm = UserChangeForm[Any]
else:
    ModelAdmin = admin.ModelAdmin
    TabularInline = admin.TabularInline
    ModelForm = forms.ModelForm
    PeopleAdmin = UserAdmin
    NewPersonForm = AdminUserCreationForm
    PersonForm = UserChangeForm
