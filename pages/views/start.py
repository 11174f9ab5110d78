"""Start: what this is, one button that shows it, the ways in, and what goes on."""

from pages.parts import start_view
from pages.parts.client import lab

start_view.show(lab())
