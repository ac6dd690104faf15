"""What `escape` and `code` write is shown by a Markdown renderer as the text itself."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from analyzer.rendering.markdown_text import clean, code, escape


def shown(markdown: str) -> str:
    """The text that a reader sees, without the elements around it."""
    rendered = MarkdownIt("commonmark").enable("table").render(markdown)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", rendered)).split())


@pytest.mark.parametrize(
    "text", ["&copy; &amp; &lt;b&gt;", "a & b", "AT&T", "&#64;team", "&#x40;team", "*a* _b_ [c](d)"]
)
def test_entities_and_marks_are_shown_as_written(text: str) -> None:
    assert shown(str(escape(text))).replace("\u200b", "").replace("`", "") == text


@given(st.text(st.sampled_from("a&#;x4_*`<>[]()!|~\\ "), max_size=24))
def test_code_is_shown_as_written(text: str) -> None:
    assert shown(f"x {code(text)} x") == " ".join(f"x {clean(text)} x".split())
