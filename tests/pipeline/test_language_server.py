"""`assay lsp` as an editor speaks to it: diagnostics, hints and fixes over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

SOURCE = """\
import torch
from torch import nn

x = torch.zeros(2, 3)
𝛼, y = 1, nn.Linear(3, 4)(x)
z = y.view(7)
"""


async def conversation(folder: Path) -> tuple[list[types.Diagnostic], list[types.InlayHint], list[types.CodeAction]]:
    client = LanguageClient("editor", "1")
    published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda found: published.put_nowait(found))
    client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)(lambda _: None)
    await client.start_io(sys.executable, "-m", "analyzer", "lsp", "--stdio")
    await client.initialize_async(types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri()))
    client.initialized(types.InitializedParams())
    uri = (folder / "net.py").as_uri()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, SOURCE.replace("7", "8")))
    )
    assert not (await published.get()).diagnostics
    whole = types.TextDocumentContentChangeWholeDocument(SOURCE)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, uri), [whole])
    )
    diagnostics = list((await published.get()).diagnostics)
    document, everything = types.TextDocumentIdentifier(uri), types.Range(types.Position(0, 0), types.Position(9, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, everything))
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(document, everything, types.CodeActionContext(diagnostics))
    )
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return diagnostics, list(hints or ()), [a for a in actions or () if isinstance(a, types.CodeAction)]


def test_findings_shapes_and_fixes_reach_an_editor(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    diagnostics, hints, actions = asyncio.run(conversation(tmp_path))
    (diagnostic,) = diagnostics
    assert diagnostic.code == "tracing/incompatible-shape"
    assert diagnostic.range == types.Range(types.Position(5, 4), types.Position(5, 13))
    shown = [(h.position.line, h.position.character, h.label) for h in hints]
    assert shown == [(3, 1, ": [2, 3]"), (4, 5, ": [2, 4]")]
    (action,) = actions
    assert action.edit is not None
    assert action.edit.changes is not None
    ((edit,),) = action.edit.changes.values()
    assert edit.new_text == "z = y.view(8)\n"
