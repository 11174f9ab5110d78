"""Every sentence that the engine can utter, read from its source, with made-up values in the blanks."""

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[2] / "plm_engine"
#: said on the command line, in a table of a benchmark, or by a library call only: no page shows it
NO_PAGE = re.compile(
    r"^(benchmarks/|cli|hosts|joining|datasets/inspect|estimator|network|parallel/wrap|training_rows|onnx_shape)"
)
#: what stops the program, or is told to programmers: no visitor can put it right
NOT_SHOWN = {"BugError", "ValueError", "TypeError", "KeyError", "AttributeError", "RuntimeError", "PeerLostError"}
SHOWN = {
    "UserError", "ConfigError", "DataError", "ContradictionError", "NumericalError", "UnavailableError", "RunError",
    "EndedError", "Finding", "Notice",
}  # fmt: skip
#: a text that ends like a sentence, or is a long one that ends with what somebody else said
_SENTENCE = re.compile(r"[A-Z{'].*[a-z].* .*[.?]$|[A-Z].{25,}\{\}$", re.DOTALL)
_LOGGED = re.compile(r"%[sd(]|^SELECT ")
#: what helpers of the engine put into a blank
MADE = {
    "data_rows": "data rows 4, 5", "some": "4, 5", "flag": "--goal", "_rows": "rows 4, 5",
    "shown": "'abc'", "len": "7", "_short": "7.5", "_number": "7.5", "allowed": "at least 1", "_took": "abc",
    "_columns_that_can": "Columns with numbers: 'abc'.", "_type_words": "text", "signal_name": "SIGKILL",
    "missing": "needs 2 CUDA GPUs; none found",
}  # fmt: skip
MOST, DEEPEST = 256, 4
OPAQUE = ("7", "'abc'", "abc")


class Reader:
    """The texts that an expression can become; what is not written in the function is one of the opaque values."""

    def __init__(self, function: ast.AST, module: "Reader | None" = None) -> None:
        self.written: dict[str, list[ast.expr]] = {} if module is None else dict(module.written)
        for node in ast.walk(function):
            for target in node.targets if isinstance(node, ast.Assign) else ():
                names, values = [target], [node.value]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    names, values = list(target.elts), list(node.value.elts)
                for name, value in zip(names, values, strict=False):
                    if isinstance(name, ast.Name):
                        self.written.setdefault(name.id, []).append(value)

    def texts(self, node: ast.expr, spec: str = "", depth: int = 0) -> list[tuple[str, ...]]:
        """Return the alternatives of an expression; each is a tuple of texts of which one is told in Chinese."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return [(node.value,)]
        if isinstance(node, ast.JoinedStr):
            return joined([self.piece(value, depth) for value in node.values])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and strings(node):
            return joined([self.texts(node.left, "", depth), self.texts(node.right, "", depth)])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Constant):
            return [("",), (str(node.left.value),)] if isinstance(node.left.value, str) else [OPAQUE[:1]]
        if isinstance(node, ast.IfExp):
            return self.texts(node.body, spec, depth) + self.texts(node.orelse, spec, depth)
        if isinstance(node, ast.BoolOp):
            return [one for value in node.values for one in self.texts(value, spec, depth)]
        if isinstance(node, ast.Call):
            if called(node) == "counted":
                return [(f"7 {getattr(node.args[1], 'value', 'row')}s",)]
            if called(node) == "join" and isinstance(node.args[0], ast.GeneratorExp) and strings(node.args[0].elt):
                none = [("",)] if not getattr(node.func.value, "value", True) else []  # ", ".join never has no items
                return [*none, *self.texts(node.args[0].elt, "", depth)]
            return [(MADE[called(node)],)] if called(node) in MADE else [OPAQUE]
        if isinstance(node, ast.Name) and depth < DEEPEST:
            known = [one for one in self.written.get(node.id, ()) if strings(one) or called(one) in (*MADE, "join")]
            if known:
                return [one for value in known for one in self.texts(value, spec, depth + 1)]
        if isinstance(node, ast.Subscript):
            return [(*OPAQUE, "There are no test rows to judge by.")]
        return [("7",)] if re.search(r"[,.\dgfde%]+$", spec) else [OPAQUE]

    def piece(self, value: ast.expr, depth: int) -> list[tuple[str, ...]]:
        if not isinstance(value, ast.FormattedValue):
            return self.texts(value, "", depth)
        if value.conversion == ord("r"):
            return [("'abc'",)]
        spec = ast.unparse(value.format_spec).strip("f'\"") if value.format_spec else ""
        return self.texts(value.value, spec, depth)


def strings(node: ast.expr) -> bool:
    """Return whether an expression is, in some case, a text that is written in the source."""
    if isinstance(node, ast.IfExp):
        return strings(node.body) or strings(node.orelse)
    if isinstance(node, ast.BinOp):
        return strings(node.left) or strings(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def joined(pieces: list[list[tuple[str, ...]]]) -> list[tuple[str, ...]]:
    """Return every way to put alternatives one after the other."""
    ways = list(itertools.islice(itertools.product(*pieces), 64))
    return [tuple("".join(one) for one in itertools.islice(itertools.product(*way), MOST)) for way in ways]


def called(node: ast.AST) -> str:
    return getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""


def sentences() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (place, ways to fill it in) for every sentence and every alternative within it."""
    for path in sorted(ENGINE.rglob("*.py")):
        name = str(path.relative_to(ENGINE))
        if NO_PAGE.match(name):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for place, node, reader in spoken(tree):
            for way in reader.texts(node):
                yield f"{name}:{place}", tuple(" ".join(text.split()) for text in way)


def spoken(tree: ast.Module) -> Iterator[tuple[int, ast.expr, Reader]]:
    """Yield every expression that people read: arguments of errors and findings, and whatever looks like a sentence."""
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    hidden = {id(sub) for node in ast.walk(tree) if called(node) in NOT_SHOWN for sub in ast.walk(node)}
    inner: set[int] = set()
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    whole = Reader(ast.Module([node for node in tree.body if isinstance(node, ast.Assign)], []))
    readers = {id(sub): reader for f in functions for reader in [Reader(f, whole)] for sub in ast.walk(f)}
    for node in ast.walk(tree):
        if id(node) in docs or id(node) in hidden or id(node) in inner:
            continue
        if called(node) in SHOWN:
            first = [arg for arg in node.args if strings(arg)][:1]
            found = [arg for arg in first if " " in ast.unparse(arg)]
        elif isinstance(node, ast.JoinedStr | ast.Constant) and _SENTENCE.match(outline(node)):
            found = [] if _LOGGED.search(outline(node)) else [node]
        else:
            continue
        for one in found:
            inner |= {id(sub) for sub in ast.walk(one)}
            yield one.lineno, one, readers.get(id(one), whole)


def outline(node: ast.expr) -> str:
    """Return a text with ``{}`` in its blanks."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)
    return str(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
