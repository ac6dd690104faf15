"""TensorFlow and Keras: names that compute no shape; what they give is told by its type. And checks of tensors."""

from __future__ import annotations

from analyzer.tracing.language.known_types import value_of
from analyzer.tracing.language.tensors import show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Entry, Op, operator, parse_signature
from analyzer.tracing.operators.tf_operands import tensor
from analyzer.validity.terms import equal

_CHECKS = """assert_positive assert_negative assert_non_negative assert_non_positive assert_type assert_integer
    assert_none_equal assert_rank_in assert_proper_iterable assert_scalar assert_shapes assert_same_float_dtype Assert
    assert_less assert_less_equal assert_greater assert_greater_equal assert_near"""
_TYPES = {
    "bool": """tf.gfile.IsDirectory tf.python.tf2.enabled tf.__internal__.tf2.enabled
        tf.config.experimental.get_memory_growth tf.config.functions_run_eagerly tf.test.is_built_with_cuda
        tf.test.is_built_with_rocm tf.test.is_built_with_gpu_support
        tf.config.experimental.tensor_float_32_execution_enabled
        keras.backend.is_float_dtype keras.backend.is_int_dtype keras.backend.is_sparse
        keras.config.is_flash_attention_enabled keras.config.is_interactive_logging_enabled
        keras.config.is_nnx_enabled""",
    "list[str]": "tf.io.gfile.glob tf.io.gfile.listdir tf.gfile.Glob tf.gfile.ListDirectory",
    "?str": "tf.train.latest_checkpoint",
    "bytes": "tf.compat.as_bytes",
    "list": """tf.train.list_variables tf.python.client.device_lib.list_local_devices tf.config.get_visible_devices
        tf.config.experimental.get_visible_devices""",
    "str": """tf.compat.as_text tf.compat.as_str tf.compat.as_str_any tf.test.get_temp_dir tf.test.gpu_device_name
        keras.version keras.utils.get_file""",
    "None": """tf.io.gfile.makedirs tf.io.gfile.mkdir tf.io.gfile.remove tf.io.gfile.rmtree tf.io.gfile.copy
        tf.io.gfile.rename tf.gfile.MakeDirs tf.gfile.MkDir tf.gfile.Remove tf.gfile.DeleteRecursively tf.gfile.Copy
        tf.gfile.Rename tf.saved_model.save tf.nest.assert_same_structure tf.config.optimizer.set_jit
        tf.config.threading.set_intra_op_parallelism_threads tf.config.threading.set_inter_op_parallelism_threads
        tf.config.set_soft_device_placement tf.config.experimental.set_visible_devices
        tf.config.experimental.set_virtual_device_configuration tf.config.optimizer.set_experimental_options
        tf.config.experimental.enable_tensor_float_32_execution tf.train.init_from_checkpoint
        tf.train.start_queue_runners tf.profiler.experimental.start tf.profiler.experimental.stop
        tf.enable_resource_variables tf.disable_resource_variables tf.enable_control_flow_v2
        tf.disable_control_flow_v2 tf.enable_v2_tensorshape tf.disable_v2_tensorshape
        tf.data.experimental.enable_debug_mode tf.experimental.numpy.experimental_enable_numpy_behavior
        tf.autograph.set_verbosity tf.import_graph_def tf.python.util.all_util.remove_undocumented
        tf.debugging.enable_check_numerics tf.debugging.disable_check_numerics
        tf.debugging.disable_traceback_filtering tf.debugging.enable_traceback_filtering
        tf.summary.text tf.summary.trace_on tf.summary.trace_export tf.summary.trace_off tf.summary.audio
        tf.summary.flush tf.logging.warn tf.logging.warning tf.logging.error tf.logging.debug tf.logging.log
        tf.random.set_random_seed"""
    + " ".join(f" tf.{home}{name}" for home in ("", "debugging.") for name in _CHECKS.split()),
}
_KINDS = {name: kind for kind, names in _TYPES.items() for name in names.split()}


def typed(op: Op, args: tuple[Value, ...]) -> Value:
    op.tr.forget(args)
    return value_of(_KINDS[op.name], f"result of {op.name}", "data", f"{op.short}()")


_ANY = parse_signature("*args")
TABLE = {
    **{name: Entry(_ANY, typed) for name in _KINDS},
}

# --------------------------------------------------------------------------------------------- checked ranks


@operator("tf.debugging.assert_rank tf.assert_rank", "x rank *rest")
def assert_rank(op: Op, x: Value, rank: Value, rest: tuple[Value, ...]) -> Value:
    source, asked = tensor(op, x), plain(op.tr, rank)
    if source is not None and source.dims is not None and type(asked) is int and len(source.dims) != asked:
        fail(op, "rank", f"the tensor has the shape {show_shape(source.dims)} and not the rank {asked}", (source,))
    return None


@operator("tf.debugging.assert_rank_at_least tf.assert_rank_at_least", "x rank *rest")
def assert_rank_at_least(op: Op, x: Value, rank: Value, rest: tuple[Value, ...]) -> Value:
    source, asked = tensor(op, x), plain(op.tr, rank)
    if source is not None and source.dims is not None and type(asked) is int and len(source.dims) < asked:
        fail(op, "rank", f"the tensor has the shape {show_shape(source.dims)} and not the rank {asked}", (source,))
    return None


@operator("tf.debugging.assert_equal tf.assert_equal", "x y *rest")
def assert_equal(op: Op, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    """Of numbers that are known, such as sizes."""
    first, second = op.tr.term_of(x), op.tr.term_of(y)
    if first is not None and second is not None:
        sources = tuple(found for v in (x, y) if (found := tensor(op, v)) is not None)
        require(op, equal(first, second), "assert-equal", f"{first} is not {second}", sources)
    return None
