"""The rules of the house, read from the source: who imports whom, how long a file is, what is never written."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
ENGINE = PROJECT / "plm_engine"

BASE = {"errors", "options", "config", "config_fields", "config_limits", "events", "modes"}
FILES = {"store", "processes", "machine", "launch", "predict", "report", "series", "detach", "supervise", "limits"}
FILES |= {"pace", "run_log", "tracking"}
RANKS = {"torchrun", "hosts", "multirank"}
HEAVY = {"torch", "torch.distributed", "streamlit"}
#: layer -> (modules of plm_engine it may import, third-party modules it must not import)
LAYERS: dict[str, tuple[set[str], set[str]]] = {
    **dict.fromkeys(BASE, (BASE, {*HEAVY, "numpy", "pandas", "sklearn"})),
    "datasets": (BASE | {"datasets", "evaluation"}, HEAVY),
    "evaluation": (BASE | {"datasets", "evaluation"}, HEAVY),
    "network": (BASE, {"torch.distributed", "streamlit"}),
    "parallel": (BASE | {"network", "parallel"}, {"streamlit"}),
    "learning": (BASE | {"network", "learning", "parallel.strategy"}, {"torch.distributed", "streamlit", "pandas"}),
    "store": (BASE | {"store"}, {*HEAVY, "numpy", "pandas"}),
    **dict.fromkeys(FILES - {"store"}, (BASE | FILES | {"datasets", "cli"}, HEAVY)),
    **dict.fromkeys(RANKS - {"torchrun"}, (BASE | FILES | RANKS, HEAVY)),
    "torchrun": (BASE | FILES | RANKS, {"streamlit"}),  # it is torchrun, with a report
}
PAGES_NEVER = {"training", "learning", "parallel", "lesson", "worker", "network", "checkpoints"}


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((PROJECT / folder).rglob("*.py"))]


def imports_of(path: Path, *, top_only: bool = False) -> set[str]:
    """Return the dotted names a file imports, apart from those that only the type checker sees."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            return
        if top_only and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree)
    return names


def layer_of(path: Path) -> str:
    part = path.relative_to(ENGINE).parts[0]
    return part.removesuffix(".py")


@pytest.mark.parametrize("path", sources("plm_engine"), ids=lambda p: str(p.relative_to(PROJECT)))
def test_every_layer_imports_only_what_it_may(path):
    layer = layer_of(path)
    names = imports_of(path)
    assert not any(name.split(".")[0] == "streamlit" for name in names), "Streamlit inside the engine"
    if layer not in LAYERS:
        return
    allowed, never = LAYERS[layer]
    for name in names:
        root = name.split(".")[0]
        assert not any(name == bad or name.startswith(bad + ".") for bad in never), f"{layer} must not import {name}"
        if root == "plm_engine" and name != "plm_engine":
            inside = name.removeprefix("plm_engine.")
            ok = inside == "__version__" or any(inside == a or inside.startswith(a + ".") for a in allowed)
            package = any(a.startswith(inside + ".") for a in allowed)  # "from plm_engine.parallel import strategy"
            assert ok or package, f"{layer} must not import {name}"


@pytest.mark.parametrize("path", [*sources("pages"), PROJECT / "app.py"], ids=lambda p: str(p.relative_to(PROJECT)))
def test_pages_never_load_torch_or_the_training_side(path):
    for name in imports_of(path):
        assert name.split(".")[0] != "torch"
        assert not any(name.startswith(f"plm_engine.{bad}") for bad in PAGES_NEVER), name


def test_only_the_parallel_layer_knows_torch_distributed():
    users = {path for path in sources("plm_engine") if any(n.startswith("torch.distributed") for n in imports_of(path))}
    assert users
    # torchrun starts the ranks, joining hands them the table over the same rendezvous
    assert {layer_of(path) for path in users} == {"parallel", "torchrun", "joining"}


@pytest.mark.parametrize(
    "name", ["cli", "cli_options", "cli_follow", "cli_bench", "launch", "__main__", "store/sqlite"]
)
def test_the_command_line_starts_light(name):
    loaded = {n.split(".")[0] for n in imports_of(ENGINE / f"{name}.py", top_only=True)}
    assert not loaded & {"torch", "pandas", "numpy", "sklearn", "pyarrow", "scipy"}


def test_the_algorithm_does_not_print_or_store():
    for path in sources("plm_engine/learning"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        assert not calls & {"print", "open"}, path


@pytest.mark.parametrize("path", sources("plm_engine", "pages"), ids=lambda p: str(p.relative_to(PROJECT)))
def test_files_stay_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 330


def test_no_pickle_is_loaded_anywhere():
    for path in sources("plm_engine", "pages"):
        names = imports_of(path)
        assert not {n.split(".")[0] for n in names} & {"pickle", "joblib", "dill", "cloudpickle"}, path
        text = path.read_text(encoding="utf-8")
        assert "allow_pickle=True" not in text, path
        assert "torch.load" not in text, path


@pytest.mark.parametrize(
    "command", [["ruff", "format", "--check", "."], ["ruff", "check", "."], ["mypy"]], ids=["format", "lint", "types"]
)
@pytest.mark.slow
def test_static_checks_are_clean(command):
    import sys

    done = subprocess.run([sys.executable, "-m", *command], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
