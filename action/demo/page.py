"""What the simulator holds after a run, as Markdown and as a page that looks like a pull request's conversation."""

from __future__ import annotations

import base64
import html
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from action import markers

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HIDDEN = re.compile(r"\A<!--.*?-->\s*")


@dataclass(frozen=True, slots=True)
class Remark:
    """One inline comment with the lines of the diff above it."""

    place: str
    diff: str
    body: str
    closed: bool


@dataclass(frozen=True, slots=True)
class Check:
    """One check run as GitHub's page of checks shows it; annotations are pairs of a place and a message."""

    name: str
    conclusion: str
    title: str
    summary: str
    annotations: tuple[tuple[str, str, str], ...]  # level, place, message


@dataclass(frozen=True, slots=True)
class PostedConversation:
    """Everything that Assay posted on one pull request. `pictures` maps the end of an address to a PNG file's bytes."""

    summary: str
    remarks: tuple[Remark, ...]
    checks: tuple[Check, ...]
    pictures: tuple[tuple[str, bytes], ...] = ()

    @staticmethod
    def of(state: Any, number: int) -> PostedConversation:
        """Read from a simulator's state."""
        pull = state.pulls[number]
        summaries = [c.body for c in state.issue_comments.values() if c.number == number]
        remarks = []
        for comment in state.review_comments.values():
            file = pull.file(comment.path)
            excerpt = _excerpt(file.patch or "", comment.line) if file and comment.line else ""
            where = f"{comment.path}:{comment.line}" if comment.line else comment.path
            remarks.append(Remark(where, excerpt, _shown(comment.body), comment.resolved or bool(comment.minimized)))
        checks = [
            Check(
                c.name,
                c.conclusion or c.status,
                c.title,
                c.summary,
                tuple((a["annotation_level"], f"{a['path']}:{a['start_line']}", a["message"]) for a in c.annotations),
            )
            for c in state.check_runs.values()
        ]
        stored = [
            (path, state.blobs[sha])
            for commit in state.commits.values()
            for path, sha in state.trees[commit["tree"]].items()
        ]
        return PostedConversation("\n\n".join(map(_shown, summaries)), tuple(remarks), tuple(checks), tuple(stored))

    def markdown(self) -> str:
        """The whole conversation in one file."""
        parts = [self.summary]
        parts += [f"---\n\n**Comment on** `{r.place}`\n\n```diff\n{r.diff}\n```\n\n{r.body}" for r in self.remarks]
        parts += [
            f"---\n\n**Check** {c.name}: {c.conclusion}, {c.title} ({len(c.annotations)} annotations)"
            for c in self.checks
        ]
        return "\n\n".join(parts) + "\n"

    def html(self) -> str:
        """A self-contained page; the Markdown is rendered as GitHub does it, and what it shows is in the page."""
        remarks = "".join(
            f'<section class="remark"><header>{html.escape(r.place)}{" · resolved" if r.closed else ""}</header>'
            f"{_diff(r.diff)}<div class=body>{self._render(r.body)}</div></section>"
            for r in self.remarks
        )
        checks = "".join(map(self._check, self.checks))
        return (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>Review by Assay</title><style>{_STYLE}</style><main><h1>Review by Assay</h1>"
            f'<section class="comment"><header><b>github-actions</b> commented</header>'
            f'<div class="body">{self._render(self.summary)}</div></section>{remarks}'
            f"{checks}</main></html>\n"
        )

    def _check(self, check: Check) -> str:
        annotations = "".join(
            f'<li class="{html.escape(level)}"><code>{html.escape(place)}</code> {html.escape(message)}</li>'
            for level, place, message in check.annotations
        )
        return (
            f'<section class="check"><header class="{html.escape(check.conclusion)}"><b>{html.escape(check.name)}</b> '
            f'{html.escape(check.conclusion)} · {html.escape(check.title)}</header><div class="body">'
            f"<details><summary>Summary</summary>{self._render(check.summary)}</details>"
            f"<h2>Annotations</h2><ul class=annotations>{annotations}</ul></div></section>"
        )

    def _render(self, text: str) -> str:
        from markdown_it import MarkdownIt

        rendered = str(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))
        for path, content in self.pictures:
            data = base64.b64encode(content).decode()
            rendered = re.sub(rf'src="[^"]*{re.escape(path)}"', f'src="data:image/png;base64,{data}"', rendered)
        rendered = rendered.replace('<code class="language-suggestion">', '<code class="suggestion">')
        for emoji, sign, kind in (("❌", "✘", "bad"), ("✅", "✔", "good"), ("⚠️", "▲", "fair")):  # few fonts have emoji
            rendered = rendered.replace(emoji, f'<span class="{kind}">{sign}</span>')
        return rendered.replace('<code class="language-mermaid">', '<code class="mermaid">')


def screenshot(source: Path, target: Path, width: int = 1100) -> Path | None:
    """A picture of the top of a page by headless Chromium; None where there is no browser."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        return None
    with tempfile.TemporaryDirectory() as profile:
        command = [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}",
            f"--window-size={width},1600", f"--screenshot={target}", source.as_uri(),
        ]  # fmt: skip
        try:
            subprocess.run(command, capture_output=True, timeout=120, check=True)
        except (subprocess.SubprocessError, OSError):
            return None
    return target if target.is_file() else None


def _shown(body: str) -> str:
    return HIDDEN.sub("", body) if markers.read(body) else body


def _excerpt(patch: str, line: int, above: int = 4) -> str:
    """The lines of a patch that end at new line `line`, as GitHub shows them over a comment."""
    kept: list[str] = []
    current = 0
    for text in patch.split("\n"):
        hunk = re.match(r"@@ -\d+(?:,\d+)? \+(\d+)", text)
        if hunk:
            current = int(hunk[1]) - 1
            kept.clear()
            continue
        kept.append(text)
        if not text.startswith("-"):
            current += 1
            if current == line:
                return "\n".join(kept[-above:])
    return ""


def _diff(excerpt: str) -> str:
    kinds = {"+": "add", "-": "del"}
    rows = "".join(
        f'<div class="{kinds.get(row[:1], "same")}">{html.escape(row) or " "}</div>'
        for row in excerpt.split("\n")
        if excerpt
    )
    return f'<pre class="diff">{rows}</pre>' if rows else ""


_STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
