"""What the web process must not carry."""

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def test_the_pages_never_load_torch_or_the_algorithm():
    names = sorted(path.stem for path in (PROJECT / "pages" / "parts").glob("*.py") if path.stem != "__init__")
    assert "client" in names
    program = f"""
import importlib, sys
for name in {names}:
    importlib.import_module(f"pages.parts.{{name}}")
heavy = ("torch", "plm_engine.learning", "plm_engine.parallel", "plm_engine.training")
print([name for name in sys.modules if name.startswith(heavy)])
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
