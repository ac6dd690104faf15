"""Names by which Python's library knows one object twice."""

from __future__ import annotations

_FLAGS = ("ASCII", "IGNORECASE", "LOCALE", "MULTILINE", "DOTALL", "UNICODE", "VERBOSE")
_LETTERS = ("A", "I", "L", "M", "S", "U", "X")
_SECOND = {
    **{f"re.{short}": f"re.{name}" for short, name in zip(_LETTERS, _FLAGS, strict=True)},
    **dict.fromkeys(("IOError", "EnvironmentError", "WindowsError"), "OSError"),
    **dict.fromkeys(("os.error", "socket.error", "select.error", "mmap.error"), "OSError"),
    **dict.fromkeys(("socket.timeout", "asyncio.TimeoutError", "concurrent.futures.TimeoutError"), "TimeoutError"),
    "asyncio.exceptions.TimeoutError": "TimeoutError",
    "copy.error": "copy.Error",
    "json.decoder.JSONDecodeError": "json.JSONDecodeError",
    "json.decoder.JSONDecoder": "json.JSONDecoder",
    "json.encoder.JSONEncoder": "json.JSONEncoder",
    "logging.FATAL": "logging.CRITICAL",
    "logging.WARN": "logging.WARNING",
    "types.BuiltinMethodType": "types.BuiltinFunctionType",
    "types.LambdaType": "types.FunctionType",
}


def first_name(name: str) -> str:
    """The one name of what several may stand for."""
    plain = name.removeprefix("builtins.")
    return _SECOND.get(plain, plain)
