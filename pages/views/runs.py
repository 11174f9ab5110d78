"""Runs: all runs of this store, newest first."""

from pages.parts import runs_view
from pages.parts.client import lab

runs_view.show(lab())
