"""Names of strangers in the page, the drawings, SARIF and the terminal: they stay text, whatever they say."""

from __future__ import annotations

import io
import json
import re
import shutil
import unicodedata
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from sarif_pydantic import Sarif

from analyzer.findings import DeviationMap, Report
from analyzer.rendering import sarif, terminal
from analyzer.rendering.deviation_graph import dot
from analyzer.rendering.files import write
from analyzer.rendering.page import page
from tests.action.hostile_reports import maps, reports

# Everything the page and its drawings are made of.
TAGS = frozenset(
    {"html", "head", "meta", "title", "style", "body", "a", "header", "div", "h1", "h2", "h3", "span", "p", "button"}
    | {"main", "section", "table", "thead", "tbody", "tr", "th", "td", "form", "label", "input", "fieldset", "legend"}
    | {"select", "option", "details", "summary", "strong", "code", "ol", "ul", "li", "pre", "aside", "footer", "script"}
    | {"svg", "g", "path", "polygon", "polyline", "ellipse", "text"}
)
ADDRESSES = re.compile(r"#[\w-]*\Z")  # links lead to places on the page itself
needs_graphviz = pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs)
        self.tags.append((tag, dict(attrs)))

    def handle_comment(self, data: str) -> None:
        assert re.fullmatch(r"[\w .&#;-]*", data), data  # Graphviz names its nodes in comments

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)


@needs_graphviz
@given(reports)
@settings(max_examples=25)
def test_the_page_is_made_of_our_elements_alone(report: Report) -> None:
    text = page(report)
    text.encode()
    reader = _Page()
    reader.feed(text)
    reader.close()
    assert {tag for tag, _ in reader.tags} <= TAGS
    assert [tag for tag, _ in reader.tags].count("script") == 1
    assert [tag for tag, _ in reader.tags].count("style") == 1
    for tag, given_attributes in reader.tags:
        for name, value in given_attributes.items():
            assert not name.startswith("on"), f"{tag} {name}"
            assert name not in ("src", "srcdoc", "action", "formaction", "xlink:href", "background"), f"{tag} {name}"
            assert name != "href" or ADDRESSES.match(value or ""), value
            assert name != "style" or tag == "svg", f"{tag} {value}"
        if tag == "div" and "data-nodes" in given_attributes:
            json.loads(given_attributes["data-nodes"] or "")


@needs_graphviz
@given(maps)
@settings(max_examples=25)
def test_a_drawing_is_made_of_shapes_and_text(deviations: DeviationMap) -> None:
    data = dot(deviations).pipe(format="svg")
    for element in ElementTree.fromstring(data).iter():
        tag = str(element.tag).rpartition("}")[2]
        assert tag in ("svg", "g", "title", "path", "polygon", "polyline", "ellipse", "text", "a"), tag
        for name, value in element.attrib.items():
            plain = name.rpartition("}")[2]
            assert plain != "href", value
            assert not plain.startswith("on"), plain


@given(reports)
def test_sarif_has_no_link_of_strangers(report: Report) -> None:
    text = sarif.dumps(report)
    text.encode()
    data = json.loads(text)
    Sarif.model_validate(data)
    (run,) = data["runs"]
    for result in run["results"]:
        for message in (result["message"]["text"], *(s["justification"] for s in result.get("suppressions", ()))):
            assert not re.search(r"(?<!\\)(?:\\\\)*[\[\]]", message), message  # brackets are escaped
            assert message.isprintable()
        (place,) = result["locations"]
        uri = place["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[\w.~%/-]*", uri), uri
        assert "://" not in unquote(uri).partition("/")[0]


@given(reports)
def test_the_terminal_gets_no_control_sequence(report: Report) -> None:
    stream = io.StringIO()
    terminal.show(report, Console(file=stream, width=120, force_terminal=False, color_system=None))
    assert "\x1b" not in stream.getvalue()
    assert {unicodedata.category(c) for c in stream.getvalue() if c != "\n"} & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()


@needs_graphviz
@given(report=reports)
@settings(max_examples=15)
def test_every_file_can_be_written(tmp_path_factory: pytest.TempPathFactory, report: Report) -> None:
    folder: Path = tmp_path_factory.mktemp("report")
    write(report, folder)
    inside = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {"report.json", "report.sarif", "report.md", "report.html"} <= inside
    assert all(
        re.fullmatch(r"report\.\w+|targets/[\w.-]+/(?:deviation|distances)-\d+\.\w+", name) for name in inside
    ), inside


def test_the_strategies_are_hostile() -> None:
    """The judge itself: somewhere in the drawn reports the dangerous fragments do occur."""
    seen: list[str] = []

    @given(st.lists(reports, min_size=1, max_size=1))
    @settings(database=None)
    def collect(drawn: list[Report]) -> None:
        seen.append(repr(drawn))

    collect()
    everything = "".join(seen)
    assert all(fragment in everything for fragment in ("<script>", "@octocat", "](https://evil"))
