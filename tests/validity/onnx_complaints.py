"""What `onnx.checker` with strict shape inference has against a model; runs in a process that may crash."""

from __future__ import annotations


def complaint_about(data: bytes) -> str | None:
    """The first line of the complaint, or None."""
    import onnx

    model = onnx.load_model_from_string(data)
    try:
        onnx.checker.check_model(model, full_check=True)
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    except Exception as error:
        return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return None
