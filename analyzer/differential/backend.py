"""Names of engines with their axes: ``onnxruntime@1.20.1:opt=all:disabled=Pad_Fusion``.

An axis is a named knob with a default, so that two results can always be told apart by their knobs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from analyzer.problem import UsageProblem

ANY = ()  # a number or a name that the engine checks


@dataclass(frozen=True, slots=True)
class Engine:
    """What Assay knows about an engine before it starts one."""

    name: str
    title: str  # as a person writes it
    artefacts: tuple[str, ...]  # kinds of model it takes, best first
    packages: tuple[str, ...]  # what a version in the backend's name pins
    knobs: Mapping[str, tuple[str, ...]]  # knob -> allowed values, the first is the default; () any


PRECISIONS = ("float32", "tf32", "bfloat16", "float16", "float64")
KERAS_KNOBS = {
    "precision": ("float32", "bfloat16", "float16", "mixed_float16", "mixed_bfloat16", "float64"),
    "call": ("inference", "plain", "predict"),
    "jit": ("off", "on"),
    "device": ("cpu", "cuda"),
    "threads": ANY,
}


def _keras(backend: str, title: str) -> Engine:
    knobs = KERAS_KNOBS
    if backend == "openvino":  # the one whose own choice is another than what Keras declares
        knobs = {**knobs, "precision": (*knobs["precision"], "default")}
    return Engine(f"keras-{backend}", f"Keras on {title}", ("keras", "keras-entry"), ("keras",), knobs)


ENGINES = {
    engine.name: engine
    for engine in (
        Engine(
            "onnxruntime",
            "ONNX Runtime",
            ("onnx",),
            ("onnxruntime",),
            {
                "opt": ("all", "disable", "basic", "extended"),
                "disabled": ANY,
                "threads": ANY,
                "device": ("cpu", "cuda", "tensorrt"),
                "precision": ("float32", "tf32"),
            },
        ),
        Engine("reference", "onnx.reference", ("onnx",), ("onnx",), {"precision": ("float32", "float64")}),
        Engine(
            "openvino",
            "OpenVINO",
            ("onnx",),
            ("openvino",),
            {
                "precision": ("float32", "bfloat16", "float16", "default"),
                "threads": ANY,
                "device": ("cpu", "gpu"),
            },
        ),
        Engine(
            "torch",
            "PyTorch",
            ("torch-program", "torch-entry"),
            ("torch",),
            {
                "mode": ("eager", "compile", "export"),
                "backend": ("inductor", "aot_eager", "eager"),
                "precision": (*PRECISIONS[:4], "mixed_bfloat16", "mixed_float16", "float64"),
                "device": ("cpu", "cuda"),
                "cudnn": ("plain", "benchmark"),
                "mkldnn": ("on", "off"),
                "threads": ANY,
            },
        ),
        Engine(
            "tensorflow",
            "TensorFlow",
            ("tensorflow", "tensorflow-entry"),
            ("tensorflow", "tensorflow-cpu"),
            {
                "mode": ("function", "eager", "xla"),
                "grappler": ("on", "off"),
                "precision": ("float32", "tf32", "float64"),
                "device": ("cpu", "cuda"),
                "threads": ANY,
            },
        ),
        Engine(
            "tflite",
            "TensorFlow Lite",
            ("tflite",),
            ("tensorflow", "tensorflow-cpu"),
            {"threads": ANY},
        ),
        Engine(
            "jax",
            "JAX",
            ("jax-entry",),
            ("jax",),
            {
                "mode": ("jit", "eager"),
                "precision": ("float32", "tf32", "bfloat16", "float16", "float64"),
                "device": ("cpu", "cuda"),
            },
        ),
        _keras("tensorflow", "TensorFlow"),
        _keras("jax", "JAX"),
        _keras("torch", "PyTorch"),
        _keras("openvino", "OpenVINO"),
        _keras("numpy", "NumPy"),
    )
}

ALIASES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "ort": ("onnxruntime", {}),
    "onnx": ("reference", {}),
    "onnx.reference": ("reference", {}),
    "keras": ("keras-tensorflow", {}),
    "keras-tf": ("keras-tensorflow", {}),
    "torch.compile": ("torch", {"mode": "compile"}),
    "torch.export": ("torch", {"mode": "export"}),
    "tf": ("tensorflow", {}),
    "tf.function": ("tensorflow", {"mode": "function"}),
    "tf-eager": ("tensorflow", {"mode": "eager"}),
    "xla": ("tensorflow", {"mode": "xla"}),
    "jax-eager": ("jax", {"mode": "eager"}),
}


@dataclass(frozen=True, slots=True)
class Backend:
    """One engine, perhaps of a pinned version, with the knobs that were set; all others have their defaults."""

    engine: Engine
    version: str | None = None
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def knobs(self) -> dict[str, str]:
        return {name: values[0] if values else "" for name, values in self.engine.knobs.items()} | dict(self.settings)

    @property
    def name(self) -> str:
        """The name that `parse` reads back."""
        version = f"@{self.version}" if self.version else ""
        return self.engine.name + version + "".join(f":{k}={v}" for k, v in self.settings)

    @property
    def title(self) -> str:
        """As a person says it: ``ONNX Runtime 1.20.1 (opt=all)``."""
        extra = ", ".join(f"{k}={v}" for k, v in self.settings)
        return " ".join(filter(None, (self.engine.title, self.version, f"({extra})" if extra else "")))

    @property
    def accelerated(self) -> bool:
        """Whether it computes on a device of its own, which the machine's driver gives."""
        return str(self.knobs.get("device") or "cpu").lower() != "cpu"

    def having(self, **settings: str) -> Backend:
        """A twin with other knobs."""
        return replace(self, settings=tuple(sorted((dict(self.settings) | settings).items())))


# Engine -> the modes that run operation by operation, hence define what is right.
EAGER = {"torch": ("eager",), "tensorflow": ("eager", "function"), "jax": ("eager",)}


def is_defining(backend: Backend) -> bool:
    """Whether what this engine refuses, in this mode, is no valid input of the model: it says what the model means."""
    name = backend.engine.name
    return name.startswith("keras-") or backend.knobs.get("mode") in EAGER.get(name, ())


def parse(text: str) -> Backend:
    """Read ``engine[@version][:knob=value]…``.

    Raises `UsageProblem` for an unknown engine, knob or value, naming those there are.
    """
    head, *rest = text.strip().split(":")
    name, _, version = head.partition("@")
    engine_name, preset = ALIASES.get(name, (name, {}))
    engine = ENGINES.get(engine_name)
    if engine is None:
        raise UsageProblem(f"there is no backend called {name!r}; there are {', '.join(sorted({*ENGINES, *ALIASES}))}.")
    if version and not re.fullmatch(r"[0-9][0-9A-Za-z.+!_-]{0,39}", version):
        raise UsageProblem(f"{version!r} in backend {text!r} is not a version, such as `{engine.name}@1.2.3`.")
    settings = dict(preset)
    for part in rest:
        knob, equals, value = part.partition("=")
        if not equals or knob not in engine.knobs:
            raise UsageProblem(
                f"{part!r} in backend {text!r} is not a knob of {engine.title}; write e.g. "
                f"`{engine.name}:{_example(engine)}`; its knobs are {', '.join(engine.knobs)}."
            )
        allowed = engine.knobs[knob]
        if allowed and value not in allowed:
            raise UsageProblem(f"{knob}={value} in backend {text!r} must be one of {', '.join(allowed)}.")
        if knob == "threads" and not value.isdigit():
            raise UsageProblem(f"threads={value} in backend {text!r} must be a number.")
        settings[knob] = value
    return Backend(engine, version or None, tuple(sorted(settings.items())))


def any_accelerated(texts: Sequence[str]) -> bool:
    """Whether one of these names, as a person wrote them, asks for a device; what is no backend is told elsewhere."""
    for text in texts:
        with suppress(UsageProblem):
            if parse(text).accelerated:
                return True
    return False


def parse_all(texts: Sequence[str], versions: Sequence[str] = ()) -> tuple[Backend, ...]:
    """Every backend once; with `versions`, those without a version once for each version and the installed one.

    ``1.20.1`` is a version of every engine, ``onnxruntime==1.20.1`` of that engine alone, which runs even if it is not
    among `texts`. Raises `UsageProblem` for a package that no engine belongs to.
    """
    found: dict[str, Backend] = {}
    pinned = [(p.strip(), v.strip()) for p, equals, v in (text.partition("==") for text in versions) if equals]
    common = [v for v in versions if "==" not in v]
    texts = list(texts)
    for package, version in pinned:
        owners = [e.name for e in ENGINES.values() if _pins(e, package)]
        if not owners:
            every = sorted({p for e in ENGINES.values() for p in e.packages})
            raise UsageProblem(f"--versions {package}=={version}: there is no engine of that package; {every} have.")
        if not any(parse(text).engine.name in owners for text in texts):
            texts.append(owners[0])
    for text in texts:
        backend = parse(text)
        variants = [backend]
        if not backend.version:
            mine = [v for package, v in pinned if _pins(backend.engine, package)]
            variants += [parse(f"{backend.engine.name}@{v}") for v in (*common, *mine)]
            variants[1:] = [replace(v, settings=backend.settings) for v in variants[1:]]
        for variant in variants:
            found.setdefault(variant.name, variant)
    return tuple(found.values())


def _pins(engine: Engine, package: str) -> bool:
    return package in (engine.name, *engine.packages) or ALIASES.get(package, ("",))[0] == engine.name


def _example(engine: Engine) -> str:
    knob, values = next(iter(engine.knobs.items()))
    return f"{knob}={values[-1] if values else '2'}"
