"""What the Data page shows of a table: facts, findings, unreadable cells, a preview and the split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import charts, reading_forms, role_forms, words
from pages.parts import choice as choices
from pages.parts.choice import Choice
from pages.parts.client import Lab, unit_of
from pages.parts.language import counted, say, told
from pages.parts.live_chart import show_chart
from pages.parts.messages import MESSAGES
from plm_engine.datasets.export import csv_bytes
from plm_engine.datasets.prepare import Prepared
from plm_engine.datasets.table import Finding, Table
from plm_engine.errors import UserError

PREVIEW_ROWS, PREVIEW_COLUMNS, SHOWN_FINDINGS = 200, 60, 5


def facts(columns: Sequence[Any], table: Table, prepared: Prepared | None) -> None:
    """Show, in four columns and below them, how much of the table was read and can be used."""
    file = table.format
    numbers = {
        "rows_read": f"{table.n_rows_read:,}",
        "rows_used": f"{prepared.n_used:,}" if prepared else "–",
        "unreadable": f"{len(table.rejected):,}",
        "columns": f"{len(table.columns):,}",
    }
    for column, (name, value) in zip(columns, numbers.items(), strict=True):
        column.metric(say(f"data.{name}"), value, help=say(f"data.{name}_help"))
    parts = [say(f"format.{file.kind}") if f"format.{file.kind}" in MESSAGES else file.kind.capitalize()]
    if file.encoding:
        mark = say("decimal.point" if file.decimal == "." else "decimal.comma")
        named = f"separator.{file.separator}"
        between = say(named) if named in MESSAGES else file.separator
        parts += [say("format.encoding", name=file.encoding), say("format.separator", name=between)]
        parts.append(say("format.decimal", name=mark))
    if file.sheet:
        parts.append(say("format.sheet", name=file.sheet))
    if file.header_row:
        parts.append(say("format.header", n=file.header_row))
    st.caption(words.plain(" · ".join(parts)))


def findings(found: Sequence[Finding]) -> None:
    """Show errors and warnings at once, the first few in full, and remarks behind a fold."""
    remarks = [f for f in found if f.severity == "info"]
    urgent = sorted((f for f in found if f.severity in ("error", "warning")), key=lambda f: f.severity != "error")
    for finding in urgent[:SHOWN_FINDINGS]:
        if finding.severity == "error":
            st.error(words.shown(finding.sentence), icon=":material/error:")
        else:
            st.warning(words.shown(finding.sentence), icon=":material/warning:")
    rest = [*urgent[SHOWN_FINDINGS:], *remarks]
    if rest:
        with st.expander(counted("more_remark", len(rest))):
            st.markdown("\n".join(f"- {words.shown(finding.sentence)}" for finding in rest))


def rejected(table: Table) -> None:
    """List the cells that could not be read, with the lines of the file, and offer the list as a file."""
    if not table.rejected:
        return
    listed = pd.DataFrame(
        [(r.row, r.line, r.column or say("rejected.whole"), r.text, told(r.reason)) for r in table.rejected],
        columns=[say(f"rejected.{name}") for name in ("row", "line", "column", "cell", "reason")],
    )
    with st.expander(counted("rejected", len(listed))):
        st.dataframe(listed, hide_index=True)
        st.download_button(
            say("rejected.download"),
            csv_bytes(listed),
            "unreadable_cells.csv",
            "text/csv",
            on_click="ignore",
            help=say("rejected.download_help"),
        )


def preview(table: Table) -> None:
    """Show the first rows as they were read."""
    frame = table.frame.iloc[:PREVIEW_ROWS, :PREVIEW_COLUMNS]
    with st.expander(say("preview.title", rows=counted("row", len(frame)))):
        if not len(table.frame):
            st.caption(say("preview.none", size=told(table.size)))
            return
        st.dataframe(frame.rename_axis(say("rejected.row")), height=300)
        if len(table.columns) > PREVIEW_COLUMNS:
            st.caption(say("preview.some", shown=PREVIEW_COLUMNS, n=len(table.columns)))


def column_guide(known: dict[str, str]) -> None:
    """Say what the columns stand for, where that is known."""
    if known:
        with st.expander(say("guide.title")):
            means = say("guide.means")
            listed = pd.DataFrame(
                [(name, told(text)) for name, text in known.items()], columns=[say("guide.column"), means]
            )
            st.dataframe(listed, hide_index=True, column_config={means: st.column_config.TextColumn(width="large")})


def split_plot(prepared: Prepared, unit: str, revision: str) -> None:
    """Show the target in time order with training and test rows marked, and the numbers in words."""
    x = words.time_axis(prepared.dates, len(prepared.actual))
    figure = charts.split_chart(x, prepared.actual, prepared.part, prepared.target, unit, revision)
    n_train, n_test = len(prepared.y_train), len(prepared.y_test)
    said = say("split.said", train=counted("training_row", n_train), test=counted("test_row", n_test))
    if len(prepared.rows_left_out):
        said += say("split.left_out", rows=counted("row", len(prepared.rows_left_out)))
    st.caption(say("split.caption", said=said, drivers=counted("driver", len(prepared.features))))
    show_chart(figure, key="split", alt=say("split.alt", target=prepared.target, said=said), height=320)


def merged(*groups: Sequence[Finding]) -> list[Finding]:
    """Return all findings once, in order; the same sentence may come from reading and from checking."""
    return list({finding.sentence: finding for group in groups for finding in group}.values())


def choose_and_show(client: Lab, table: Table, chosen: Choice, guide: dict[str, str]) -> None:
    """Show everything about a table that can be used, with the forms that say how; keep what they say."""
    # facts wait for what the forms below say; columns keep their place, a container without contents would have none
    shown_facts, shown_findings = st.container(key="facts"), st.container()
    columns = shown_facts.columns(4)
    asked = questions(client, table, chosen)
    answers = reading_forms.questions(asked, chosen)
    st.subheader(say("roles.title"), anchor=False)
    roles = role_forms.roles_form(client, table, chosen, guide)
    st.subheader(say("split.title"), anchor=False)
    split = role_forms.split_form(chosen)
    shown_split = st.container()
    column_guide(guide)
    rejected(table)
    preview(table)
    with st.expander(say("read.title")):
        reading = reading_forms.reading_form(table, chosen)

    sizes = {"split": None, "horizon": None, "test_rows": None, "test_share": None}
    new = choices.cleaned({**chosen, **reading, **answers, **roles, **sizes, **split})
    choices.put(new)
    if reading_forms.reading_part(new) != reading_forms.reading_part(choices.cleaned(chosen)):
        st.rerun()

    prepared, problem = None, ""
    try:
        prepared = client.prepared(client.config(new))
    except UserError as error:
        problem = str(error)
    with shown_facts:
        facts(columns, table, prepared)
    with shown_findings:
        findings(merged(table.findings))
    with shown_split:  # what follows from the roles stands below them: a choice must not push its own field away
        read = {finding.sentence for finding in table.findings}
        findings([finding for finding in merged(prepared.findings if prepared else ()) if finding.sentence not in read])
        if prepared is None:
            unanswered = problem in {finding.sentence for finding in asked}
            st.error(say("question.answer_first") if unanswered else words.shown(problem), icon=":material/block:")
            return
        split_plot(prepared, unit_of(prepared, new["data"]), new["data"])
        pressed = st.button(
            say("data.train"),
            type="primary",
            icon=":material/arrow_forward:",
            key="data:train",
            help=say("data.train_help"),
        )
        if pressed:
            st.switch_page("pages/views/train.py")


def questions(client: Lab, table: Table, chosen: Choice) -> list[Finding]:
    """Return what the table leaves open; whether dates occur twice depends on the roles chosen."""
    found = [finding for finding in table.findings if finding.severity == "question"]
    try:
        twice = client.duplicate_question(table, client.config(chosen))
    except UserError:
        twice = None  # the same error is shown where the rows are prepared
    return [*found, *([twice] if twice else [])]
