"""Entry points that fail in every way: each gives one clear sentence that says what, where, and how to mend it."""

from __future__ import annotations

import pytest

from analyzer.exporting.manifest import ExportProblem
from analyzer.problem import UsageProblem
from analyzer.walls import ResourceLimits

QUICK = ResourceLimits(seconds=10, memory=1 << 30)

CASES = {
    "a missing module": (
        "import no_such_library\ndef build(): return 1\n",
        r"module 'no_such_library' is not installed where the export runs; .*requirements.*\(m.py:1\)$",
        1,
    ),
    "a missing module inside the function": (
        "def build():\n    import no_such_library\n",
        r"module 'no_such_library' is not installed .*\(m.py:2\)$",
        2,
    ),
    "an import that raises": (
        "x = 1\ny = x / 0\n",
        r"importing the file failed with ZeroDivisionError: .*\(m.py:2\)$",
        2,
    ),
    "a syntax error": ("def build(:\n    pass\n", r"importing the file failed with SyntaxError: .*\(m.py:1\)$", 1),
    "a call that raises": (
        "def build():\n    raise ValueError('width must be even\\nsecond line')\n",
        r"calling build\(\) failed with ValueError: width must be even \(m.py:2\)$",
        2,
    ),
    "a call that exits": (
        "import sys\ndef build():\n    sys.exit(3)\n",
        r"calling build\(\) failed with SystemExit: 3",
        3,
    ),
    "a program's own arguments, which stand at their defaults": (
        "import argparse, sys\ndef build():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--width', default='8')\n"
        "    raise ValueError(sys.argv[0][-5:] + p.parse_args().width)\n",
        r"calling build\(\) failed with ValueError: /m.py8 \(m.py:5\)$",
        5,
    ),
    "arguments that nobody passes": (
        "def build(width, depth=2, *, name): return 1\n",
        r"build needs arguments \(width, name\); an entry point takes none: give them defaults .*\(m.py:1\)$",
        1,
    ),
    "no such name": ("def build_vae(): return 1\n", r"m.py defines no 'build'; did you mean 'build_vae'\?$", None),
    "nothing returned": ("def build(): pass\n", r"gave None \(is a `return` missing\?\); an entry point gives", 1),
    "nonsense returned": ("def build(): return 'a model'\n", r"gave a str; an entry point gives an nn.Module", 1),
    "a process that ends itself": (
        "import os, sys\ndef build():\n    print('bye')\n    sys.stdout.flush()\n    os._exit(0)\n",
        r"its code ended the process with code 0 before a model was handed back; .*\(it last printed: bye\)$",
        None,
    ),
    "a process that is killed": (
        "import os, signal\ndef build():\n    os.kill(os.getpid(), signal.SIGSEGV)\n",
        r"its code ended the process with code 139 before a model was handed back",
        None,
    ),
    "a hang": (
        "import time\ndef build():\n    time.sleep(1000)\n",
        r"the export did not end within 3 s and was stopped; the entry point must build the model only",
        None,
    ),
    "a hunger for memory": (
        "def build():\n    x = [bytearray(64 << 20) for _ in range(100)]\n    import time; time.sleep(100)\n",
        r"(needed more than|took more memory than the sandbox allows)",
        None,
    ),
    "megabytes of text": (
        "def build():\n    for _ in range(300): print('x' * 100_000)\n    return 5\n",
        r"gave a int; an entry point gives",
        1,
    ),
    "a workflow command": (
        "import os\ndef build():\n    print('::set-output name=x::y', flush=True)\n    os._exit(1)\n",
        r"it last printed: : :set-output name=x: :y",
        None,
    ),
    "a manifest that makes no sense": (
        "import os\ndef build():\n"
        "    open('../out/export.json', 'w').write('{\"ok\": true, \"format\": \"evil\"}')\n    os._exit(0)\n",
        r"what the export handed back makes no sense",
        None,
    ),
    "a manifest that names a file elsewhere": (
        "import os\ndef build():\n"
        "    open('../out/export.json', 'w').write("
        '\'{"ok": false, "sentence": "no", "place": ["../../etc/passwd", 1]}\')\n    os._exit(0)\n',
        r"what the export handed back makes no sense",
        None,
    ),
    "a link in place of the model": (
        "import os\ndef build():\n    os.symlink('/etc/passwd', '../out/model.onnx')\n",
        r"the sandbox handed back something that is not a plain file",
        None,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_clear_sentence(project, export_entry, case):
    source, sentence, line = CASES[case]
    project.write("m.py", source)
    limits = ResourceLimits(seconds=3) if case == "a hang" else QUICK
    with pytest.raises(ExportProblem, match=sentence) as caught:
        export_entry("m.py:build", limits=limits)
    text = str(caught.value)
    assert text.startswith("m.py:build: ")
    assert "\n" not in text
    assert "::" not in text
    assert len(text) < 600
    if line is not None:
        assert caught.value.location is not None
        assert (caught.value.location.path, caught.value.location.line) == ("m.py", line)


@pytest.mark.parametrize("entry", ["m.py", "m.py:", "m.txt:build", "m.py:a b", "../m.py:build", "/etc/m.py:build"])
def test_what_is_no_entry_point(project, export_entry, entry):
    with pytest.raises((UsageProblem, ExportProblem), match=r"entry point|leads out|no file"):
        export_entry(entry)


def test_a_file_that_is_not_there(export_entry):
    with pytest.raises(ExportProblem, match=r"there is no file 'models/none.py'"):
        export_entry("models/none.py:build")


def test_the_projects_own_files_stay_untouched(project, export_entry):
    project.write("m.py", "open('m.py', 'w').write('evil')\nopen('new.txt', 'w').write('x')\ndef build(): return 1\n")
    before = (project.root / "m.py").read_text()
    with pytest.raises(ExportProblem):
        export_entry("m.py:build", limits=QUICK)
    assert (project.root / "m.py").read_text() == before
    assert not (project.root / "new.txt").exists()
