"""What a GitHub-flavoured renderer makes of a text, and whether a stranger's words came to life in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token


@cache
def renderer() -> MarkdownIt:
    """CommonMark with tables, strikethrough, bare links and addresses, raw HTML on, as GitHub has it."""
    parser = MarkdownIt("gfm-like", {"html": True, "linkify": True})
    return parser


def tokens(markdown: str) -> Iterator[Token]:
    for block in renderer().parse(markdown):
        yield block
        yield from block.children or ()


def live_parts(markdown: str) -> list[str]:
    """Links, images, HTML, mentions, references and formulas outside code that a reader's browser would act on."""
    found = []
    for token in tokens(markdown):
        if token.type == "link_open":
            found.append(f"link {token.attrs.get('href')}")
        elif token.type == "image":
            found.append(f"image {token.attrs.get('src')}")
        elif token.type in ("html_inline", "html_block"):
            found.append(f"html {token.content}")
        elif token.type == "text":
            found += [f"mention {m}" for m in re.findall(r"(?<![\w`])@[\w-]+", token.content)]
            found += [f"reference {m}" for m in re.findall(r"(?:\bGH-|#)\d+", token.content)]
            found += [f"formula {m}" for m in re.findall(r"\$[^$]+\$", token.content)]
    return found


def blocks(markdown: str) -> list[str]:
    """The kinds of the block tokens, in order: what a text must not be able to change."""
    return [token.type for token in renderer().parse(markdown)]


FRAGMENTS = (
    "@octocat", "@org/team", "#12", "GH-7", "org/repo#3", "https://evil.example/x", "www.evil.example",
    "a@evil.example", "[x](https://evil.example)", "![x](https://evil.example/p.png)",
    "<img src=x onerror=alert(1)>", "<script>", "-->", "<!-- assay", "`", "``", "```", "~~~", "|", '\\', '\\|',
    '\n', '\r\n', '\n\n', '\t', "* ", "- ", "1. ", "# ", "> ", "**", "__", "~~", "$x$", "$$", "$`x`$", ":tada:",
    "&lt;b&gt;", "&#64;octocat", '\u202e', '\u200b', '\u2066', '\ufeff', "[^1]", "[ref]: https://evil.example",
    "</details>", "<details>", "%%{init: {}}%%", "click n1 href", '"]', "end", ";", "::error::x", "%0A", "---",
    "===", "+ ", "{{ 1 }}", "{% raw %}", "http://", "mailto:a@b.example", "ﬀ", '\x00', '\x1b[31m',
    "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef", '\ud800', "conv1", "decoder.up2", " ", "é", "模型", "[ ]", "[x]", "(",
    ")", "<", ">",
)  # fmt: skip

hostile = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=6)), max_size=9).map("".join)
