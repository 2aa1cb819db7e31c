"""Writes risk_vectors.json: risk figures and weights by other implementations, over invented series.

    pip install numpy scipy scikit-learn pandas riskfolio-lib PyPortfolioOpt
    python tests/independent/risk_vectors.py

Written with numpy 2, scipy 1, scikit-learn 1, riskfolio-lib 7 and PyPortfolioOpt 1. Sources of the figures, and alignment of conventions:

- Volatility, correlation, covariance: numpy with ddof = 1. Beta: scipy's linear regression on the benchmark.
- VaR and CVaR: riskfolio's VaR_Hist and CVaR_Hist, which are the loss of rank ceil(a n) from the worst and the
  Rockafellar-Uryasev tail mean. numpy's default percentile would interpolate between two ranks, and PyPortfolioOpt's
  CVaR is an optimiser's: neither is used.
- Drawdown: pandas' running maximum of closes, as a positive share. (riskfolio's relative drawdown compounds its input as simple returns.)
- Portfolio: simple returns with the weights restored each session, then taken as log returns.
- Shrinkage: scikit-learn's LedoitWolf, which divides by n; its matrix times n / (n - 1) is ours.
- Equal risk contribution: scipy's root of the optimality conditions, confirmed by riskfolio's rp_optimization (rm="MV"),
  whose solver stops at about 1e-5.
- Hierarchical risk parity: Lopez de Prado's published code makes the distance of distances by passing scipy's
  linkage the square distance matrix as if its rows were observations, and this code does the same. No library does so by
  default: PyPortfolioOpt's HRPOpt.optimize(linkage_method="single") and riskfolio's HCPortfolio(model="HRP",
  codependence="pearson", linkage="single") cluster on the plain distance, and riskfolio by default reorders the leaves
  (leaf_order=True, scipy's optimal ordering). The quasi-diagonalisation and the bisection are PyPortfolioOpt's own.

Series are whole numbers of ten-thousandths from a linear congruential generator, so that Rust generates the same ones.
"""

import json
import pathlib

import numpy as np
import pandas as pd
import riskfolio as rp
import scipy.cluster.hierarchy as sch
import scipy.optimize
import scipy.spatial.distance
import scipy.stats
from pypfopt.hierarchical_portfolio import HRPOpt
from riskfolio.src.RiskFunctions import CVaR_Hist, VaR_Hist
from sklearn.covariance import LedoitWolf

# Name, seed, symbols, sessions. The last has more symbols than returns: its sample covariance is singular.
CASES = [("five", 1, 5, 253), ("twelve", 2, 12, 366), ("thirty", 3, 30, 505), ("singular", 4, 40, 36)]


class Draws:
    def __init__(self, seed):
        self.state = seed

    def draw(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return self.state >> 40

    def noise(self, scale):
        """Draws a return in millionths."""
        total = sum(self.draw() for _ in range(4))
        return (total - 2**25) * scale // 2**25


def series(seed, symbols, sessions):
    """Returns closes, a column per symbol."""
    draws = Draws(seed)
    closes = [1_000_000 * (1 + symbol % 7) for symbol in range(symbols)]
    rows = []
    for _ in range(sessions):
        market = draws.noise(35_000)
        groups = [draws.noise(20_000) for _ in range(3)]
        for symbol in range(symbols):
            own = draws.noise(20_000 + 7_000 * (symbol % 5))
            change = (600 + symbol * 370 % 900) * market // 1_000 + groups[symbol % 3] + own
            closes[symbol] += closes[symbol] * change // 1_000_000
        rows.append([close / 10_000 for close in closes])
    return np.array(rows)


def measured(returns, benchmark):
    """Returns the figures of one series of log returns."""
    levels = pd.Series(np.concatenate([[1.0], np.exp(np.cumsum(returns))]))
    regression = scipy.stats.linregress(benchmark, returns)
    return {
        "annual_return_pct": 100 * (np.exp(252 * np.mean(returns)) - 1),
        "volatility_pct": 100 * np.std(returns, ddof=1) * np.sqrt(252),
        "beta": regression.slope,
        "correlation_to_benchmark": regression.rvalue,
        "max_drawdown_pct": 100 * (1 - levels / levels.cummax()).max(),
        "var_95_pct": 100 * VaR_Hist(returns, 0.05),
        "cvar_95_pct": 100 * CVaR_Hist(returns, 0.05),
        "var_99_pct": 100 * VaR_Hist(returns, 0.01),
        "cvar_99_pct": 100 * CVaR_Hist(returns, 0.01),
    }


def equal_risk(covariance, returns, names):
    """Returns equal risk contributions by scipy; riskfolio must agree within its solver's tolerance."""
    deviations = np.sqrt(np.diag(covariance))
    correlations = covariance / np.outer(deviations, deviations)
    start = np.full(len(deviations), np.sqrt(len(deviations) / correlations.sum()))
    found = scipy.optimize.root(
        lambda y: correlations @ y - 1 / y,
        start,
        jac=lambda y: correlations + np.diag(1 / y**2),
        method="hybr",
        options={"xtol": 1e-15},
    ).x
    assert (found > 0).all()
    assert np.abs(found * (correlations @ found) - 1).max() < 1e-12
    weights = found / deviations
    weights /= weights.sum()
    portfolio = rp.Portfolio(returns=pd.DataFrame(returns, columns=names))
    portfolio.assets_stats(method_mu="hist", method_cov="hist")
    portfolio.cov = pd.DataFrame(covariance, index=names, columns=names)
    theirs = portfolio.rp_optimization(model="Classic", rm="MV", rf=0, b=None, hist=True)["weights"].to_numpy()
    print("  riskfolio's equal risk weights differ by", np.abs(theirs - weights).max())
    assert np.abs(theirs - weights).max() < 1e-4
    return weights


def hierarchical(covariance, names):
    deviations = np.sqrt(np.diag(covariance))
    correlations = np.clip(covariance / np.outer(deviations, deviations), -1, 1)
    distances = np.sqrt((1 - correlations) / 2)
    np.fill_diagonal(distances, 0)
    # Rows are observations, and their Euclidean distances are the distances of distances.
    links = sch.linkage(scipy.spatial.distance.pdist(distances), "single")
    order = [int(place) for place in HRPOpt._get_quasi_diag(links)]
    frame = pd.DataFrame(covariance, index=names, columns=names)
    weights = HRPOpt._raw_hrp_allocation(frame, [names[place] for place in order])
    return weights[names].to_numpy(), order


def case(name, seed, symbols, sessions):
    print(name)
    closes = series(seed, symbols + 1, sessions)
    logs = np.diff(np.log(closes), axis=0)
    returns, benchmark = logs[:, :-1], logs[:, -1]
    names = [f"S{symbol}" for symbol in range(symbols)]
    weights = np.arange(1, symbols + 1) / (symbols * (symbols + 1) / 2)
    portfolio = np.log1p(np.expm1(returns) @ weights)
    sample = np.cov(returns, rowvar=False, ddof=1)
    singular = bool(np.linalg.matrix_rank(sample) < symbols)
    shrunk = LedoitWolf().fit(returns)
    count = len(returns)
    ledoit_wolf = shrunk.covariance_ * count / (count - 1)
    used = ledoit_wolf if singular else sample
    deviations = np.sqrt(np.diag(used))
    correlations = np.corrcoef(returns, rowvar=False)
    above = np.triu(np.abs(correlations), 1)
    a, b = np.unravel_index(above.argmax(), above.shape)
    hrp, order = hierarchical(used, names)
    variance = weights @ sample @ weights
    return {
        "name": name,
        "seed": seed,
        "symbols": symbols,
        "sessions": sessions,
        "last_closes": list(closes[-1]),
        "singular": singular,
        "weights": list(weights),
        "holdings": [measured(returns[:, symbol], benchmark) for symbol in range(symbols)],
        "portfolio": measured(portfolio, benchmark),
        "contributions": list(weights * (sample @ weights) / variance),
        "diversification_ratio": weights @ np.sqrt(np.diag(sample)) / np.sqrt(variance),
        "shrinkage": shrunk.shrinkage_,
        "ledoit_wolf": [list(row * 1e4) for row in ledoit_wolf[:5]],
        "strongest": [names[a], names[b], correlations[a, b]],
        "inverse_volatility": list(1 / deviations / (1 / deviations).sum()),
        "equal_risk": list(equal_risk(used, returns, names)),
        "hierarchical": list(hrp),
        "order": order,
    }


if __name__ == "__main__":
    cases = [case(*given) for given in CASES]
    text = json.dumps(cases, indent=1, default=float)
    pathlib.Path(__file__).with_name("risk_vectors.json").write_text(text + "\n")
