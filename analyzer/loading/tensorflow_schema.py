"""TensorFlow's protocol buffers, described here so that reading a graph needs no TensorFlow.

Only the fields that Assay reads are declared; all others are skipped by the parser. Field numbers are those of
``tensorflow/core/framework`` and ``tensorflow/core/protobuf``; a test compares them with an installed TensorFlow.
Enumerations are declared as ``int32``, which is the same on the wire.
"""

from __future__ import annotations

import functools
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# One line a message: `number name type`; `*` repeats, `<K,V>` is a map.
MESSAGES = """
GraphDef: 1 node *NodeDef; 2 library FunctionDefLibrary; 3 version int32; 4 versions VersionDef
NodeDef: 1 name string; 2 op string; 3 input *string; 4 device string; 5 attr <string,AttrValue>
AttrValue: 1 list ListValue; 2 s bytes; 3 i int64; 4 f float; 5 b bool; 6 type int32; 7 shape TensorShapeProto;\
 8 tensor TensorProto; 9 placeholder string; 10 func NameAttrList
ListValue: 2 s *bytes; 3 i *int64; 4 f *float; 5 b *bool; 6 type *int32; 7 shape *TensorShapeProto;\
 8 tensor *TensorProto; 9 func *NameAttrList
NameAttrList: 1 name string; 2 attr <string,AttrValue>
TensorShapeProto: 2 dim *Dim; 3 unknown_rank bool
Dim: 1 size int64; 2 name string
TensorProto: 1 dtype int32; 2 tensor_shape TensorShapeProto; 3 version_number int32; 4 tensor_content bytes;\
 5 float_val *float; 6 double_val *double; 7 int_val *int32; 8 string_val *bytes; 9 scomplex_val *float;\
 10 int64_val *int64; 11 bool_val *bool; 12 dcomplex_val *double; 13 half_val *int32; 16 uint32_val *uint32;\
 17 uint64_val *uint64; 18 float8_val bytes
FunctionDefLibrary: 1 function *FunctionDef
FunctionDef: 1 signature OpDef; 3 node_def *NodeDef; 4 ret <string,string>; 5 attr <string,AttrValue>;\
 6 control_ret <string,string>; 7 arg_attr <uint32,ArgAttrs>
ArgAttrs: 1 attr <string,AttrValue>
OpDef: 1 name string; 2 input_arg *ArgDef; 3 output_arg *ArgDef; 4 attr *AttrDef; 17 is_stateful bool;\
 20 control_output *string
ArgDef: 1 name string; 3 type int32; 4 type_attr string; 5 number_attr string; 6 type_list_attr string; 16 is_ref bool
AttrDef: 1 name string; 2 type string; 3 default_value AttrValue
VersionDef: 1 producer int32; 2 min_consumer int32
SavedModel: 1 saved_model_schema_version int64; 2 meta_graphs *MetaGraphDef
MetaGraphDef: 1 meta_info_def MetaInfoDef; 2 graph_def GraphDef; 4 collection_def <string,CollectionDef>;\
 5 signature_def <string,SignatureDef>; 7 object_graph_def SavedObjectGraph
MetaInfoDef: 1 meta_graph_version string; 2 stripped_op_list OpList; 4 tags *string; 5 tensorflow_version string;\
 7 stripped_default_attrs bool
OpList: 1 op *OpDef
CollectionDef: 1 node_list NodeList; 2 bytes_list BytesList
NodeList: 1 value *string
BytesList: 1 value *bytes
VariableDef: 1 variable_name string; 2 initializer_name string; 3 snapshot_name string; 5 is_resource bool;\
 6 initial_value_name string; 7 trainable bool
SignatureDef: 1 inputs <string,TensorInfo>; 2 outputs <string,TensorInfo>; 3 method_name string
TensorInfo: 1 name string; 2 dtype int32; 3 tensor_shape TensorShapeProto
SavedObjectGraph: 1 nodes *SavedObject; 2 concrete_functions <string,SavedConcreteFunction>
SavedObject: 1 children *ObjectReference; 3 slot_variables *SlotVariableReference; 4 user_object SavedUserObject;\
 6 function SavedFunction; 7 variable SavedVariable; 9 constant SavedConstant
SavedUserObject: 1 identifier string; 3 metadata string
SavedFunction: 1 concrete_functions *string
SavedVariable: 1 dtype int32; 2 shape TensorShapeProto; 3 trainable bool; 6 name string
SavedConstant: 1 operation string
SavedConcreteFunction: 2 bound_inputs *int32
ObjectReference: 1 node_id int32; 2 local_name string
SlotVariableReference: 1 original_variable_node_id int32; 2 slot_name string; 3 slot_variable_node_id int32
TrackableObjectGraph: 1 nodes *TrackableObject
TrackableObject: 1 children *ObjectReference; 2 attributes *SerializedTensor; 3 slot_variables *SlotVariableReference
SerializedTensor: 1 name string; 2 full_name string; 3 checkpoint_key string
BundleHeaderProto: 1 num_shards int32; 2 endianness int32
BundleEntryProto: 1 dtype int32; 2 shape TensorShapeProto; 3 shard_id int32; 4 offset int64; 5 size int64;\
 6 crc32c fixed32; 7 slices *TensorSliceProto
TensorSliceProto: 1 extent *Extent
Extent: 1 start int64; 2 length int64
"""

PACKAGE = "assay.tensorflow"
RAW_ATTRIBUTE = "RawAttribute: 1 key string; 2 value bytes"  # the same bytes as an entry of `attr`


def _file(raw: bool) -> descriptor_pb2.FileDescriptorProto:
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="assay_tensorflow.proto", package=PACKAGE, syntax="proto3")

    def typed(field: Any, name: str) -> None:
        if name[0].isupper():
            field.type, field.type_name = kinds.TYPE_MESSAGE, f".{PACKAGE}.{name}"
        else:
            field.type = getattr(kinds, f"TYPE_{name.upper()}")

    for line in f"{RAW_ATTRIBUTE}\n{MESSAGES.strip()}".splitlines():
        message_name, fields = line.split(":", 1)
        message = file.message_type.add(name=message_name)
        for text in fields.split(";"):
            number, name, kind = text.split()
            if raw and (message_name, name) == ("NodeDef", "attr"):
                kind = "*RawAttribute"
            field = message.field.add(name=name, number=int(number), label=kinds.LABEL_OPTIONAL)
            if kind[0] in "*<":
                field.label = kinds.LABEL_REPEATED
            if kind[0] == "<":
                entry_name = "".join(part.capitalize() for part in name.split("_")) + "Entry"
                entry = message.nested_type.add(name=entry_name)
                entry.options.map_entry = True
                for index, part in enumerate(kind[1:-1].split(",")):
                    half = entry.field.add(name=("key", "value")[index], number=index + 1, label=kinds.LABEL_OPTIONAL)
                    typed(half, part)
                field.type, field.type_name = kinds.TYPE_MESSAGE, f".{PACKAGE}.{message_name}.{entry_name}"
            else:
                typed(field, kind.lstrip("*"))
            if message_name == "AttrValue":
                if not message.oneof_decl:
                    message.oneof_decl.add(name="value")
                field.oneof_index = 0
    return file


def message_class(name: str, raw: bool = False) -> Any:
    """The message class called `name` (``GraphDef``, ``SavedModel``, ``BundleEntryProto``…).

    With `raw`, the attributes of nodes stay undecoded bytes: most of them are equal, and are decoded once.
    """
    return _classes(raw)[name]


@functools.cache
def _classes(raw: bool) -> dict[str, Any]:
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(_file(raw).SerializeToString())
    file = pool.FindFileByName("assay_tensorflow.proto")
    return {name: message_factory.GetMessageClass(d) for name, d in file.message_types_by_name.items()}
