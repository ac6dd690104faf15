from .convmixer import ConvMixer

REGISTRY = {"convmixer": ConvMixer}


def build(name, **options):
    return REGISTRY[name](**options)
