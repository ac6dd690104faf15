"""Text that strangers control, made harmless for GitHub-flavoured Markdown.

Names of nodes, layers, files and branches, error messages and sentences that quote them may come from a hostile pull
request. Whatever goes into Markdown passes through one of these functions, and nothing else decides what is safe:

- `code`, `cell_code`: a name, as a code span (nothing is live inside a code span: no mention, link, image or HTML);
- `prose`, `cell_prose`: a sentence; parts in backticks and words that GitHub would bring to life become code spans;
- `fence`: several lines, as a fenced block; `details_text`: the text of a `<summary>` element;
- `mermaid_label`: a label inside a Mermaid diagram; `clean`: plain text without invisible characters.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import jinja2
from markupsafe import Markup
from markupsafe import escape as escape_html

NAME_LIMIT = 160  # characters; names come from the model and may be of any length
PROSE_LIMIT = 1_000  # characters of a message that quotes the model
FENCE_LIMIT = 12_000  # characters of quoted code in a comment of 65,536

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Cn", "Co"})
_PUNCTUATION = re.compile(r"([\\`*_\[\]()<>#!|~&])")
_BLOCK_START = re.compile(r"^(\d{0,9})([.)=+:-])")  # a list, a heading's underline, a table's ruler
# A word that GitHub would turn into a mention, a link, a reference, a formula or an emoji.
_LIVE_WORD = re.compile(
    r"""@|://|\$|www\.|mailto:|xmpp:|ftp\.|\bGH-\d|\#\d|:[\w+-]+:
    |\b(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b  # a commit
    |\w\.\w+/|^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?::\d+)?$  # a host""",
    re.IGNORECASE | re.VERBOSE,
)
# Issues of the engines' own projects, which known deviations cite. The address leads there without the note that GitHub
# leaves in an issue that is mentioned: nobody upstream has to hear of every review.
_UPSTREAM = re.compile(
    r"(?P<before>\(?)(?P<repository>(?:keras-team/keras(?:-core)?|microsoft/onnxruntime|onnx/onnx|openvinotoolkit/openvino"
    r"|pytorch/pytorch|tensorflow/tensorflow))#(?P<number>[1-9]\d{0,6})(?P<after>[,;.)]*)"
)
_ISSUE = "https://redirect.github.com/{repository}/issues/{number}"
_CODE_IN_PROSE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_MERMAID_PLAIN = re.compile(r"[^A-Za-z0-9 .,_/×→·-]")


def clean(text: object, limit: int = NAME_LIMIT) -> str:
    """One line without control, bidirectional, zero-width and unassigned characters, at most `limit` characters."""
    return _shorten(" ".join(_visible(str(text)).split()), limit)


def code(text: object, limit: int = NAME_LIMIT) -> Markup:
    """A code span whose fence is longer than any run of backticks inside; an empty text gives an empty string."""
    inner = clean(text, limit)
    if not inner:
        return Markup("")
    ticks = "`" * (_longest_run(inner) + 1)
    pad = " " if inner[0] == "`" or inner[-1] == "`" else ""
    return Markup(f"{ticks}{pad}{inner}{pad}{ticks}")


def cell_code(text: object, limit: int = NAME_LIMIT) -> Markup:
    """A code span inside a table cell, where a bar would end the cell even inside code."""
    return Markup(str(code(text, limit)).replace("|", "\\|"))


def escape(text: object, limit: int = PROSE_LIMIT) -> Markup:
    """Plain text outside code, every character that Markdown gives a meaning escaped; live words are not looked for."""
    return Markup(_escape(clean(text, limit)))


def prose(text: object, limit: int = PROSE_LIMIT) -> Markup:
    """A sentence. Text between single backticks, and words that GitHub would bring to life, become code spans."""
    return Markup(_prose(clean(text, limit), code))


def cell_prose(text: object, limit: int = PROSE_LIMIT) -> Markup:
    """A sentence inside a table cell."""
    return Markup(_prose(clean(text, limit), cell_code))


def fence(text: object, language: str = "", limit: int = FENCE_LIMIT) -> Markup:
    """A fenced block; lines stay lines, tabs stay tabs. `language` is ours, never a stranger's."""
    lines = str(text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    body = _shorten("\n".join(_visible(line, keep="\t") for line in lines), limit)
    return Markup(verbatim_fence(body, language))


def verbatim_fence(text: str, language: str = "") -> str:
    """A fenced block around exactly this text; for text that `is_plain_source` holds for, or that was cleaned."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def is_plain_source(text: str) -> bool:
    """Whether a source text has no character that a reader could not see: only then may it be offered as a change."""
    return all(c in "\t\n" or unicodedata.category(c) not in _INVISIBLE for c in text)


def details_text(text: object, limit: int = NAME_LIMIT) -> Markup:
    """Text for a `<summary>` element: Markdown is not read there, HTML is."""
    return Markup(f"<code>{escape_html(clean(text, limit))}</code>")


def writable(text: str) -> str:
    """A text that UTF-8 can hold: names from files may bring halves of characters."""
    return text.encode("utf-8", "replace").decode("utf-8")


def plain(text: object) -> Markup:
    """Our own words and numbers: only HTML is escaped."""
    return Markup(escape_html(clean(text, PROSE_LIMIT)))


def mermaid_label(text: object, limit: int = 60) -> str:
    """A quoted Mermaid label; whatever is not plainly a letter or a digit is written as a numeric entity."""
    encoded = _MERMAID_PLAIN.sub(lambda m: f"#{ord(m.group())};", clean(text, limit))
    return f'"{encoded or " "}"'


def truncate_blocks(markdown: str, limit: int, notice: str) -> str:
    """At most `limit` characters, cut between blocks: no fence, table row or `<details>` is left open.

    `notice` is appended where something was cut.
    """
    if len(markdown) <= limit:
        return markdown
    room = limit - len(notice) - 2
    kept, length, fence_mark, depth, safe = [], -1, "", 0, 0
    for line in markdown.split("\n"):
        length += 1 + len(line)  # the first has no line break before it
        if length > room:
            break
        kept.append(line)
        inside, fence_mark = fence_mark, fence_after(line, fence_mark)
        if not inside and not fence_mark:
            depth += line.count("<details") - line.count("</details>")
        if not fence_mark and depth <= 0:
            safe = len(kept)
    return ("\n".join(kept[:safe]).rstrip() + "\n\n" + notice).lstrip("\n")


def fence_after(line: str, mark: str) -> str:
    """Which fence is open after `line`, when `mark` (or none, "") was open before it."""
    if mark:
        closing = re.fullmatch(r" {0,3}(`+|~+)[ \t]*", line)
        return "" if closing is not None and closing[1].startswith(mark) else mark
    opening = re.match(r" {0,3}(?:(`{3,})[^`]*$|(~{3,}))", line)
    return (opening[1] or opening[2]) if opening else ""


def environment(templates: str) -> jinja2.Environment:
    """A Jinja2 environment for the Markdown templates in the folder `templates`.

    An expression that is not already marked safe is written by `prose`; the filters of the same names do the rest.
    """

    def finalize(value: Any) -> Any:
        if value is None:
            return Markup("")
        return value if isinstance(value, int | float) or hasattr(value, "__html__") else prose(value)

    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        autoescape=True,
        finalize=finalize,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters.update(
        plain=plain,
        ours=Markup,
        code=code,
        cell_code=cell_code,
        cell=cell_prose,
        prose=prose,
        fence=fence,
        details_text=details_text,
        mermaid_label=lambda text: Markup(mermaid_label(text)),
    )
    return env


def _visible(text: str, keep: str = "") -> str:
    if text.isprintable():  # the usual case, and quick
        return text
    return "".join(
        c if c in keep or unicodedata.category(c) not in _INVISIBLE else (" " if c.isspace() or ord(c) < 32 else "")
        for c in text
    )


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def _escape(text: str) -> str:
    return _BLOCK_START.sub(r"\1\\\2", _PUNCTUATION.sub(r"\\\1", text))


def _prose(text: str, as_code: Any) -> str:
    out = ""
    for index, part in enumerate(_CODE_IN_PROSE.split(text)):
        if index % 2:
            out = _append_code(out, str(as_code(part)))
            continue
        for piece in re.findall(r"\s+|\S+", part):
            issue = _UPSTREAM.fullmatch(piece)
            if issue is not None:
                address = _ISSUE.format(repository=issue["repository"], number=issue["number"])
                shown = f"[{issue['repository']} issue {issue['number']}]({address})"
                out += _escape(issue["before"]) + shown + _escape(issue["after"])
            elif not piece.isspace() and _LIVE_WORD.search(piece):
                out = _append_code(out, str(as_code(piece)))
            else:
                out += _PUNCTUATION.sub(r"\\\1", piece) if out else _escape(piece)
    return out


def _append_code(out: str, span: str) -> str:
    """Two adjacent spans would read as one."""
    return out + (" " if out.endswith("`") and span else "") + span
