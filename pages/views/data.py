"""Data: pick or upload a table, see what was read, say what its columns are for, and see the split."""

import streamlit as st

from pages.parts import choice, data_view, reading_forms, role_forms, words
from pages.parts.client import lab
from pages.parts.language import say
from plm_engine.errors import UserError

client = lab()
chosen = choice.get()
st.title(say("data.title"))
st.markdown(say("data.lead"))

picked = reading_forms.picker(client, chosen)
if picked != chosen:
    choice.put(picked)
    st.rerun()

try:
    table = client.table(client.config(reading_forms.reading_part(chosen)))
    title = client.title(chosen["data"])
except UserError as error:
    st.error(words.shown(error), icon=":material/error:")
    again = len(chosen) > 1
    if again and st.button(say("data.forget"), key="data:forget", help=say("data.forget_help")):
        choice.put({"data": chosen["data"]})
        st.rerun()
    st.stop()

st.header(words.plain(title), anchor=False)
try:
    suggested = client.suggested(table)
except UserError as error:  # no column of numbers: there is nothing to choose, but what was read is shown
    data_view.facts(st.columns(4), table, None)
    data_view.findings(data_view.merged(table.findings))
    if not any(finding.severity == "error" for finding in table.findings):
        st.error(words.shown(error), icon=":material/block:")
    data_view.rejected(table)
    data_view.preview(table)
    st.stop()
chosen = role_forms.completed(chosen, table, suggested)
data_view.choose_and_show(client, table, chosen, client.column_guide(chosen["data"], suggested))
