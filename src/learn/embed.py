"""Writes a model file as a C array: the library carries its default model with it."""
import sys

data = open(sys.argv[1], "rb").read() if len(sys.argv) == 3 else b""
with open(sys.argv[-1], "w") as out:
    out.write("/* made from the default model */\n")
    out.write("extern const unsigned char learn_default_model[];\nextern const unsigned long learn_default_model_bytes;\n")
    out.write(f"const unsigned long learn_default_model_bytes = {len(data)};\n")
    out.write("const unsigned char learn_default_model[] = {\n")
    for i in range(0, len(data), 32):
        out.write(",".join(map(str, data[i : i + 32])) + ",\n")
    out.write("0};\n")
