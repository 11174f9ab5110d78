"""Forecast: rows without a target, forecast by a finished run."""

from pages.parts import forecast_view
from pages.parts.client import lab

forecast_view.show(lab())
