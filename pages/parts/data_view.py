"""What the Data page shows of a table: facts, findings, unreadable cells, a preview and the split."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.parts import charts, reading_forms, role_forms, words
from pages.parts import choice as choices
from pages.parts.choice import Choice
from pages.parts.client import Lab, unit_of
from pages.parts.live_chart import show_chart
from plm_engine.datasets.export import csv_bytes
from plm_engine.datasets.prepare import Prepared
from plm_engine.datasets.table import Finding, Table
from plm_engine.errors import UserError

PREVIEW_ROWS, PREVIEW_COLUMNS, SHOWN_FINDINGS = 200, 60, 5


def facts(table: Table, prepared: Prepared | None) -> None:
    """Show how much of the table was read and can be used."""
    file = table.format
    columns = st.columns(4)
    columns[0].metric("Rows read", f"{table.n_rows_read:,}")
    columns[1].metric("Rows used", f"{prepared.n_used:,}" if prepared else "–")
    columns[2].metric("Unreadable cells", f"{len(table.rejected):,}")
    columns[3].metric("Columns", f"{len(table.columns):,}")
    parts = [
        {"csv": "Text table", "tsv": "Text table", "xlsx": "Excel workbook"}.get(file.kind, file.kind.capitalize())
    ]
    if file.encoding:
        mark = "point" if file.decimal == "." else "comma"
        parts += [f"encoding {file.encoding}", f"between the columns: {file.separator}", f"decimal mark: {mark}"]
    if file.sheet:
        parts.append(f"sheet {file.sheet}")
    if file.header_row:
        parts.append(f"column names in line {file.header_row}")
    st.caption(words.plain(" · ".join(parts)))


def findings(found: Sequence[Finding]) -> None:
    """Show errors and warnings at once, the first few in full, and remarks behind a fold."""
    remarks = [f for f in found if f.severity == "info"]
    urgent = sorted((f for f in found if f.severity in ("error", "warning")), key=lambda f: f.severity != "error")
    for finding in urgent[:SHOWN_FINDINGS]:
        if finding.severity == "error":
            st.error(words.plain(finding.sentence), icon=":material/error:")
        else:
            st.warning(words.plain(finding.sentence), icon=":material/warning:")
    rest = [*urgent[SHOWN_FINDINGS:], *remarks]
    if rest:
        with st.expander(words.counted(len(rest), "more remark on this table", "more remarks on this table")):
            st.markdown("\n".join(f"- {words.plain(finding.sentence)}" for finding in rest))


def rejected(table: Table) -> None:
    """List the cells that could not be read, with the lines of the file, and offer the list as a file."""
    if not table.rejected:
        return
    listed = pd.DataFrame(
        [(r.row, r.line, r.column or "whole row", r.text, r.reason) for r in table.rejected],
        columns=["Data row", "File line", "Column", "Cell", "Reason"],
    )
    with st.expander(f"{words.counted(len(listed), 'cell')} could not be read"):
        st.dataframe(listed, hide_index=True)
        st.download_button(
            "Download this list (CSV)", csv_bytes(listed), "unreadable_cells.csv", "text/csv", on_click="ignore"
        )


def preview(table: Table) -> None:
    """Show the first rows as they were read."""
    frame = table.frame.iloc[:PREVIEW_ROWS, :PREVIEW_COLUMNS]
    with st.expander(f"Preview: the first {words.counted(len(frame), 'row')} as read"):
        if not len(table.frame):
            st.caption(f"Nothing to show: {table.size}.")
            return
        st.dataframe(frame.rename_axis("Data row"), height=300)
        if len(table.columns) > PREVIEW_COLUMNS:
            st.caption(f"The first {PREVIEW_COLUMNS} of {len(table.columns):,} columns are shown.")


def column_guide(known: dict[str, str]) -> None:
    """Say what the columns stand for, where that is known."""
    if known:
        with st.expander("What the columns stand for"):
            listed = pd.DataFrame(list(known.items()), columns=["Column", "Stands for"])
            st.dataframe(
                listed, hide_index=True, column_config={"Stands for": st.column_config.TextColumn(width="large")}
            )


def split_plot(prepared: Prepared, unit: str, revision: str) -> None:
    """Show the target in time order with training and test rows marked, and the numbers in words."""
    x = words.time_axis(prepared.dates, len(prepared.actual))
    figure = charts.split_chart(x, prepared.actual, prepared.part, prepared.target, unit, revision)
    n_train, n_test = len(prepared.y_train), len(prepared.y_test)
    said = f"{words.counted(n_train, 'training row')}, {words.counted(n_test, 'test row')}"
    if len(prepared.rows_left_out):
        said += f", {words.counted(len(prepared.rows_left_out), 'row')} left out between them"
    st.caption(f"{said}, {words.counted(len(prepared.features), 'driver')}.")
    show_chart(figure, key="split", alt=f"{prepared.target} in time order: {said}", height=320)


def merged(*groups: Sequence[Finding]) -> list[Finding]:
    """Return all findings once, in order; the same sentence may come from reading and from checking."""
    return list({finding.sentence: finding for group in groups for finding in group}.values())


def choose_and_show(client: Lab, table: Table, chosen: Choice, guide: dict[str, str]) -> None:
    """Show everything about a table that can be used, with the forms that say how; keep what they say."""
    shown_facts = st.container()
    asked = questions(client, table, chosen)
    answers = reading_forms.questions(asked, chosen)
    st.subheader("What the columns are for", anchor=False)
    roles = role_forms.roles_form(client, table, chosen, guide)
    st.subheader("Training and test rows", anchor=False)
    split = role_forms.split_form(chosen)
    shown_split = st.container()
    column_guide(guide)
    rejected(table)
    preview(table)
    with st.expander("How the file is read"):
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
        facts(table, prepared)
        findings(merged(table.findings, prepared.findings if prepared else ()))
    with shown_split:
        if prepared is None:
            unanswered = problem in {finding.sentence for finding in asked}
            st.error(
                "Answer the question above first." if unanswered else words.plain(problem), icon=":material/block:"
            )
            return
        split_plot(prepared, unit_of(prepared), new["data"])
        if st.button("Train on this table", type="primary", icon=":material/arrow_forward:", key="data:train"):
            st.switch_page("pages/views/train.py")


def questions(client: Lab, table: Table, chosen: Choice) -> list[Finding]:
    """Return what the table leaves open; whether dates occur twice depends on the roles chosen."""
    found = [finding for finding in table.findings if finding.severity == "question"]
    try:
        twice = client.duplicate_question(table, client.config(chosen))
    except UserError:
        twice = None  # the same error is shown where the rows are prepared
    return [*found, *([twice] if twice else [])]
