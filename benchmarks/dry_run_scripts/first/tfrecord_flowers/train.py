import argparse
import os

import tensorflow as tf

SIZE = 192
CLASSES = 5
AUTOTUNE = tf.data.AUTOTUNE


def parse(record):
    features = tf.io.parse_single_example(
        record,
        {
            "image": tf.io.FixedLenFeature([], tf.string),
            "class": tf.io.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.image.decode_jpeg(features["image"], channels=3)
    image = tf.cast(image, tf.float32) / 255.0
    image = tf.reshape(image, [SIZE, SIZE, 3])
    return image, tf.one_hot(features["class"], CLASSES)


def augment(image, label):
    image = tf.image.random_flip_left_right(image)
    return tf.image.random_saturation(image, 0, 2), label


def dataset(pattern, batch, training):
    files = tf.io.gfile.glob(pattern)
    data = tf.data.TFRecordDataset(files, num_parallel_reads=AUTOTUNE).map(parse, num_parallel_calls=AUTOTUNE)
    if training:
        data = data.map(augment).repeat().shuffle(2048)
    return data.batch(batch).prefetch(AUTOTUNE)


def build():
    inputs = tf.keras.Input((SIZE, SIZE, 3))
    x = tf.keras.layers.Conv2D(32, 3, strides=2, padding="same", activation="relu")(inputs)
    for filters in (64, 128):
        shortcut = tf.keras.layers.Conv2D(filters, 1, strides=2, padding="same")(x)
        x = tf.keras.layers.SeparableConv2D(filters, 3, padding="same", activation="relu")(x)
        x = tf.keras.layers.BatchNormalization()(x)
        x = tf.keras.layers.MaxPooling2D(3, strides=2, padding="same")(x)
        x = tf.keras.layers.Add()([x, shortcut])
    x = tf.keras.layers.GlobalAveragePooling2D()(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(CLASSES, activation="softmax")(x))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gcs", default="data/tfrecords")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=12)
    args = parser.parse_args()
    train = dataset(os.path.join(args.gcs, "train*.tfrec"), args.batch, True)
    val = dataset(os.path.join(args.gcs, "val*.tfrec"), args.batch, False)
    model = build()
    model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
    model.fit(train, validation_data=val, epochs=args.epochs, steps_per_epoch=3670 // args.batch)
    model.save("flowers.keras")


if __name__ == "__main__":
    main()
