"""What a GitHub-flavoured renderer makes of a text, and whether a stranger's words came to life in it.

Two renderers have to agree: markdown-it, whose tokens tell blocks apart, and GitHub's own cmark-gfm, whose HTML is read
for what GitHub's later stages would bring to life in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

EXTENSIONS = ["table", "autolink", "strikethrough", "tasklist"]
# What GitHub's later stages look for in text that is not code.
LIVE_TEXT = {
    "mention": r"(?<![\w`])@\w",
    "reference": r"(?<!\w)(?:GH-|#)\d+|\w#\d+",
    "formula": r"\$[^$]+\$",
    "emoji": r"(?a::[\w+-]+:)",  # their names are ASCII
    "commit": r"(?<!\w)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?!\w)",
    "address": r"://|www\.|mailto:",
}
PLAIN_TAGS = frozenset(
    {"p", "table", "thead", "tbody", "tr", "th", "td", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong"}
    | {"del", "hr", "br", "h1", "h2", "h3", "h4", "h5", "h6"}
)
PLAIN_ATTRIBUTES = {("ol", "start"), ("td", "align"), ("th", "align"), ("pre", "lang"), ("code", "class")}


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
    """Links, images, HTML, mentions, references, formulas… outside code that a reader's browser would act on."""
    found = []
    for token in tokens(markdown):
        if token.type == "link_open":
            found.append(f"link {token.attrs.get('href')}")
        elif token.type == "image":
            found.append(f"image {token.attrs.get('src')}")
        elif token.type in ("html_inline", "html_block"):
            found.append(f"html {token.content}")
        elif token.type == "text":
            found += _live_text(token.content)
    return found + github_parts(markdown)


def github_parts(markdown: str) -> list[str]:
    """The same from the HTML that GitHub's own renderer makes; its filter of raw HTML is off, so that all is seen."""
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
    text = markdown.encode("utf-8", "replace").decode()
    reader = _Reader()
    reader.feed(cmarkgfm.markdown_to_html_with_extensions(text, options, EXTENSIONS))
    reader.close()
    return reader.found


def _live_text(text: str) -> list[str]:
    return [f"{kind} {m}" for kind, pattern in LIVE_TEXT.items() for m in re.findall(pattern, text)]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a":
            self.found.append(f"link {given.get('href')}")
        elif tag == "img":
            self.found.append(f"image {given.get('src')}")
        elif tag not in PLAIN_TAGS or {(tag, name) for name in given} - PLAIN_ATTRIBUTES:
            self.found.append(f"html {self.get_starttag_text()}")
        self._code += tag in ("code", "pre")

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in ("code", "pre")

    def handle_comment(self, data: str) -> None:
        self.found.append(f"html <!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self.found.append(f"html <!{decl}>")

    def handle_pi(self, data: str) -> None:
        self.found.append(f"html <?{data}>")

    def handle_data(self, data: str) -> None:
        if not self._code:
            self.found += _live_text(data)


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
    "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef", "abc1234", "fixes #1", "Closes GH-2", "octo/models@abc1234", ":+1:",
    "#[", "@", "#", "1", ":", "[^1]: note", "> [!WARNING]", "<https://evil.example>", "<!", "<?php", "ftp://evil.example",
    "github.com/octo/models/issues/1", "javascript:alert(1)", "![", "](x)", "&#35;1", "\\@octocat",
    "HTTPS://EVIL.EXAMPLE", "</script>", "]]>", "${7*7}", "<foreignObject>", "\\N", "\\E{x}", "onload=x", "'", '"',
    '\ud800', "conv1", "decoder.up2", " ", "é", "模型", "[ ]", "[x]", "(",
    ")", "<", ">",
)  # fmt: skip

hostile = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=6)), max_size=9).map("".join)
