"""Long scenes as commands; CI runs a short form of each (``tests/test_scenes.py``)."""
