"""Whatever a stranger writes, nothing of it is live in the Markdown, and the reader still sees the words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from analyzer.rendering import markdown_text as mt
from tests.action.hostile_markdown import blocks, hostile, live_parts, renderer, tokens


def text_of(markdown: str) -> str:
    return "".join(t.content for t in tokens(markdown) if t.type in ("text", "code_inline"))


@given(hostile)
def test_a_name_in_code_is_one_code_span(name: str) -> None:
    span = mt.code(name)
    assert live_parts(f"Layer {span} fails.") == []
    kinds = [t for t in tokens(f"Layer {span} fails.") if t.type == "code_inline"]
    assert len(kinds) == bool(mt.clean(name))
    if kinds:
        assert kinds[0].content == mt.clean(name)


@given(hostile)
def test_a_sentence_is_one_paragraph_with_nothing_live(sentence: str) -> None:
    markdown = str(mt.prose(sentence))
    assert live_parts(markdown) == []
    assert blocks(markdown) in ([], ["paragraph_open", "inline", "paragraph_close"])
    assert "html" not in {t.type.split("_")[0] for t in tokens(markdown)}


@given(hostile, hostile)
def test_a_table_cell_stays_one_cell(name: str, sentence: str) -> None:
    markdown = f"| a | b | c |\n|---|---|---|\n| {mt.cell_code(name)} | {mt.cell_prose(sentence)} | end |\n"
    parsed = renderer().parse(markdown)
    cells = [parsed[i + 1].content for i, t in enumerate(parsed) if t.type == "td_open"]
    assert len(cells) == 3
    assert cells[2] == "end"
    assert live_parts(markdown) == []
    first = next(i for i, t in enumerate(parsed) if t.type == "td_open") + 1
    code = [c.content for c in parsed[first].children or []]
    assert "".join(code) == mt.clean(name)


@given(hostile)
def test_a_fence_holds_everything(text: str) -> None:
    markdown = f"before\n\n{mt.fence(text, 'text')}\n\nafter"
    assert [b for b in blocks(markdown) if b != "inline"] == [
        "paragraph_open", "paragraph_close", "fence", "paragraph_open", "paragraph_close",
    ]  # fmt: skip
    assert live_parts(markdown) == []


@given(hostile)
def test_a_summary_element_has_only_our_html(name: str) -> None:
    html = str(mt.details_text(name))
    assert re.fullmatch(r"<code>[^<>]*</code>", html)


@given(hostile)
def test_a_mermaid_label_is_one_quoted_string(name: str) -> None:
    label = mt.mermaid_label(name)
    assert label[0] == label[-1] == '"'
    inner = re.sub(r"#\d+;", "", label[1:-1])
    assert not set(inner) & set('"`<>#;&%{}[]()@\n\\|:')


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("`log` receives 0: `1e-10 + 1` is 1", r"`log` receives 0: `1e-10 + 1` is 1"),
        ("kernel 7 > 5 x 5", r"kernel 7 \> 5 x 5"),
        ("ask @octocat now", "ask `@octocat` now"),
        ("a*b_c", r"a\*b\_c"),
        ("1. first", r"1\. first"),
        ("x\u202ey\nz", "xy z"),
        ("`a`@b", "`a` `@b`"),
    ],
)
def test_ordinary_sentences_stay_readable(given_text: str, expected: str) -> None:
    assert mt.prose(given_text) == expected


def test_a_person_reads_the_words_that_were_written() -> None:
    sentence = "shape [2, 3] * `x|y` <tag> costs 5% & more (see #12, a_b, ~c~) for user@host.example"
    assert text_of(str(mt.prose(sentence))) == sentence.replace("`", "")


@given(hostile)
def test_cutting_between_blocks_leaves_nothing_open(text: str) -> None:
    block = f"<details><summary>x</summary>\n\n{mt.fence(text, 'text')}\n\n</details>\n\n{mt.prose(text)}\n\n"
    whole = block * 6
    for limit in (120, 250, 600, len(whole) - 1):
        cut = mt.truncate_blocks(whole, limit, "cut")
        if len(whole) <= limit:
            assert cut == whole
            continue
        assert len(cut) <= limit
        assert cut.endswith("cut")
        assert cut.count("<details>") == cut.count("</details>") or "</details>" in text or "<details>" in text
        assert renderer().parse(cut)[-2].content == "cut"


def test_an_invisible_character_is_not_plain_source() -> None:
    assert mt.is_plain_source("a = 1\n\tb = 2\n")
    assert not mt.is_plain_source("a = 1 \u202e")
    assert not mt.is_plain_source("a\u200b = 1")


@given(hostile)
def test_templates_escape_what_is_not_marked(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    folder = tmp_path_factory.mktemp("t")
    (folder / "x.md").write_text("Hello {{ name }} and {{ name|code }} {{ 3 }}\n", encoding="utf-8")
    assert live_parts(mt.environment(str(folder)).get_template("x.md").render(name=name)) == []


@pytest.mark.parametrize(
    "text",
    [
        "@octocat", "a @org/team b", "#12", "octo/models#3", "GH-7", "fixes #1", "www.evil.example", "a@evil.example",
        "https://evil.example", "[x](https://evil.example)", "![x](p.png)", "<b>x</b>", "<!-- x -->", ":tada:", "$x$",
        "abc1234", "x [^1]\n\n[^1]: note", "- [ ] task", "<img src=x>", "<?php ?>",
    ],
)  # fmt: skip
def test_what_is_live_is_seen(text: str) -> None:
    """The judge itself: left as they are, these come to life."""
    assert live_parts(text) != []
