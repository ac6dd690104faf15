"""Second names of SciPy: before 2.0 its packages also had their functions under the files that hold them."""

from __future__ import annotations

from collections.abc import Container

# Those files; other names in that place are objects, such as a distribution, or packages of their own.
_FILES = """
    stats distributions morestats mstats mstats_basic mstats_extras kde bsplines filter_design fir_filter_design
    lti_conversion ltisys signaltools spectral spline waveforms wavelets windows cobyla lbfgsb linesearch
    minpack nonlin optimize slsqp tnc zeros basic decomp decomp_cholesky decomp_lu decomp_qr decomp_schur
    decomp_svd matfuncs misc special_matrices fitpack fitpack2 interpnd interpolate ndgriddata polyint rbf
    filters fourier interpolation measurements morphology odepack quadpack ckdtree kdtree qhull orthogonal
    spfun_stats base bsr construct coo csc csr data dia dok extract lil sputils realtransforms helper
    pseudo_diffs mio wavfile
"""

_PACKED = ("rfft", "irfft", "rfftfreq")  # in the older home these give as many real numbers as they take


def own_scipy_name(name: str, known: Container[str]) -> str:
    """``scipy.ndimage.zoom`` for ``scipy.ndimage.interpolation.zoom``, where the tables know that one alone."""
    if name.startswith("scipy.fftpack."):  # the older home of the same transforms
        last = name.rpartition(".")[2]
        own = f"scipy.fft.{last}"
        return own if own in known and name not in known and last not in _PACKED else name
    parts = name.split(".")
    if (
        parts[0] != "scipy"
        or len(parts) != 4
        or name in known
        or (parts[2] not in _FILES.split() and parts[2][0] != "_")
    ):
        return name
    own = ".".join((*parts[:2], parts[3]))
    return own if own in known else name
