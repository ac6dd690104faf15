"""Entry points of keras-tcn: temporal convolutions that classify, and that predict a number."""

from tcn import compiled_tcn


def _model(**options):
    return compiled_tcn(3, 4, 4, 3, [1, 2], 1, 12, **options)


def classes():
    return _model(return_sequences=False, use_batch_norm=True)


def regression():
    return _model(return_sequences=False, regression=True, use_layer_norm=True)
