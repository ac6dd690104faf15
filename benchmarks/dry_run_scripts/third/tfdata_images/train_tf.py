import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

AUTOTUNE = tf.data.AUTOTUNE
IMG, BATCH = 96, 16
CLASSES = ["daisy", "rose", "tulip", "sunflower"]
root = pathlib.Path("photos")


def label_of(path):
    name = tf.strings.split(path, os.path.sep)[-2]
    return tf.one_hot(tf.argmax(tf.cast(name == CLASSES, tf.int32)), len(CLASSES))


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    image = tf.image.resize(image, [IMG, IMG])
    return image / 255.0, label_of(path)


def augment(image, label):
    image = tf.image.random_flip_left_right(image)
    return tf.image.random_brightness(image, 0.1), label


files = tf.data.Dataset.list_files(str(root / "*/*.jpg"), shuffle=False)
count = files.cardinality().numpy()
files = files.shuffle(count, seed=1, reshuffle_each_iteration=False)
val_files, train_files = files.take(count // 5), files.skip(count // 5)
train = train_files.map(load, AUTOTUNE).cache().map(augment, AUTOTUNE).batch(BATCH).prefetch(AUTOTUNE)
val = val_files.map(load, AUTOTUNE).batch(BATCH)

model = tf.keras.Sequential([
    tf.keras.layers.Input((IMG, IMG, 3)),
    tf.keras.layers.Conv2D(16, 3, activation="relu"),
    tf.keras.layers.MaxPooling2D(),
    tf.keras.layers.Conv2D(32, 3, activation="relu"),
    tf.keras.layers.MaxPooling2D(),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dropout(0.3),
    tf.keras.layers.Dense(64, activation="relu"),
    tf.keras.layers.Dense(len(CLASSES)),
])
model.compile(
    optimizer=tf.keras.optimizers.Adam(1e-3),
    loss=tf.keras.losses.CategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.summary()
history = model.fit(train, validation_data=val, epochs=3)
print("best", max(history.history["val_accuracy"]))
model.save("flowers.keras")
