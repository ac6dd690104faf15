"""Rows of a published benchmark of TensorFlow bugs, rebuilt from what is defective in each, and their repaired twins.

The numbers are the benchmark's: questions of a forum (SO) and issues of repositories (GH). All are TensorFlow 1.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.tracing import explore

MNIST = """import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data", one_hot={one_hot})

def weight(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))

def bias(shape):
    return tf.Variable(tf.constant(0.1, shape=shape))

def conv(x, w):
    return tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="{padding}")

def pool(x):
    return tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")

x = tf.placeholder(tf.float32, shape=[None, 784])
y_ = tf.placeholder(tf.float32, shape=[None, 10])
image = tf.reshape(x, [-1, 28, 28, 1])
h1 = pool(tf.nn.relu(conv(image, weight([5, 5, 1, 32])) + bias([32])))
h2 = pool(tf.nn.relu(conv(h1, weight([5, 5, 32, 64])) + bias([64])))
flat = tf.reshape(h2, [-1, {size} * {size} * 64])  # reshape
fc = tf.nn.relu(tf.matmul(flat, weight([{size} * {size} * 64, 1024])) + bias([1024]))
out = tf.matmul(fc, weight([1024, 10])) + bias([10])
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=out))  # loss
step = tf.train.AdamOptimizer(1e-4).minimize(loss)
sess = tf.InteractiveSession()
sess.run(tf.global_variables_initializer())
for i in range(1000):
    batch = mnist.train.next_batch(50)
    sess.run(step, feed_dict={{x: batch[0], y_: batch[1]}})  # run
"""
IMAGES = (  # of 32 by 32, ten at a time
    MNIST.replace("784", "1024")
    .replace("28, 28", "32, 32")
    .replace("mnist.train.next_batch(50)", "np.zeros((10, 1024)), np.zeros((10, 10))")
    .replace("import tensorflow as tf", "import numpy as np\nimport tensorflow as tf", 1)
)
SET_SHAPE = """import tensorflow as tf
image = tf.placeholder(tf.float32, [100, 784])
image{change}  # here
out = tf.layers.conv2d(tf.reshape(image, [100, 28, 28, 1]), 8, 3)
"""
MULTIPLY = """import tensorflow as tf
a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
b = tf.constant({vector})
with tf.Session() as sess:
    print(sess.run(tf.matmul(a, b)))  # here
"""
LINEAR = """import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, {classes}])
w = tf.Variable(tf.zeros([4, {classes}]))
guess = tf.nn.softmax(tf.matmul(x, w))
right = tf.equal(tf.argmax(guess, 1), tf.argmax(y, 1))  # here
rate = tf.reduce_mean(tf.cast(right, tf.float32))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(rate, {{x: np.zeros((20, 4)), y: np.zeros((20, {classes}))}})
"""
NOISE = """import numpy as np
import tensorflow as tf
class VariationalAutoencoder:
    def __init__(self, n_input, n_hidden):
        self.x = tf.placeholder(tf.float32, [None, n_input])
        mean = tf.matmul(self.x, tf.Variable(tf.zeros([n_input, n_hidden])))
        eps = tf.random_normal({rows}, 0, 1, dtype=tf.float32)
        self.z = tf.add(mean, eps)  # here
        back = tf.matmul(self.z, tf.Variable(tf.zeros([n_hidden, n_input])))
        self.cost = tf.reduce_sum(tf.pow(tf.subtract(back, self.x), 2.0))
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
    def calc_total_cost(self, data):
        return self.sess.run(self.cost, feed_dict={{self.x: data}})
model = VariationalAutoencoder(784, 200)
for step in range(10):
    model.calc_total_cost(np.zeros((128, 784)))
print(model.calc_total_cost(np.zeros((10000, 784))))
"""
DECODER = """import tensorflow as tf

def attention_decoder(inputs, units):
    start = tf.zeros(tf.concat([{begin}, [units]], 0))  # here
    return tf.matmul(start, tf.zeros([units, 4]))

class DecoderTest(tf.test.TestCase):
    def setUp(self):
        self.inputs = tf.random_normal([3, 5, 7])
    def test_attention(self):
        with self.test_session() as sess:
            sess.run(attention_decoder(self.inputs, 8))

if __name__ == "__main__":
    tf.test.main()
"""
FLAGS = """import tensorflow as tf
flags = tf.app.flags
flags.DEFINE_integer("output_height", 28, "height of the images")
flags.DEFINE_integer("output_width", {width}, "width of the images")
FLAGS = flags.FLAGS

def main(_):
    real = tf.placeholder(tf.float32, [64, 28, 28, 1])
    made = tf.zeros([64, FLAGS.output_height, FLAGS.output_width, 1])
    both = tf.concat([real, made], 0)  # here
    tf.layers.conv2d(both, 8, 5)

if __name__ == "__main__":
    tf.app.run()
"""
# row: (program of the defect, its twin, mark of the line, rule)
SHAPE = "tracing/incompatible-shape"
ROWS: dict[str, tuple[str, str, str, str]] = {
    "SO-1": (
        MNIST.format(one_hot=True, padding="VALID", size=7), MNIST.format(one_hot=True, padding="VALID", size=4),
        "# reshape", SHAPE,
    ),
    "SO-3": (
        SET_SHAPE.format(change=".set_shape([100, 28, 28])"),
        SET_SHAPE.format(change=" = tf.reshape(image, [100, 28, 28])"), "# here", SHAPE,
    ),
    "SO-5": (
        MNIST.format(one_hot=False, padding="SAME", size=7), MNIST.format(one_hot=True, padding="SAME", size=7),
        "# run", SHAPE,
    ),
    "SO-8": (MULTIPLY.format(vector="[1.0, 2.0]"), MULTIPLY.format(vector="[[1.0], [2.0]]"), "# here", SHAPE),
    "SO-12": (IMAGES.format(one_hot=True, padding="SAME", size=4), IMAGES.format(one_hot=True, padding="SAME", size=8),
        "# loss", SHAPE),
    "SO-13": (LINEAR.format(classes=1), LINEAR.format(classes=3), "# here", "tracing/argmax-over-size-one"),
    "GH-1": (NOISE.format(rows="(128, n_hidden)"), NOISE.format(rows="tf.shape(mean)"), "# here", SHAPE),
    "GH-5": (DECODER.format(begin="inputs[:1]"), DECODER.format(begin="tf.shape(inputs)[:1]"), "# here", SHAPE),
    "GH-7": (FLAGS.format(width=64), FLAGS.format(width=28), "# here", SHAPE),
}  # fmt: skip


def problems_of(folder: Path, source: str) -> list[Diagnostic]:
    (folder / "program.py").write_text(source)
    return list(explore(folder, "program.py", ast.parse(source), Versions()).problems.values())


@pytest.mark.parametrize("row", ROWS)
def test_the_defect_is_found_on_its_line(tmp_path: Path, row: str) -> None:
    source, _, mark, rule = ROWS[row]
    line = next(i for i, text in enumerate(source.splitlines(), start=1) if text.endswith(mark))
    found = problems_of(tmp_path, source)
    level = "note" if row == "SO-13" else "error"
    assert (line, rule, level, True) in {(p.site.line, p.rule, p.level, p.certain) for p in found}, found


@pytest.mark.parametrize("row", ROWS)
def test_the_repaired_twin_is_no_error(tmp_path: Path, row: str) -> None:
    found = problems_of(tmp_path, ROWS[row][1])
    allowed = ("warning", "note") if row == "GH-7" else ("note",)  # two flags that have to agree
    assert not [p for p in found if p.level not in allowed], found
    assert row != "SO-13" or not found


UNRANKED = """import numpy as np
import tensorflow as tf
assert tf.__version__ == "1.4.0"
x = tf.placeholder(tf.float32)
y = tf.placeholder(tf.float32)
both = tf.concat([x, y], 1)
out = tf.matmul(both, tf.Variable(tf.zeros([17, 3])))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(out, {{x: np.zeros((4, 9)), y: np.zeros({fed})}})
"""


@pytest.mark.parametrize(("fed", "lines"), [("(4, 8)", []), ("(4, 7)", [7]), ("(3, 8)", [6]), ("(4, 8, 1)", [6])])
def test_a_placeholder_without_a_shape_has_that_of_what_is_fed(tmp_path: Path, fed: str, lines: list[int]) -> None:
    found = problems_of(tmp_path, UNRANKED.format(fed=fed))
    assert [p.site.line for p in found if p.level == "error" and p.certain] == lines


def test_a_placeholder_that_is_fed_at_two_ranks_has_none(tmp_path: Path) -> None:
    source = UNRANKED.format(fed="(4, 7)").replace("sess.run(out", "sess.run(x, {x: np.zeros(3)})\n    sess.run(out")
    assert not [p for p in problems_of(tmp_path, source) if p.level == "error" and p.certain]
