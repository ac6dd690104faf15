"""Library names that compute no shape: what they give is told by its type, see `known_types`."""

from __future__ import annotations

from analyzer.tracing.language.known_types import value_of
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.table import Entry, Op, parse_signature

_TYPES = {
    "bool": (
        "torch.equal torch.is_grad_enabled torch.is_inference_mode_enabled torch.is_autocast_enabled "
        "torch.is_storage torch.are_deterministic_algorithms_enabled "
        "torch.is_deterministic_algorithms_warn_only_enabled "
        "torch.can_cast torch.accelerator.is_available torch.is_anomaly_enabled "
        "torch.nn.parameter.is_lazy torch.cuda.is_initialized torch.cuda.is_bf16_supported "
        "torch.onnx.is_in_onnx_export "
        "numpy.array_equal numpy.array_equiv numpy.may_share_memory "
        "numpy.shares_memory numpy.iterable numpy.can_cast "
        "tf.executing_eagerly tf.inside_function tf.test.is_gpu_available tf.io.gfile.exists "
        "tf.io.gfile.isdir tf.gfile.Exists keras.backend.is_keras_tensor keras.utils.is_keras_tensor"
    ),
    "float": "timeit.default_timer",
    "int": (
        "multiprocessing.cpu_count torch.multiprocessing.cpu_count random.getrandbits "
        "torch.get_num_threads torch.get_num_interop_threads torch.mps.current_allocated_memory "
        "torch.mps.driver_allocated_memory torch.initial_seed torch.seed torch.cuda.current_device "
        "torch.cuda.memory_allocated "
        "torch.cuda.max_memory_allocated torch.distributed.get_rank torch.distributed.get_world_size"
    ),
    "tuple[int,str]": "tempfile.mkstemp",
    "list": "setuptools.find_packages setuptools.find_namespace_packages",
    "bytes": "numpy.random.bytes",
    "dict": "numpy.seterr numpy.geterr numpy.get_printoptions",
    "str": "numpy.array2string numpy.array_str numpy.array_repr numpy.base_repr numpy.binary_repr numpy.typename "
    "numpy.mintypecode numpy.format_float_positional numpy.format_float_scientific numpy.get_include "
    "torch.hub.get_dir torch.hub._get_torch_home torch.typename torch.multiprocessing.get_start_method "
    "torch.get_float32_matmul_precision torch.cuda.get_device_name keras.backend.backend keras.config.backend",
    "None": (
        "signal.alarm random.setstate multiprocessing.set_start_method tracemalloc.start tracemalloc.stop "
        "pdb.set_trace loguru.logger.remove loguru.logger.disable loguru.logger.enable asyncio.sleep "
        "safetensors.torch.save_file safetensors.torch.save_model safetensors.numpy.save_file "
        "torch.set_printoptions torch.use_deterministic_algorithms torch.set_float32_matmul_precision "
        "torch.set_num_interop_threads torch.set_default_device torch.set_rng_state "
        "torch.mps.empty_cache torch.mps.synchronize torch.mps.manual_seed torch.mps.set_rng_state "
        "torch.xpu.empty_cache "
        "torch.xpu.synchronize torch.serialization.add_safe_globals torch.compiler.reset torch._dynamo.reset "
        "torch.accelerator.synchronize torch.set_flush_denormal torch.set_warn_always "
        "torch.set_autocast_enabled torch.clear_autocast_cache "
        "torch.cuda.synchronize torch.cuda.empty_cache torch.cuda.set_device "
        "torch.hub.download_url_to_file torch.multiprocessing.set_start_method "
        "torch.multiprocessing.set_sharing_strategy torch.distributed.barrier "
        "torch.distributed.init_process_group torch.distributed.destroy_process_group "
        "torch._C._log_api_usage_once numpy.copyto setuptools.setup distutils.core.setup "
        "torch.nn.utils.clip_grad_value_ torch._assert "
        "numpy.random.seed "
        "numpy.set_printoptions numpy.savez numpy.savez_compressed "
        "tf.config.set_visible_devices tf.config.set_logical_device_configuration "
        "tf.config.experimental.set_memory_growth tf.config.run_functions_eagerly "
        "tf.keras.utils.set_random_seed keras.utils.set_random_seed "
        "keras.backend.clear_session"
    ),
}  # fmt: skip
_KINDS = {name: kind for kind, names in _TYPES.items() for name in names.split()}


def typed(op: Op, args: tuple[Value, ...]) -> Value:
    """What a name gives that asks or tells the program or the machine something."""
    op.tr.forget(args)
    return value_of(_KINDS[op.name], f"result of {op.name}", "data", f"{op.short}()")


_ANY = parse_signature("*args")
TABLE = {
    **{name: Entry(_ANY, typed) for name in _KINDS},
}
