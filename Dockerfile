# The image of the action. GitHub runs it as root (the workspace and the command files belong to root's world), mounts the
# repository at /github/workspace and starts there, so nothing here relies on a working directory, and Python is isolated
# (-I): a file of the pull request named like one of our modules is never imported.
ARG BASE_IMAGE=python:3.11-slim-bookworm
FROM ${BASE_IMAGE}

# An extra index for PyTorch's CPU wheels (see docs/action.md); empty: the default index, which brings CUDA along.
ARG TORCH_INDEX=""

LABEL org.opencontainers.image.title="Assay" \
      org.opencontainers.image.description="Reviews the neural networks in a pull request the way a compiler reviews code." \
      org.opencontainers.image.licenses="Apache-2.0"

RUN apt-get update \
 && apt-get install --yes --no-install-recommends fonts-dejavu-core git graphviz \
 && rm -rf /var/lib/apt/lists/*

COPY requirements-image.txt /opt/assay/
RUN pip install --no-cache-dir ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} --requirement /opt/assay/requirements-image.txt

COPY pyproject.toml README.md LICENSE /opt/assay/
COPY action /opt/assay/action
COPY analyzer /opt/assay/analyzer
COPY docs/rules /opt/assay/docs/rules
COPY examples /opt/assay/examples
COPY templates /opt/assay/templates
RUN pip install --no-cache-dir --no-deps /opt/assay && rm -rf /opt/assay

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 TF_CPP_MIN_LOG_LEVEL=3

ENTRYPOINT ["/usr/local/bin/python", "-I", "-m", "action"]
