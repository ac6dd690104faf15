"""Real constructions: the request on standard input; for each vector whether the framework builds and runs it."""

import contextlib
import importlib.util
import json
import os
import sys


def torch_runs(function, style, inputs, vector):
    import inspect

    import torch

    with torch.no_grad():
        if style == "trial":
            import optuna

            model, examples = function(optuna.trial.FixedTrial(vector))
        else:
            taken = inspect.signature(function).parameters
            model = function(**{n: v for n, v in vector.items() if n in taken})
            examples = []
            for item in inputs.values():
                shape = [vector.get(d, d) for d in item["shape"]]
                examples.append(torch.zeros(shape, dtype=getattr(torch, item.get("dtype", "float32"))))
        model.eval()(*examples)


def keras_runs(function, style, inputs, vector):
    import keras
    import numpy as np

    keras.backend.clear_session()
    if style == "hp":
        import keras_tuner

        given = keras_tuner.HyperParameters()
        given.values = dict(vector)
        model = function(given)
    else:
        model = function(**vector)
    model([np.zeros([2, *x.shape[1:]], x.dtype) for x in model.inputs])


def main():
    import yaml

    request = json.load(sys.stdin)
    sys.path.insert(0, os.path.dirname(request["file"]))
    spec = importlib.util.spec_from_file_location("entry", request["file"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, request["name"])
    runs = keras_runs if "keras" in os.path.basename(request["file"]) else torch_runs
    inputs = yaml.safe_load(request["inputs"] or "{}")
    found = []
    for vector in request["vectors"]:
        try:
            with contextlib.redirect_stdout(sys.stderr):
                runs(function, request["style"], inputs, vector)
        except Exception:
            found.append(False)
        else:
            found.append(True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
