"""What `escape` and `code` write is shown by a Markdown renderer as the text itself."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from analyzer.rendering.markdown_text import cell_prose, clean, code, environment, escape, plain, prose


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


def test_what_cannot_be_seen_is_taken_out_and_line_ends_become_spaces() -> None:
    assert clean("a\u200bb\u202ec\nd\te") == "abc d e"


def test_words_that_would_come_alive_are_code_and_spans_never_touch() -> None:
    assert str(prose("ask @team now")) == "ask `@team` now"
    assert shown(str(prose("`a``b` and @one@two"))).count("@one@two") == 1
    assert "``" not in str(prose("`a`@team")).replace("` `", "")
    assert shown(str(prose("two  words   stay apart"))) == "two words stay apart"


def test_a_cell_keeps_its_bars_and_our_own_text_is_only_html_safe() -> None:
    rendered = MarkdownIt("commonmark").enable("table").render(f"| a |\n|---|\n| {cell_prose('x | `y|z`')} |\n")
    assert rendered.count("<td>") == 1
    assert "y|z" in html.unescape(rendered)
    assert str(plain("<b> & *ours*")) == "&lt;b&gt; &amp; *ours*"


def test_a_template_escapes_what_is_not_marked_safe(tmp_path: Path) -> None:
    (tmp_path / "t.md").write_text(
        "{% if true %}\n{{ name }} {{ nothing }} {{ number }} {{ text|plain }}\n{% endif %}\n"
    )
    made = environment(str(tmp_path)).get_template("t.md").render(name="*<b>*", nothing=None, number=3, text="<i>")
    assert made == f"{prose('*<b>*')}  3 &lt;i&gt;\n"
