"""Where code of an entry point may run, as a person or a configuration chooses it."""

from __future__ import annotations

import argparse

from analyzer.configuration.config import Environment
from analyzer.walls import launch
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.process import ProcessSandbox
from analyzer.walls.protocol import Sandbox

CHOICES = ("auto", "docker", "process", "none")


def add_sandbox(parser: argparse.ArgumentParser, image: str = "--image") -> None:
    """`image`: the option that names the container image."""
    parser.add_argument(
        "--sandbox",
        choices=CHOICES,
        default="auto",
        help="where project code runs to export an entry point: docker, a container; process, a process of this "
        "machine's Python, behind the kernel's wall on Linux; none, nowhere; auto, a container for a configured image, "
        "else a process where that wall stands, else a container (default: auto)",
    )
    parser.add_argument(image, metavar="IMAGE", help="the container image, which chooses a container")


def chosen(kind: str, image: str | None, environment: Environment) -> Sandbox | None:
    """The sandbox of one of `CHOICES`; None where nothing may run.

    A process has what this machine's Python has installed: on a laptop that is what the project needs.
    """
    image = image or environment.image
    if kind == "none":
        return None
    if kind == "process" or (kind == "auto" and image is None and launch.standing() is None):
        return ProcessSandbox()
    return DockerSandbox(image=image)
