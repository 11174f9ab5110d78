"""Texts of ... ."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {}
