"""Protocol buffers in text form, read into messages; about ten times as fast as the general parser of protobuf.

Grammar: the text format specification of protobuf, without extensions and ``Any``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf import text_encoding
from google.protobuf.descriptor import FieldDescriptor

_TOKEN = re.compile(
    r"""\s+|\#[^\n]*
    |([A-Za-z_][\w.]*)                                    # name, enumerator, inf, nan
    |("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')            # string
    |([-+]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[fF]?|inf(?:inity)?|nan))
    |([{}<>\[\]:;,])
    |(.)""",
    re.VERBOSE | re.IGNORECASE,
)

_INTEGERS = frozenset(
    getattr(FieldDescriptor, f"TYPE_{name}")
    for name in ("INT32", "INT64", "UINT32", "UINT64", "SINT32", "SINT64", "FIXED32", "FIXED64", "SFIXED32", "SFIXED64")
)


class TextProblem(ValueError):
    """The text does not parse; `str` says what and in which line."""


def unquoted(token: str) -> bytes:
    """The bytes that a quoted string stands for."""
    body = token[1:-1]
    if "\\" not in body:
        return body.encode("utf-8", "surrogateescape")
    try:
        value: bytes = text_encoding.CUnescape(body)
    except ValueError:
        raise TextProblem("a string with a damaged escape") from None
    return value


def parse(text: str, message: Any, enums: Callable[[str], int | None], depth: int = 64) -> Any:
    """Merge `text` into `message` and return it. `enums` gives the number of an enumerator's name.

    Unknown fields are skipped, as readers of newer files must.

    Raises:
        TextProblem: with the line.
    """
    parser = _Parser(text, enums)
    parser.fields(message, "", depth)
    return message


class _Parser:
    def __init__(self, text: str, enums: Callable[[str], int | None]) -> None:
        self.text = text
        self.position = 0
        self.enums = enums
        self.tokens = self.scan()
        self.kind, self.token = next(self.tokens)

    def scan(self) -> Iterator[tuple[int, str]]:
        for match in _TOKEN.finditer(self.text):
            kind = match.lastindex
            if kind is not None:
                self.position = match.start()
                if kind == 5:
                    raise self.problem(f"unexpected {match.group()!r}")
                yield kind, match.group()
        self.position = len(self.text)
        yield 0, ""

    def problem(self, what: str) -> TextProblem:
        return TextProblem(f"line {self.text.count(chr(10), 0, self.position) + 1}: {what}")

    def advance(self) -> str:
        token = self.token
        self.kind, self.token = next(self.tokens, (0, ""))
        return token

    def fields(self, message: Any, end: str, depth: int) -> None:
        if depth <= 0:
            raise self.problem("messages are nested too deeply")
        known = None if message is None else message.DESCRIPTOR.fields_by_name
        while self.token != end:
            if self.kind != 1:
                raise self.problem("a field name is expected" if self.token else "the file ends too early")
            name = self.advance()
            field = None if known is None else known.get(name)
            colon = self.token == ":"
            if colon:
                self.advance()
            if self.token in ("{", "<"):
                close = "}" if self.advance() == "{" else ">"
                self.submessage(message, field, close, depth)
            elif colon:
                self.scalars(message, field)
            else:
                raise self.problem(f"':' or '{{' is expected after '{name[:40]}'")
            if self.token in (",", ";"):
                self.advance()
        self.advance()

    def submessage(self, message: Any, field: Any, close: str, depth: int) -> None:
        if field is None:
            return self.fields(None, close, depth - 1)
        if field.message_type is None:
            raise self.problem(f"'{field.name}' is not a message")
        target = getattr(message, field.name)
        if not field.is_repeated:
            target.SetInParent()
            return self.fields(target, close, depth - 1)
        if not field.message_type.GetOptions().map_entry:
            return self.fields(target.add(), close, depth - 1)
        entry = _entry(field)
        self.fields(entry, close, depth - 1)
        if field.message_type.fields_by_name["value"].message_type is None:
            target[entry.key] = entry.value
        else:
            target[entry.key].CopyFrom(entry.value)
        return None

    def scalars(self, message: Any, field: Any) -> None:
        if self.token != "[":
            self.store(message, field)
            return
        self.advance()
        while self.token != "]":
            if not self.token:
                raise self.problem("the file ends too early")
            self.store(message, field)
            if self.token == ",":
                self.advance()
        self.advance()

    def store(self, message: Any, field: Any) -> None:
        kind, token = self.kind, self.token
        if kind not in (1, 2, 3):
            raise self.problem("a value is expected" if token else "the file ends too early")
        pieces = [self.advance()]
        while kind == 2 and self.kind == 2:
            pieces.append(self.advance())
        if field is None:
            return
        if field.message_type is not None:
            raise self.problem(f"'{field.name}' is a message")
        try:
            value = self.value(field, kind, pieces)
            if field.is_repeated:
                getattr(message, field.name).append(value)
            else:
                setattr(message, field.name, value)
        except TextProblem as error:
            raise self.problem(str(error)) from None
        except (ValueError, TypeError, OverflowError):
            raise self.problem(f"'{token[:40]}' does not fit '{field.name}'") from None

    def value(self, field: Any, kind: int, pieces: list[str]) -> Any:
        token = pieces[0]
        if field.type == FieldDescriptor.TYPE_BYTES:
            if kind != 2:
                raise ValueError
            return b"".join(map(unquoted, pieces))
        if field.type == FieldDescriptor.TYPE_STRING:
            if kind != 2:
                raise ValueError
            return b"".join(map(unquoted, pieces)).decode("utf-8")
        if kind == 2:
            raise ValueError
        if field.type == FieldDescriptor.TYPE_BOOL:
            return {"true": True, "True": True, "t": True, "1": True}.get(token) or _false(token)
        if field.type in _INTEGERS:
            if kind == 1:
                number = self.enums(token)
                if number is None:
                    raise ValueError
                return number
            return int(token, 0) if not token.lstrip("+-").startswith("0") or "x" in token.lower() else int(token, 8)
        return float(token.rstrip("fF") if token[-1:] in "fF" and "inf" not in token.lower() else token)


def _false(token: str) -> bool:
    if token not in ("false", "False", "f", "0"):
        raise ValueError
    return False


def _entry(field: Any) -> Any:
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(field.message_type)()
