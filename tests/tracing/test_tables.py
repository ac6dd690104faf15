"""pandas' tables, nested lists and scikit-learn's data: shapes as the libraries give them, and what they lead to."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.tracing import trace

HEAD = """
import numpy as np, pandas as pd, torch
from sklearn.datasets import make_regression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler
X, y = make_regression(n_samples=100, n_features=5)
frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
target = pd.Series(y)
made = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [0, 1, 0], "c": [4, 5, 6]})
"""

# An expression and its shape; each was compared with what pandas 2 and scikit-learn 1 give.
SHAPES = [
    ("X", (100, 5)), ("y", (100,)), ("frame.values", (100, 5)), ("target.to_numpy()", (100,)),
    ("np.array(frame.values.tolist())", (100, 5)), ("np.array(target.tolist())", (100,)),
    ("frame[['f1', 'f2']].values", (100, 2)), ("frame['f1'].values", (100,)), ("frame.f1.values", (100,)),
    ("frame.iloc[:, :-1].values", (100, 4)), ("frame.iloc[:10].values", (10, 5)), ("frame.iloc[:, -1].values", (100,)),
    ("frame.loc[:, ['f1', 'f2']].values", (100, 2)), ("frame.drop('f1', axis=1).values", (100, 4)),
    ("frame.drop(columns=['f1', 'f2']).values", (100, 3)), ("frame.head(7).values", (7, 5)),
    ("frame.T.values", (5, 100)),
    ("made.values", (3, 3)), ("made.mean().values", (3,)), ("made.fillna(0).astype('float32').values", (3, 3)),
    ("((made - made.mean()) / made.std()).values", (3, 3)), ("pd.concat([made, made]).values", (6, 3)),
    ("StandardScaler().fit_transform(frame)", (100, 5)), ("train_test_split(X, test_size=0.33)[1]", (33, 5)),
    ("train_test_split(frame)[0].values", (75, 5)), ("torch.tensor(X[:3].tolist())", (3, 5)),
    ("made['b'].map({0: 5, 1: 6}).values", (3,)), ("made.b.map(lambda x: x + 1).to_numpy()", (3,)),
    ("made['a'].where(made['a'] > 1).values", (3,)), ("made['b'].isin([0]).values", (3,)),
    ("made.isin([0]).values", (3, 3)), ("made.duplicated().values", (3,)), ("made['a'].between(0, 1).values", (3,)),
    ("frame[:4].values", (4, 5)), ("np.array(frame.columns)", (5,)),
]  # fmt: skip


def findings(folder: Path, source: str) -> list[str]:
    (folder / "net.py").write_text(source)
    return [f.message for f in trace(folder / "net.py", folder, target="net.py").findings if f.level.value == "error"]


@pytest.mark.parametrize(("expression", "shape"), SHAPES)
def test_shapes_are_what_the_libraries_give(tmp_path: Path, expression: str, shape: tuple[int, ...]) -> None:
    same = f"{HEAD}found = {expression}\nassert tuple(found.shape) == {shape}\n"
    x = f"torch.zeros({', '.join(map(str, shape))})"
    assert findings(tmp_path, f"{same}torch.tensor(np.array(found)).view({x}.shape)\n") == []
    wrong = f"{HEAD}torch.tensor(np.array({expression})).reshape({shape[0] + 1}, -1)[:, :0].view({x}.shape)\n"
    assert findings(tmp_path, wrong) != []


LEFT_OPEN = [
    "frame['new'] = 0.0", "frame.loc[:, 'new'] = 0.0", "frame.drop('f1', axis=1, inplace=True)",
    "frame.insert(0, 'new', 0.0)", "frame.columns = list('abcde'); frame['f1'] = 1.0",
    "frame = frame.join(frame, rsuffix='r')",
    "frame = pd.get_dummies(frame)",
    "rows = frame.values.tolist(); rows.append([1.0]); rows.pop(); frame = pd.DataFrame(rows)",
    "frame = frame.reset_index()", "frame = frame.groupby('f1').sum()", "frame.update(frame)",
]  # fmt: skip


@pytest.mark.parametrize("line", LEFT_OPEN)
def test_what_changes_a_table_is_no_failure(tmp_path: Path, line: str) -> None:
    width = "frame.shape[1]"
    use = f"torch.nn.Linear({width}, 2)(torch.tensor(frame.values, dtype=torch.float32))\n"
    assert findings(tmp_path, f"{HEAD}{line}\n{use}") == []
    sixth = use.replace(width, "6")  # right for one more column
    assert line.startswith(("frame.drop", "rows")) or findings(tmp_path, f"{HEAD}{line}\n{sixth}") == []


def test_a_new_column_is_counted(tmp_path: Path) -> None:
    use = "torch.nn.Linear(5, 2)(torch.tensor(frame.values, dtype=torch.float32))\n"
    assert findings(tmp_path, HEAD + use) == []
    assert findings(tmp_path, f"{HEAD}frame['new'] = 0.0\n{use}") != []


def test_a_loader_over_rows_of_a_table(tmp_path: Path) -> None:
    source = f"""{HEAD}
class Rows(torch.utils.data.Dataset):
    def __init__(self, table, target):
        self.x = torch.tensor(np.array(table.values.tolist()), dtype=torch.float32)
        self.y = torch.tensor(np.array(target))
    def __len__(self):
        return len(self.x)
    def __getitem__(self, i):
        return self.x[i], self.y[i]

net = torch.nn.Linear(5, 1)
for x, y in torch.utils.data.DataLoader(Rows(frame, target), batch_size=32):
    loss = torch.nn.functional.mse_loss(net(x), y.view(-1, 1))
"""
    assert findings(tmp_path, source) == []
    (message,) = findings(tmp_path, source.replace("Linear(5", "Linear(6"))
    assert "the input has 5 features but the layer takes 6" in message


# Measured with pandas 2.
NAMES = [
    ("np.zeros((4, 2)), columns=['a']", True), ("np.zeros((4, 2)), columns=['a', 'b']", False),
    ("[[1, 2], [3, 4]], columns=['a', 'b', 'c']", True), ("[('x', 1), ('y', 2)], columns=['a', 'b']", False),
    ("torch.zeros(4, 1).numpy(), columns=['a', 'b']", True), ("[], columns=['a', 'b']", False),
    ("[1, 2], columns=['a', 'b']", True), ("[1, 2], columns=['a']", False),
    ("{'a': [1], 'b': [2]}, columns=['a']", False), ("[[1, [2, 3]]], columns=['a', 'b']", False),
]  # fmt: skip


@pytest.mark.parametrize(("given", "fails"), NAMES)
def test_columns_need_a_name_each(tmp_path: Path, given: str, fails: bool) -> None:
    assert bool(findings(tmp_path, f"{HEAD}pd.DataFrame({given})\n")) is fails
