"""`assay lsp`: a language server. Tracing's findings as diagnostics, the shapes of tensors as inlay hints, fixes.

It speaks the Language Server Protocol on standard input and output. Nothing of the file is imported or executed. An
edit is traced as far as it reaches (`remembered`); the type checkers, which take seconds, are asked aside when a file
is opened or saved, and what they have said stays on the lines that an edit leaves.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer import __version__
from analyzer.commands.trace import repository_root
from analyzer.findings import Confidence, Finding, Level
from analyzer.problem import TargetProblem, UsageProblem
from analyzer.rendering.rules import help_uri
from analyzer.tracing.checkers.python_bugs import MOST_CHARACTERS
from analyzer.tracing.checkers.type_checkers import Said, carried, check_types, digest
from analyzer.tracing.contracts.hints import Hint
from analyzer.tracing.contracts.recorded_shapes import recorded_hints
from analyzer.tracing.imports.summaries import default_folder, writable_folder
from analyzer.tracing.paths.exploring import tells_of_a_budget
from analyzer.tracing.paths.remembered import Memory
from analyzer.tracing.tracing import trace_with_hints

if TYPE_CHECKING:
    from lsprotocol import types
    from pygls.lsp.server import LanguageServer
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class Analysed:
    """What is known of one version of a document."""

    text: str
    findings: tuple[Finding, ...] = ()
    hints: tuple[Hint, ...] = ()
    failure: str = ""
    left_out: tuple[str, ...] = ()  # what a spent budget has left out


PAUSE = 0.05  # seconds without another edit before a text is traced


@dataclass
class Document:
    """What the server keeps of an open file."""

    memory: Memory = field(default_factory=Memory)
    found: Analysed | None = None
    asked: str | None = None  # the text that the type checkers were asked of last
    said: Said = field(default_factory=dict)
    shown: list[types.Diagnostic] | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="ignored: standard input and output are always spoken on")


def enclosure(args: argparse.Namespace) -> dict[str, Any]:
    """What the server reads: the folder in which the editor starts it. The text of open files comes from the editor."""
    return {"read": [Path.cwd()], "write": writable_folder(os.environ)}


def run(args: argparse.Namespace, console: Console) -> int:
    """Serves until the editor says goodbye. Raises UsageProblem where `pygls` is not installed."""
    try:
        server = _server()
    except ModuleNotFoundError:
        raise UsageProblem("the language server needs pygls: pip install 'assay-action[lsp]'.") from None
    server.start_io()
    return 0


def analysed(path: Path, text: str, memory: Memory, said: Said) -> Analysed:
    """`text` traced in the place of the file `path`; findings of other files are left to them.

    `memory` is of the file's texts before, `said` what the type checkers say of this one.
    """
    root = repository_root(path)
    kept, types = default_folder(os.environ), {digest(text): said}
    try:
        result, hints = trace_with_hints(
            path, root, target=path.name, text=text, types=types, summaries=kept, memory=memory
        )
    except TargetProblem as problem:  # while one types, a file often cannot be parsed
        return Analysed(text, failure=str(problem))
    own = path.resolve().relative_to(root.resolve()).as_posix() if path.resolve().is_relative_to(root.resolve()) else ""
    left_out = tuple(filter(tells_of_a_budget, result.notes))
    found = tuple(f for f in result.findings if f.location and f.location.path == own)
    return Analysed(text, found, recorded_hints(kept, text, hints), left_out=left_out)


def _server() -> LanguageServer:
    from lsprotocol import types
    from pygls.lsp.server import LanguageServer

    server = LanguageServer("assay", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
    known: dict[str, Document] = {}

    def analyse(uri: str) -> Analysed:
        document = server.workspace.get_text_document(uri)
        text, kept = document.source, known.setdefault(uri, Document())
        found = kept.found
        if found is None or found.text != text:
            said = carried(kept.said, kept.asked, text) if kept.asked is not None else {}
            found = analysed(Path(document.path), text, kept.memory, said)
            if found.failure:  # the last words on what could be parsed stand until it can be again
                found = Analysed(text, *((kept.found.findings, kept.found.hints) if kept.found is not None else ()))
            kept.found = found
        return found

    async def ask_checkers(uri: str) -> None:
        text = server.workspace.get_text_document(uri).source
        kept = known.get(uri)
        if kept is None or kept.asked == text or len(text) >= MOST_CHARACTERS:
            return
        answers: Mapping[str, Said] = await asyncio.to_thread(check_types, [text])
        if uri in known:  # not closed meanwhile
            kept.asked, kept.said, kept.found = text, answers[digest(text)], None
            publish(uri)

    def publish(uri: str) -> None:
        found = analyse(uri)
        lines = found.text.splitlines()
        diagnostics = [_diagnostic(f, lines) for f in found.findings]
        if found.left_out:
            whole = types.Range(types.Position(0, 0), types.Position(0, 0))
            told = "\n".join(("Not all of this file is analysed.", *found.left_out))
            diagnostics.append(
                types.Diagnostic(whole, told, severity=types.DiagnosticSeverity.Information, source="assay")
            )
        if known[uri].shown == diagnostics:
            return
        known[uri].shown = diagnostics
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics))
        server.workspace_inlay_hint_refresh(None)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        publish(params.text_document.uri)
        await ask_checkers(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        await ask_checkers(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        await asyncio.sleep(PAUSE)
        if server.workspace.get_text_document(uri).version == params.text_document.version:
            publish(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        known.pop(params.text_document.uri, None)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def inlay(params: types.InlayHintParams) -> list[types.InlayHint]:
        found = analyse(params.text_document.uri)
        first, last = params.range.start.line, params.range.end.line
        lines = found.text.splitlines()
        return [
            types.InlayHint(
                position=types.Position(hint.line - 1, _units(lines[hint.line - 1], hint.column - 1)),
                label=f": {hint.shape}",
                kind=types.InlayHintKind.Type,
                padding_left=False,
            )
            for hint in found.hints
            if first <= hint.line - 1 <= last
        ]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        found = analyse(uri)
        lines = found.text.splitlines()
        found_here = [
            finding
            for finding in found.findings
            if finding.location is not None
            and params.range.start.line <= finding.location.line - 1 <= params.range.end.line
        ]
        return [action for finding in found_here if (action := _action(finding, uri, lines)) is not None]

    return server


def _action(finding: Finding, uri: str, lines: list[str]) -> types.CodeAction | None:
    """The change that tracing proved, as a fix of the editor."""
    from lsprotocol import types

    fix, where = finding.suggestion, finding.location
    if fix is None or fix.line is None or fix.replacement is None or where is None or fix.path != where.path:
        return None
    replaced = types.Range(types.Position(fix.line - 1, 0), types.Position(fix.end_line or fix.line, 0))
    edit = types.TextEdit(replaced, fix.replacement.rstrip("\n") + "\n")
    return types.CodeAction(
        title=fix.description,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(finding, lines)],
        edit=types.WorkspaceEdit(changes={uri: [edit]}),
    )


def _diagnostic(finding: Finding, lines: list[str]) -> types.Diagnostic:
    """A diagnostic from the finding's column to the end of its line."""
    from lsprotocol import types

    where = finding.location
    assert where is not None
    text = lines[where.line - 1] if where.line <= len(lines) else ""
    start = where.column - 1 if where.column else len(text) - len(text.lstrip())
    severity = {
        Level.ERROR: types.DiagnosticSeverity.Error,
        Level.WARNING: types.DiagnosticSeverity.Warning,
        Level.NOTE: types.DiagnosticSeverity.Information,
    }[finding.level]
    possible = " (possible)" if finding.confidence is Confidence.POSSIBLE else ""
    return types.Diagnostic(
        range=types.Range(
            types.Position(where.line - 1, _units(text, start)),
            types.Position(where.line - 1, _units(text, len(text.rstrip()))),
        ),
        message="\n".join([finding.message + possible, *finding.evidence.sentences]),
        severity=severity,
        code=finding.rule,
        code_description=types.CodeDescription(help_uri(finding.rule)),
        source="assay",
    )


def _units(text: str, characters: int) -> int:
    """The first `characters` of a line in UTF-16 code units, in which the protocol counts."""
    return len(text[:characters].encode("utf-16-le", "surrogatepass")) // 2
