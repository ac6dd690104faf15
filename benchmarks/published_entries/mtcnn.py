"""Entry points of mtcnn: its three networks that propose, refine and finish faces, with losses of faces and boxes."""

import tensorflow as tf
from mtcnn.network.onet import ONet
from mtcnn.network.pnet import PNet
from mtcnn.network.rnet import RNet


class _Faces(tf.Module):
    def __init__(self, model, size):
        super().__init__()
        self.model = model
        self.model.build((None, size, size, 3))

    def __call__(self, pictures, is_face, boxes):
        box, face = (tf.reshape(output, (len(pictures), -1)) for output in self.model(pictures))
        faces = tf.keras.losses.sparse_categorical_crossentropy(is_face, face)
        errors = tf.reduce_sum(tf.square(box - boxes), axis=1) * tf.cast(is_face, tf.float32)
        return tf.reduce_mean(faces + 0.5 * errors)


def _pictures(size):
    """Pictures of pixels between -1 and 1, of which one is a face."""
    return tf.random.uniform((2, size, size, 3), -1, 1), tf.constant([1, 0]), tf.random.uniform((2, 4), -0.3, 0.3)


def proposed():
    return _Faces(PNet(), 12), _pictures(12)


def refined():
    return _Faces(RNet(), 24), _pictures(24)


class _Finished(tf.Module):
    def __init__(self):
        super().__init__()
        self.model = ONet()
        self.model.build((None, 48, 48, 3))

    def __call__(self, pictures, is_face, boxes, landmarks):
        box, points, face = self.model(pictures)
        faces = tf.keras.losses.sparse_categorical_crossentropy(is_face, face)
        errors = tf.reduce_sum(tf.square(box - boxes), axis=1) + tf.reduce_sum(tf.square(points - landmarks), axis=1)
        return tf.reduce_mean(faces + errors * tf.cast(is_face, tf.float32))


def finished():
    return _Finished(), (*_pictures(48), tf.random.uniform((2, 10)))


class _Scanned(tf.Module):
    """The first network looks at a whole picture at once."""

    def __init__(self):
        super().__init__()
        self.model = PNet()
        self.model.build((None, None, None, 3))

    def __call__(self, picture):
        boxes, faces = self.model(picture)
        return tf.where(faces[..., 1:] > 0.6, boxes, 0.0)


def scanned():
    return _Scanned(), (tf.random.uniform((1, 30, 24, 3), -1, 1),)
