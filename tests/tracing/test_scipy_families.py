"""Shapes of SciPy's statistics, searches, splines, neighbours and matrices, held against SciPy itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import numpy as np
import scipy
import scipy.cluster.hierarchy
import scipy.cluster.vq
import scipy.sparse.linalg
import scipy.spatial.distance
from scipy import cluster, fft, integrate, interpolate, linalg, ndimage, optimize
from scipy import signal, sparse, spatial, special, stats
a, b, v, e = np.ones((6, 9)), np.eye(3, 9) + 1, np.linspace(0.1, 0.9, 24), np.eye(4)
p = np.random.default_rng(0).random((7, 3))
"""
CALLS = """
    stats.entropy(v)
    stats.entropy(a, axis=1)
    stats.rankdata(v)
    stats.rankdata(a, axis=1)
    stats.sem(a)
    stats.chi.rvs(3, size=(2, 3))
    stats.chi.rvs(3, size=5)
    stats.skew(a)
    stats.kurtosis(a, axis=1)
    stats.gmean(a)
    stats.iqr(a)
    stats.trim_mean(a, 0.1)
    stats.norm.ppf(v)
    stats.norm.rvs(size=3)
    stats.ortho_group.rvs(4)
    stats.special_ortho_group.rvs(3)
    stats.truncnorm.rvs(-1, 1, size=4)
    linalg.sqrtm(e)
    linalg.expm(e)
    linalg.logm(e)
    linalg.cho_factor(e)[0]
    linalg.cho_solve((e, True), np.ones((4, 2)))
    linalg.cho_solve(linalg.cho_factor(e), np.ones(4))
    linalg.solve_triangular(e, np.ones((4, 2)))
    linalg.solve(e, np.ones(4))
    linalg.qr(a)[0]
    linalg.qr(a)[1]
    linalg.qr(a, mode='economic')[0]
    linalg.eigh(e)[0]
    linalg.eigh(e, eigvals_only=True)
    linalg.eig(e)[1]
    linalg.eigvals(e)
    linalg.svd(a)[0]
    linalg.svdvals(a)
    linalg.svd(a, full_matrices=False)[2]
    linalg.lu(e)[0]
    linalg.lu_factor(e)[0]
    linalg.det(e)
    linalg.pinv(a)
    linalg.cholesky(e)
    linalg.hadamard(4)
    linalg.hankel(v[:3])
    linalg.circulant(v)
    linalg.dft(5)
    linalg.polar(e)[0]
    linalg.schur(e)[0]
    optimize.minimize(lambda x: (x ** 2).sum(), np.zeros(3)).x
    optimize.curve_fit(lambda x, q, r: q * x + r, v, v)[0]
    optimize.leastsq(lambda x: x - 1, np.zeros(3))[0]
    optimize.least_squares(lambda x: x - 1, np.zeros(3)).x
    optimize.linprog(np.ones(3)).x
    optimize.fsolve(lambda x: x, np.zeros(2))
    optimize.root(lambda x: x, np.zeros(2)).x
    optimize.nnls(a, np.ones(6))[0]
    optimize.differential_evolution(lambda x: (x ** 2).sum(), [(0, 1)] * 2).x
    interpolate.interp1d(v, v)(a / 2)
    interpolate.interp1d(v, np.ones((5, 24)))(v[1:4])
    interpolate.griddata(p[:, :2], p[:, 0], (a, a))
    interpolate.griddata(p[:, :2], p[:, 0], np.ones((8, 2)))
    interpolate.RegularGridInterpolator((np.arange(3.), np.arange(4.)), np.ones((3, 4)))(np.ones((5, 2)))
    interpolate.CubicSpline(v, v)(a / 2)
    interpolate.UnivariateSpline(v, v)(v)
    interpolate.splev(v, interpolate.splrep(v, v))
    interpolate.PchipInterpolator(v, v)(v[:3])
    interpolate.make_interp_spline(v, v)(v[:3])
    interpolate.RBFInterpolator(p, p[:, 0])(p)
    interpolate.RectBivariateSpline(np.arange(6.), np.arange(9.), a)(v, v[:5])
    integrate.trapezoid(a)
    integrate.simpson(a, axis=0)
    integrate.cumulative_trapezoid(a, axis=1)
    integrate.cumulative_trapezoid(a, axis=1, initial=0)
    integrate.odeint(lambda y, t: -y, np.ones(3), v)
    integrate.solve_ivp(lambda t, y: -y, (0, 1), np.ones(3), t_eval=v).y
    spatial.cKDTree(p).query(p)[0]
    spatial.KDTree(p).query(p, k=2)[1]
    spatial.distance.squareform(spatial.distance.pdist(p))
    spatial.distance.squareform(np.zeros((4, 4)))
    cluster.hierarchy.linkage(p)
    cluster.hierarchy.fcluster(cluster.hierarchy.linkage(p), 2)
    cluster.vq.kmeans2(p, 3)[1]
    cluster.vq.whiten(p)
    sparse.csgraph.connected_components(e)[1]
    sparse.linalg.spsolve(sparse.csc_matrix(e), np.ones(4))
    special.fdtrc(1, 2, v)
    special.gammainc(1.0, v)
    special.gamma(a)
    special.jv(0, a)
    special.legendre(3)(v)
    special.eval_legendre(2, v)
    special.roots_legendre(5)[0]
    special.erfinv(v)
    special.ndtri(v)
    special.lambertw(v)
    special.logit(v)
    special.digamma(a)
    special.polygamma(1, a)
    special.i0e(a)
    special.stdtr(3, v)
    special.betainc(1., 2., v)
    signal.butter(3, 0.2)[0]
    signal.cheby1(3, 1, 0.2)[0]
    signal.convolve(v, v, mode='same')
    signal.fftconvolve(a, b, mode='full')
    signal.correlate(v, v)
    signal.resample_poly(v, 2, 1)
    signal.chirp(v, 1, 1, 2)
    signal.square(v)
    signal.sawtooth(v)
    signal.sosfiltfilt(np.ones((1, 6)), v, padlen=2)
    signal.gausspulse(v)
    signal.unit_impulse((3, 4))
    ndimage.mean(a, a, [0, 1])
    ndimage.generate_binary_structure(2, 1)
    fft.rfftn(a)
    fft.irfft(v)
    fft.dctn(a)
    fft.idct(v)
    fft.dst(v)
    fft.fftfreq(8)
    fft.hfft(v)
    fft.fftshift(a)
    scipy.fftpack.dct(v)
    scipy.special.softmax(a)
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [line.strip() for line in CALLS])
def test_a_function_has_the_shape_that_scipy_gives(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = {call}\n"
    scope: dict[str, object] = {}
    exec(text, scope)
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert not shared.problems
    last = text.count("\n")
    found = [t for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    sizes = tuple(scope["y"].shape)  # type: ignore[attr-defined]
    assert found[-1].dims is not None
    known = [d if isinstance(d, int) else size for d, size in zip(found[-1].dims, sizes, strict=True)]
    assert tuple(known) == sizes


TAKEN = """
    linalg.solve(2, [1, 2, 3]).ravel()
    [stats.dgamma.entropy(n) for n in stats.dgamma.entropy(v)]
    stats.vonmises.entropy(3.0)
    interpolate.splev(0.3, interpolate.splprep([v, v + 1], s=0)[0])[1]
    assert linalg.eigvals(np.eye(3), homogeneous_eigvals=True).shape == (2, 3)
    assert sparse.coo_array(np.ones((2, 3))).transpose(axes=(0, 1)).shape == (2, 3)
    optimize.root(lambda x, y: x - y, np.zeros((2, 2)), args=(np.ones((2, 2)),), method="DF-SANE")
    not integrate.solve_ivp(lambda t, y: y, (0, 9), [1.0], t_eval=[8.0, 9.0], events=stops).t
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("statement", [line.strip() for line in TAKEN])
def test_what_scipy_takes_is_no_error(statement: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ndef stops(t, y): return y[0] - 2\nstops.terminal = True\n{statement}\n"
    exec(text, {})
    assert not explore(tmp_path, "program.py", ast.parse(text), Versions()).problems


REFUSED = """
    linalg.solve(e, np.ones(5))
    linalg.lstsq(a, np.ones(5))
    stats.entropy(v, axis=2)
    optimize.root(lambda x: x + np.ones(4), np.zeros(3))
    stats.pearsonr(v, v[:5])
    linalg.sqrtm(a)
    linalg.eigh(a)
    linalg.cho_solve((e, True), np.ones((3, 2)))
    linalg.solve_triangular(e, np.ones(5))
    interpolate.interp1d(v, np.ones(5))
    interpolate.CubicSpline(v, np.ones((5, 24)))
    spatial.KDTree(p).query(np.ones((4, 2)))
    spatial.distance.squareform(np.ones(5))
    spatial.distance.cosine(v, v[:5])
    optimize.minimize(lambda x: (x + np.ones(4)).sum(), np.zeros(3))
    special.eval_legendre(np.ones(3), v)
""".strip().splitlines()


@pytest.mark.parametrize("call", [line.strip() for line in REFUSED])
def test_what_scipy_refuses_is_an_error(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = {call}\n"
    with pytest.raises((ValueError, IndexError)):
        exec(text, {})
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    assert [p.level for p in problems] == ["error"]


NUMBERS = """
    stats.pearsonr(v, v).statistic
    stats.linregress(v, v).slope
    stats.ttest_ind(v, v)[1]
    stats.spearmanr(a)[0]
    integrate.quad(lambda x: x, 0, 1)[0]
    optimize.brentq(lambda x: x - 0.5, 0, 1)
    spatial.distance.cosine(v, v)
    ndimage.sum(a)
    special.stdtr(3, 2.0)
    1 if sparse.issparse(a) else 2
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [line.strip() for line in NUMBERS])
def test_what_gives_numbers_is_understood(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\ny = np.ones(3) * ({call})\n"
    exec(text.replace("stats.spearmanr(a)[0]", "1"), {})
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert not shared.problems
    assert not shared.unknown_calls
    assert not shared.notes
