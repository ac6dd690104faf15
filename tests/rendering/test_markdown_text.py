"""What `escape` and `code` write is shown by a Markdown renderer as the text itself."""

from __future__ import annotations

import html
import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markdown_it import MarkdownIt
from markupsafe import Markup

from analyzer.rendering.markdown_text import (
    cell_prose,
    clean,
    code,
    details_text,
    environment,
    escape,
    fence,
    fence_after,
    is_plain_source,
    mermaid_label,
    plain,
    prose,
    truncate_blocks,
    writable,
)


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
    assert clean("a\x00b\u2028c\x9fd") == "a b cd"


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


def test_a_template_keeps_its_line_ends_and_refuses_what_it_is_not_given(tmp_path: Path) -> None:
    (tmp_path / "t.md").write_text("  {% if number %}\n{{ number }}\n  {% endif %}\n{{ ready ~ text }}\n\n")
    template = environment(str(tmp_path)).get_template("t.md")
    assert template.render(number=0.5, text="<b>", ready=Markup("<i>")) == "0.5\n<i>&lt;b&gt;\n\n"
    with pytest.raises(UndefinedError):
        template.render(number=1)


@given(st.text(max_size=30), st.integers(1, 30))
def test_what_is_too_long_is_cut_to_the_limit_and_says_so(text: str, limit: int) -> None:
    whole, cut = clean(text), clean(text, limit)
    assert len(cut) <= limit
    assert cut == whole if len(whole) <= limit else cut == whole[: limit - 1].rstrip() + "…"


def test_how_long_a_text_may_be() -> None:
    """A comment of GitHub's has 65,536 characters, names and messages of strangers have no bound."""
    long = "x" * 20_000
    assert (len(clean(long)), len(code(long)), len(prose(long)), len(escape(long))) == (160, 162, 1_000, 1_000)
    assert len(fence(long)) == 12_008
    assert len(mermaid_label(long)) == 59 + len("#8230;") + 2


def test_a_fence_is_as_long_as_what_it_holds_demands() -> None:
    assert fence("a\r\nb\rc\td\u200b", "text") == "```text\na\nb\nc\td\n```"
    assert fence("``") == "```\n``\n```"
    assert fence("x ``` y") == "````\nx ``` y\n````"


@pytest.mark.parametrize(
    "word", ["WWW.Evil", "models.example", "a.example:80", "deadbee", "DEADBEE1", "x/y#1", "mailto:a", "$x", ":tada:"]
)
def test_live_words_are_seen_whatever_their_case(word: str) -> None:
    assert str(prose(f"see {word} now")) == f"see `{word}` now"


@pytest.mark.parametrize("word", ["word", "1234567", "defaced_x", "e.g.", "nn.Linear(3)"])
def test_other_words_are_left_alone(word: str) -> None:
    assert shown(str(prose(f"see {word} now"))) == f"see {word} now"
    assert "`" not in prose(f"see {word} now")


def test_an_issue_of_an_engine_is_linked_without_a_note_there() -> None:
    address = "https://redirect.github.com/onnx/onnx/issues/12"
    assert str(prose("(onnx/onnx#12).")) == rf"\([onnx/onnx issue 12]({address})\)."
    assert str(prose("onnx/other#12")) == "`onnx/other#12`"


def test_small_texts() -> None:
    assert is_plain_source("a\tb\n") is True
    assert is_plain_source("a\u202eb") is False
    assert str(details_text("<b>\u200b")) == "<code>&lt;b&gt;</code>"
    assert writable("a\ud800é") == "a?é"
    assert mermaid_label("a<b") == '"a#60;b"'
    assert mermaid_label("\u200b") == '" "'
    assert str(code("")) == ""
    assert str(code("`a")) == "`` `a ``"


LINES = (
    "word",
    "",
    "```",
    "```python",
    "````",
    "``` `",
    "~~~",
    "~~~~ x",
    "   ```",
    "    ```",
    "``` ",
    "~~~ ~",
    "| a |",
)


def test_which_fence_is_open_is_what_a_renderer_says() -> None:
    parser = MarkdownIt("commonmark")
    for lines in itertools.product(LINES, repeat=3):
        mark = ""
        for line in lines:
            mark = fence_after(line, mark)
        last = parser.parse("\n".join([*lines, "", "end"]))[-1]
        assert bool(mark) == (last.type == "fence"), lines


BLOCKS = ("word", "", "```", "~~~", "<details>", "</details>", "<details><details>", "x <details> y </details>")


@given(st.lists(st.sampled_from(BLOCKS), max_size=12), st.integers(5, 60))
def test_what_is_cut_is_the_longest_beginning_that_leaves_nothing_open(lines: list[str], limit: int) -> None:
    text = "\n".join(lines)
    assert truncate_blocks(text, len(text), "cut") == text
    if len(text) <= limit:
        assert truncate_blocks(text, limit, "cut") == text
        return

    def closed(kept: list[str]) -> bool:
        mark, depth = "", 0
        for line in kept:
            before, mark = mark, fence_after(line, mark)
            if not before and not mark:
                depth += line.count("<details") - line.count("</details>")
        return not mark and depth <= 0

    room = limit - len("cut") - 2
    kept = max(n for n in range(len(lines) + 1) if closed(lines[:n]) and len("\n".join(lines[:n])) <= room)
    expected = "\n".join(lines[:kept]).rstrip() + "\n\ncut"
    assert truncate_blocks(text, limit, "cut") == expected.lstrip("\n")
    assert len(truncate_blocks(text, limit, "cut")) <= limit


def test_a_cut_text_may_fill_the_limit_and_no_more() -> None:
    limit = len("ab\ncd") + 2 + len("cut")
    assert truncate_blocks("ab\ncd\n" + "e" * 50, limit, "cut") == "ab\ncd\n\ncut"
    assert truncate_blocks("ab\ncd\n" + "e" * 50, limit - 1, "cut") == "ab\n\ncut"
    assert truncate_blocks("<details>\n" + "e" * 50, limit + 10, "cut") == "cut"
