"""`report.html` in a real browser: filters, graph, keyboard, light and dark; hostile text stays text."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analyzer.rendering.page import page
from tests.rendering.sample_report import sample_report

pytestmark = pytest.mark.browser

HOSTILE = '"><img src=x onerror=window.owned=1><script>window.owned=1</script>${{7*7}} </script>'


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert chromium, "Chromium is needed for these tests: apt-get install chromium"
    with sync_playwright() as playwright:
        instance = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield instance
        instance.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """A function that opens a report's page; at the end nothing may have been requested and nothing complained."""
    complaints: list[str] = []
    tabs: list[Any] = []

    def open_page(report: Any, **context: Any) -> Any:
        path = tmp_path / "report.html"
        path.write_text(page(report), encoding="utf-8")
        tab = browser.new_context(**context).new_page()
        tabs.append(tab)
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("request", lambda r: r.url.startswith("file:") or complaints.append(f"requested {r.url}"))
        tab.goto(path.as_uri())
        return tab

    yield open_page
    for tab in tabs:
        tab.context.close()
    assert complaints == []


def visible(tab: Any) -> list[str]:
    found: list[str] = tab.eval_on_selector_all(
        ".finding:not([hidden]) summary strong", "nodes => nodes.map(n => n.textContent.slice(0, 12))"
    )
    return found


def test_blocking_findings_come_first_and_open(opened: Any) -> None:
    tab = opened(sample_report())
    assert tab.inner_text("h1").endswith("2 new problems in 1 of 2 models")
    assert visible(tab) == ["log receives", "kernel 7 doe", "exp may rece"]
    assert tab.eval_on_selector_all(".finding[open]", "n => n.length") == 2
    assert "F.logsigmoid" in tab.inner_text("#findings")


def test_filters(opened: Any) -> None:
    from playwright.sync_api import expect

    tab = opened(sample_report())
    tab.uncheck("input[name=level][value=error]")
    assert visible(tab) == ["exp may rece"]
    tab.check("input[name=state][value=suppressed]")
    assert visible(tab) == ["exp may rece", "a sum may ov"]
    tab.fill("#q", "float16")
    assert visible(tab) == ["a sum may ov"]
    assert tab.inner_text("#shown") == "1 of 5"
    tab.fill("#q", "no such thing")
    assert tab.is_visible("#none")
    tab.click("button[type=reset]")
    # Not `wait_for_function`: it polls by evaluating text, which the page's content security policy forbids.
    expect(tab.locator(".finding:not([hidden])")).to_have_count(5)


def test_the_graph_answers_mouse_and_search(opened: Any) -> None:
    tab = opened(sample_report())
    tab.select_option("#graph", label="vae-loss: torch against float64")
    transform = "document.querySelector('.drawing:not([hidden])').style.transform"
    before = tab.evaluate(transform)
    tab.click("[data-zoom='1.25']")
    assert tab.evaluate(transform) != before
    tab.fill("#find", "up2")
    assert tab.inner_text("#found") == "1 found"
    assert "introduces the error" in tab.inner_text("#layer")
    assert "0.87" in tab.inner_text("#layer")
    tab.select_option("#graph", label="vae-loss: layers")
    tab.fill("#find", "encoder")
    assert "batch × 20" in tab.inner_text("#layer")
    assert "[-4, 4]" in tab.inner_text("#layer")


def test_everything_works_from_the_keyboard(opened: Any) -> None:
    tab = opened(sample_report())
    transform = "document.querySelector('.drawing:not([hidden])').style.transform"
    tab.focus("#canvas")
    seen = {tab.evaluate(transform)}
    for key in ("ArrowRight", "ArrowDown", "+", "-", "0"):
        tab.keyboard.press(key)
        seen.add(tab.evaluate(transform))
    assert len(seen) == 4  # start, right, down, in; out and fit come back to earlier ones
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert tab.inner_text("#layer h3") == "conv1"
    tab.focus(".finding summary")
    tab.keyboard.press("Enter")
    assert tab.eval_on_selector_all(".finding[open]", "n => n.length") == 1


def test_a_finding_leads_to_its_layer(opened: Any) -> None:
    tab = opened(sample_report())
    tab.click(".goto >> nth=0")
    assert tab.inner_text("#layer h3") == "VAE.loss"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_follow_the_system_and_can_be_switched(opened: Any, scheme: str) -> None:
    tab = opened(sample_report(), color_scheme=scheme)
    background = "getComputedStyle(document.body).backgroundColor"
    first = tab.evaluate(background)
    assert (first == "rgb(255, 255, 255)") is (scheme == "light")
    tab.click("#theme")
    assert tab.evaluate(background) != first


def test_a_phone_needs_no_sideways_scrolling(opened: Any) -> None:
    tab = opened(sample_report(), viewport={"width": 390, "height": 844})
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_hostile_names_stay_text(opened: Any) -> None:
    tab = opened(sample_report(name=HOSTILE, layer=HOSTILE, path="a/" + HOSTILE))
    assert tab.evaluate("window.owned") is None
    assert tab.eval_on_selector_all("img, iframe, a[href]:not(.skip)", "n => n.length") == 0
    assert tab.eval_on_selector_all("script", "n => n.length") == 1
    assert HOSTILE.split(">")[0] in tab.inner_text("main")
