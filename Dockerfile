# Two images of one source, layers ordered by how often they change:
#   engines  has PyTorch, TensorFlow, Keras, JAX and OpenVINO besides; what needs them runs in siblings of it
#   slim     speaks to GitHub, parses, analyses and renders; ONNX Runtime is its only engine. The action starts in it,
#            and it is the last stage: the one that GitHub builds from a checkout
# GitHub runs the action as root (the workspace and the command files belong to root's world), mounts the repository at
# /github/workspace and starts there, so nothing here relies on a working directory, and Python is isolated (-I): a file
# of the pull request named like one of our modules is never imported.
ARG BASE_IMAGE=python:3.11-slim-bookworm

FROM ${BASE_IMAGE} AS slim-packages
# What nobody reads in a container goes in the layer that brought it: documentation, translations, downloaded packages.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends fonts-dejavu-core git graphviz \
 && apt-get clean \
 && rm -rf /var/lib/apt/lists/* /var/cache/debconf/*-old /usr/share/doc/* /usr/share/man/* /usr/share/locale/* /usr/share/info/*
COPY requirements-slim.txt /opt/
# Of the packages: their own tests, and Z3's program and the second copy of its library (one is a link in the archive).
RUN pip install --no-cache-dir --requirement /opt/requirements-slim.txt \
 && packages=$(python -c 'import sysconfig; print(sysconfig.get_path("platlib"))') \
 && find "$packages" -depth -type d -name tests -exec rm -rf '{}' + \
 && rm -rf "$packages/onnx/backend/test" "$(command -v z3)" \
 && for library in "$packages"/z3/lib/libz3.so.*; do [ ! -e "$library" ] || ln -sf "${library##*/}" "$packages/z3/lib/libz3.so"; done \
 && python -c 'import h5py, numpy, onnx, onnx_ir, onnxruntime, z3; z3.Solver()'
# The step after the job (`post-entrypoint` in action.yml) names one file, without arguments.
RUN printf '#!/bin/sh\nexec /usr/local/bin/python -I -m action.last_resort\n' > /usr/local/bin/assay-last-resort \
 && chmod 755 /usr/local/bin/assay-last-resort
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 TF_CPP_MIN_LOG_LEVEL=3

# Assay itself: copied as it stands, so that a change of the source is one small layer.
FROM slim-packages AS source
COPY pyproject.toml README.md LICENSE /opt/assay/
COPY action /opt/assay/action
COPY analyzer /opt/assay/analyzer
COPY docs/rules /opt/assay/docs/rules
COPY docs/workflows/review.yml /opt/assay/docs/workflows/review.yml
COPY examples /opt/assay/examples
COPY templates /opt/assay/templates
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /opt/wheel /opt/assay

FROM slim-packages AS engines-packages
# An extra index for PyTorch's CPU wheels (see docs/action.md); where none has them, the default one brings CUDA along.
ARG TORCH_INDEX=""
COPY requirements-engines.txt requirements-torch.txt requirements-cuda.txt /opt/
RUN install="pip install --no-cache-dir --no-deps ${TORCH_INDEX:+--extra-index-url $TORCH_INDEX} --requirement" \
 && $install /opt/requirements-engines.txt \
 && { $install /opt/requirements-torch.txt || $install /opt/requirements-cuda.txt; } \
 && python -c 'import torch'

FROM engines-packages AS engines
LABEL org.opencontainers.image.title="Assay (engines)" \
      org.opencontainers.image.description="Reviews the neural networks in a pull request the way a compiler reviews code." \
      org.opencontainers.image.licenses="Apache-2.0"
ENV ASSAY_ENGINES_IMAGE=own
COPY --from=source /opt/wheel /opt/wheel
RUN pip install --no-cache-dir --no-deps /opt/wheel/*.whl
ENTRYPOINT ["/usr/local/bin/python", "-I", "-m", "action.start"]

FROM slim-packages AS slim
LABEL org.opencontainers.image.title="Assay" \
      org.opencontainers.image.description="Reviews the neural networks in a pull request the way a compiler reviews code." \
      org.opencontainers.image.licenses="Apache-2.0"
# The published image of the stage `engines`, by digest. Empty: built from this one when something needs it.
ARG ENGINES_IMAGE=""
ARG TORCH_INDEX=""
ENV ASSAY_ENGINES_IMAGE=${ENGINES_IMAGE} ASSAY_TORCH_INDEX=${TORCH_INDEX}
COPY requirements-engines.txt requirements-torch.txt requirements-cuda.txt /opt/
COPY --from=source /opt/wheel /opt/wheel
RUN pip install --no-cache-dir --no-deps /opt/wheel/*.whl
ENTRYPOINT ["/usr/local/bin/python", "-I", "-m", "action.start"]
