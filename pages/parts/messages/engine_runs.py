"""Sentences of the engine ... ."""

from __future__ import annotations

TEXTS: dict[str, str] = {}
