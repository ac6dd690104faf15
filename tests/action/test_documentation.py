"""The pages: links lead somewhere, the YAML in them works, workflows follow GitHub's published schema."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from action.settings import input_names

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")])
WORKFLOWS = sorted((ROOT / "docs" / "workflows").glob("*.yml"))
LINK = re.compile(r"!?\[[^\]]*\]\((?P<to>[^)\s]+)\)")
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)


def prose(page: Path) -> str:
    """A page without its fenced blocks and code spans."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """What GitHub names the headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    for match in LINK.finditer(prose(page)):
        target, _, anchor = match["to"].partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{match['to']} does not exist"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{match['to']}: no such heading"


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "action.md"], ids=lambda p: p.name)
def test_the_workflows_in_the_pages_use_inputs_that_exist(page: Path) -> None:
    found = 0
    for _, language, text in FENCE.findall(page.read_text(encoding="utf-8")):
        if language not in ("yaml", "yml") or "assay-action/assay@" not in text:
            continue
        data = yaml.safe_load(text)
        for job in data["jobs"].values():
            assert job.get("permissions") or data["permissions"]
            for step in job["steps"]:
                if step["uses"].startswith("assay-action/assay@"):
                    found += 1
                    assert set(step.get("with", {})) <= set(input_names())
    assert found


def test_the_pictures_of_the_readme_are_there() -> None:
    names = {p.name for p in (ROOT / "docs" / "pictures").glob("*.png")}
    wanted = {f"{name}{width}.png" for name in ("review", "comment", "check", "page") for width in ("", "-phone")}
    assert wanted <= names


@pytest.mark.parametrize(
    ("schema", "files"),
    [("vendor.github-actions", [ROOT / "action.yml"]), ("vendor.github-workflows", WORKFLOWS)],
    ids=["action", "workflows"],
)
def test_the_schema_of_github_accepts_action_and_workflows(schema: str, files: list[Path]) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_schema_refuses_what_is_no_workflow(tmp_path: Path) -> None:
    (tmp_path / "bad.yml").write_text("on: pull_request\njobs: {a: {runs-on: x, stepz: []}}\n")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    assert subprocess.run([*command, str(tmp_path / "bad.yml")], capture_output=True, check=False).returncode == 1


def test_the_cache_is_saved_after_a_failed_check() -> None:
    """`actions/cache` saves nothing when the job fails, which is when Assay found something."""
    for workflow in WORKFLOWS:
        steps = [s for job in yaml.safe_load(workflow.read_text())["jobs"].values() for s in job["steps"]]
        uses = [s["uses"].partition("@")[0] for s in steps]
        assert "actions/cache" not in uses, workflow.name
        assert uses.count("actions/cache/restore") == uses.count("actions/cache/save"), workflow.name
        saves = [s for s in steps if s["uses"].startswith("actions/cache/save@")]
        assert all("!cancelled()" in s["if"] for s in saves), workflow.name


RULES = sorted((ROOT / "docs" / "rules").rglob("*.md"))
SECTIONS = ["Why it matters", "Example", "How to fix it", "How to silence it"]


@pytest.mark.parametrize("page", RULES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_every_rule_page_has_the_same_sections(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.parent.name}/{page.stem}\n\n")
    assert [s for s in re.findall(r"^## (.+)$", text, re.MULTILINE) if s != "How sure it is"] == SECTIONS


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    sources = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "analyzer").rglob("*.py"))
    families = "|".join(sorted({p.parent.name for p in RULES}))
    used = set(re.findall(rf'"((?:{families})/[a-z0-9]+(?:-[a-z0-9]+)+)"', sources))
    pages = {f"{p.parent.name}/{p.stem}" for p in RULES}
    assert used <= pages, f"no page: {sorted(used - pages)}"
    silent = [rule for rule in pages - used if rule.partition("/")[2] not in sources]
    assert not silent, f"no code: {silent}"


def test_the_files_that_contributing_names_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for name in re.findall(r"`([a-z_.]+/[a-z_/.]+?)`", text):
        assert (ROOT / name).exists(), f"{name} does not exist"
