"""Shapes of SciPy's functions, and of NumPy's that choose elements, held against the libraries themselves."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import numpy as np
import scipy
from scipy import fft, linalg, ndimage, optimize, signal, spatial, special, stats
a, b, v = np.ones((6, 9)), np.eye(3, 9) + 1, np.linspace(0.1, 0.9, 24)
i, c = np.array([0, 2, 2, 1]), np.ones((4, 5, 6))
"""
CALLS = """
    ndimage.gaussian_filter(a, sigma=1)
    ndimage.gaussian_filter(a, (1, 2))
    ndimage.sobel(a, axis=0)
    ndimage.median_filter(a, size=(3, 3))
    ndimage.binary_dilation(a > 0, iterations=2)
    ndimage.convolve(a, np.ones((3, 3)))
    ndimage.distance_transform_edt(a)
    ndimage.label(a > 0)[0]
    ndimage.zoom(a, 2)
    ndimage.zoom(a, (0.5, 1.5))
    ndimage.zoom(c, (1, 0.5, 0.5), order=1)
    ndimage.rotate(a, 30, reshape=False)
    ndimage.affine_transform(a, np.eye(2), output_shape=(3, 4))
    ndimage.map_coordinates(a, np.ones((2, 7)))
    ndimage.shift(a, (1, 2))
    signal.lfilter([1.0, 0.5], [1.0], v)
    signal.filtfilt([1.0, 0.5], [1.0], a, axis=0, padlen=2)
    signal.sosfilt(np.ones((1, 6)), v)
    signal.medfilt(v, 3)
    signal.savgol_filter(v, 5, 2)
    signal.spectrogram(v, nperseg=8)[2]
    signal.spectrogram(a, nperseg=4, noverlap=2)[2]
    signal.spectrogram(v, 10.0, "hann", 8, 6, 16)[2]
    signal.spectrogram(v, nperseg=8)[0]
    signal.spectrogram(v, nperseg=8, noverlap=3)[1]
    signal.spectrogram(np.ones(600))[2]
    signal.spectrogram(v)[2]
    signal.spectrogram(v, nperseg=8, return_onesided=False)[2]
    signal.spectrogram(signal.resample(signal.filtfilt(*signal.butter(1, 0.5), v), 12), nperseg=4)[2]
    signal.stft(v, nperseg=8)[2]
    signal.stft(a, nperseg=4, noverlap=1)[2]
    signal.stft(v, nperseg=8, boundary=None, padded=False)[2]
    signal.stft(np.ones(1000), nperseg=96, nfft=128)[2]
    signal.welch(v, nperseg=8)[1]
    signal.welch(a)[1]
    signal.periodogram(v)[1]
    signal.periodogram(a, nfft=32)[1]
    signal.detrend(a, axis=0)
    signal.hilbert(v)
    signal.hilbert(v, 32)
    signal.resample(a, 12)
    signal.resample(a, 12, axis=1)
    signal.resample(v, 12, axis=1)
    signal.decimate(np.ones((2, 90)), 4)
    signal.resample_poly(v, 2, 3)
    signal.convolve(v, np.ones(5))
    signal.convolve(v, np.ones(5), mode="same")
    signal.fftconvolve(v, np.ones(5), mode="valid")
    signal.correlate(v, np.ones(5), "valid")
    signal.convolve2d(a, np.ones((3, 3)), mode="valid")
    signal.get_window("hann", 16)
    signal.windows.hann(11)
    signal.firwin(15, 0.3)
    special.expit(a)
    special.softmax(a, axis=1)
    special.xlogy(a, np.ones(9))
    special.logsumexp(a, axis=1)
    special.logsumexp(a, axis=0, keepdims=True)
    linalg.inv(np.eye(4))
    linalg.norm(a, axis=1)
    linalg.block_diag(a, np.ones((2, 3)))
    linalg.toeplitz(v)
    linalg.toeplitz(v, np.ones(5))
    linalg.lstsq(a.T, np.ones(9))[0]
    fft.rfft(v)
    fft.fft2(a)
    fft.dct(v)
    fft.dct(a, n=12)
    spatial.distance.cdist(a, b)
    spatial.distance.pdist(a)
    spatial.distance_matrix(a, b)
    optimize.linear_sum_assignment(a)[1]
    stats.norm.pdf(v)
    stats.norm.pdf(v, loc=np.ones((3, 1)))
    stats.gamma.cdf(v, 2.0)
    stats.poisson.pmf(i, 3.0)
    stats.uniform.rvs(size=(2, 3))
    stats.zscore(a)
    np.tril_indices(5)[0]
    np.triu_indices(5, k=1)[1]
    np.tril_indices(4, -1, 6)[0]
    np.triu_indices(4, 2, 7)[1]
    np.diag_indices(4)[1]
    np.unravel_index(np.arange(5), (3, 4))[1]
    np.unravel_index(7, (3, 4))[0]
    np.ravel_multi_index((np.array([1, 2]), np.array([0, 1])), (3, 4))
    np.lexsort((v, v))
    np.diagonal(c)
    np.diagonal(c, axis1=1, axis2=2)
    a.diagonal()
    np.diagflat([1.0, 2.0], 1)
    np.ones(np.broadcast_shapes((3, 1), (1, 4)))
    np.broadcast_arrays(np.ones((3, 1)), np.ones(4))[0]
    np.polyfit(v, v, 3)
    np.polyfit(v, np.ones((24, 2)), 1)
    np.polyval([1.0, 2.0], v)
    np.polyder(np.ones(4))
    np.polyint(np.ones(4))
    np.ediff1d(a)
    np.linalg.multi_dot([a, b.T, b])
    np.linalg.lstsq(a.T, np.ones((9, 2)), rcond=None)[0]
    np.vdot(v, v)
    np.modf(a)[0]
    np.divmod(a, np.ones(9))[1]
    np.acos(a)
    np.atan2(a, np.ones(9))
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [line.strip() for line in CALLS])
def test_a_function_has_the_shape_that_the_library_gives(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = {call}\n"
    scope: dict[str, object] = {}
    exec(text, scope)
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert not shared.problems
    last = text.count("\n")
    found = [t.dims for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    assert found == [tuple(scope["y"].shape)]  # type: ignore[attr-defined]


REFUSED = """
    ndimage.gaussian_filter(a, (1, 2, 3))
    ndimage.convolve(a, np.ones(3))
    ndimage.zoom(a, (1, 2, 3))
    ndimage.map_coordinates(a, np.ones((3, 7)))
    signal.lfilter([1.0, 0.5], [1.0], v, axis=1)
    signal.decimate(v, 2, axis=1)
    signal.convolve(a, v)
    signal.convolve2d(v, v)
    signal.convolve2d(np.ones((3, 9)), np.ones((5, 5)), mode="valid")
    signal.find_peaks(a)
    special.xlogy(a, np.ones(8))
    special.logsumexp(v, axis=1)
    linalg.inv(a)
    spatial.distance.cdist(a, v)
    spatial.distance.cdist(a, np.ones((3, 8)))
    spatial.distance.pdist(v)
    optimize.linear_sum_assignment(v)
    stats.norm.pdf(v, loc=np.ones(3))
    np.unique(a, axis=2)
    np.bincount(np.ones((2, 2), int))
    np.diagonal(v)
    np.broadcast_shapes((3,), (4,))
    np.broadcast_arrays(np.ones(3), np.ones(4))
    np.polyfit(v, np.ones(3), 1)
    np.linalg.lstsq(a, np.ones(9), rcond=None)
    np.linalg.multi_dot([a, b])
    np.vdot(v, np.ones(3))
    np.compress([True, False], a, axis=2)
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [line.strip() for line in REFUSED])
def test_what_the_library_refuses_is_an_error(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = {call}\n"
    with pytest.raises((ValueError, IndexError, RuntimeError, TypeError)):
        exec(text, {})
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    assert [(p.level, p.site.line) for p in problems if p.certain] == [("error", text.count("\n"))]


CHOSEN = """
    np.unique(i)
    np.unique(i, return_inverse=True)[1]
    np.unique(i, return_counts=True)[1]
    np.unique(i, True, True, True)[3]
    np.unique(a, axis=0).T
    np.union1d(i, [7, 8])
    np.setdiff1d(i, [0])
    np.intersect1d(i, [0, 1])
    np.extract(i > 0, i)
    np.compress([True, False, True], a.T[:3], axis=0).T
"""


@pytest.mark.parametrize("call", [line.strip() for line in CHOSEN.strip().splitlines()])
@pytest.mark.parametrize("more", [0, 1])
def test_how_many_elements_are_chosen_is_told_by_the_run_on_the_elements(call: str, more: int, tmp_path: Path) -> None:
    scope: dict[str, object] = {}
    exec(f"{HEAD}\ny = {call}\n", scope)
    size = scope["y"].shape[-1] + more  # type: ignore[attr-defined]
    text = f"{HEAD}\ny = {call}\nz = y @ np.ones({size})\n"
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in problems if p.level == "error"] == [text.count("\n")] * more


def test_how_many_texts_differ_is_not_guessed(tmp_path: Path) -> None:
    text = f"{HEAD}\ny, places = np.unique(np.array(['a', 'b', 'c', 'a']), return_inverse=True)\n"
    text += "z = np.ones(len(y)) @ np.ones(3)\n"
    exec(text, {})
    assert not explore(tmp_path, "program.py", ast.parse(text), Versions()).problems
