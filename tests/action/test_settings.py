"""Inputs and environment: strict, readable, and silent about the token."""

from __future__ import annotations

import pytest

from action.settings import Pictures, ProjectCode, drop_secrets, from_environ
from analyzer.findings import FailOn
from analyzer.problem import UsageProblem

RUNNER = {
    "GITHUB_EVENT_NAME": "pull_request",
    "GITHUB_EVENT_PATH": "/event.json",
    "GITHUB_REPOSITORY": "octo/models",
    "GITHUB_SHA": "a" * 40,
    "GITHUB_WORKSPACE": "/github/workspace",
}


def test_defaults_and_values() -> None:
    made = from_environ(
        {**RUNNER, "INPUT_FAIL-ON": "possible", "INPUT_TARGETS": "a.onnx, b.onnx\nc.py:f", "INPUT_ID": ""}
    )
    assert (made.fail_on, made.targets, made.id) == (FailOn.POSSIBLE, ("a.onnx", "b.onnx", "c.py:f"), "assay")
    assert (made.comment, made.pictures, made.project_code) == (True, Pictures.AUTO, ProjectCode.SANDBOX)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("COMMENT", "yes", "`true` or `false`"),
        ("COMMENT", "1", "`true` or `false`"),
        ("FAIL-ON", "always", "never, confirmed, possible"),
        ("ONLY", "numerical, style", "differential"),
        ("MAX-COMMENTS", "31", "from 0 to 30"),
        ("MAX-COMMENTS", "-1", "from 0 to 30"),
        ("MAX-COMMENTS", "٣", "from 0 to 30"),
        ("OUTPUT", "../out", "inside the repository"),
        ("OUTPUT", "/out", "inside the repository"),
        ("CACHE", "a/../../b", "inside the repository"),
        ("CONFIG", "~/x.yml", "inside the repository"),
        ("ID", "a--b", "two dashes"),
        ("ID", "a b", "letters"),
        ("PICTURES-BRANCH", "a..b", "no name for a branch"),
        ("PICTURES-BRANCH", "-f", "no name for a branch"),
        ("TYPO", "x", "not an input"),
        ("PROJECT-CODE", "docker", "never, sandbox, process"),
    ],
)
def test_wrong_inputs_say_what_is_right(name: str, value: str, told: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        from_environ({**RUNNER, f"INPUT_{name}": value})
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GITHUB_API_URL", "file:///etc"),
        ("GITHUB_API_URL", "https://user:pass@host"),
        ("GITHUB_REPOSITORY", "octo"),
        ("GITHUB_REPOSITORY", "octo/mo dels"),
        ("GITHUB_EVENT_NAME", ""),
    ],
)
def test_a_broken_environment_is_refused(name: str, value: str) -> None:
    with pytest.raises(UsageProblem):
        from_environ({**RUNNER, name: value})


def test_the_token_is_never_printed_and_leaves_the_environment() -> None:
    environ = {
        **RUNNER,
        "INPUT_TOKEN": "s3cret",
        "GITHUB_TOKEN": "s3cret",
        "ACTIONS_RUNTIME_TOKEN": "s3cret",
        "GH_TOKEN": "s3cret",
    }
    made = from_environ(environ)
    drop_secrets(environ)
    assert "s3cret" not in repr(made)
    assert "s3cret" not in environ.values()
    assert environ.keys() == RUNNER.keys()
