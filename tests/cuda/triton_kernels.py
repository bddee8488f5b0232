"""Triton kernels whose results are compared with the CPU's; run on a GPU or over Strata's libcuda.

With Strata, `import strata.triton` hands the PTX of each kernel to the stand-in, since Triton itself loads
machine code. Prints one line per kernel."""
import sys
import traceback

import torch
import triton
import triton.language as tl

try:
    import strata.triton  # noqa: F401  the hook; without Strata there is nothing to hook
except ImportError:
    pass


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def scale(x, out, by, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) * by, i < n)


@triton.jit
def relu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.maximum(tl.load(x + i, i < n), 0.0), i < n)


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n)
    tl.store(out + i, 0.5 * v * (1 + tl.math.erf(v * 0.7071067811865476)), i < n)


@triton.jit
def row_sum(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(out + row, tl.sum(tl.load(x + row * columns + i, i < columns, 0.0), 0))


@triton.jit
def row_max(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(out + row, tl.max(tl.load(x + row * columns + i, i < columns, -float("inf")), 0))


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, i < columns, -float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * columns + i, e / tl.sum(e, 0), i < columns)


@triton.jit
def layer_norm(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, i < columns, 0.0)
    mean = tl.sum(v, 0) / columns
    d = tl.where(i < columns, v - mean, 0.0)
    tl.store(out + row * columns + i, d / tl.sqrt(tl.sum(d * d, 0) / columns + 1e-5), i < columns)


@triton.jit
def transpose(x, out, n, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + r[:, None] * n + c[None, :])
    tl.store(out + c[:, None] * n + r[None, :], tl.trans(v))


@triton.jit
def matmul(a, b, out, n, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    sum_ = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, n, BLOCK):
        i = k + tl.arange(0, BLOCK)
        sum_ += tl.dot(tl.load(a + r[:, None] * n + i[None, :]), tl.load(b + i[:, None] * n + c[None, :]))
    tl.store(out + r[:, None] * n + c[None, :], sum_)


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(x + i, i < n), 1, i < n)


@triton.jit
def cumulative(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), 0))


def cases():
    torch.manual_seed(1)
    n = 1000
    x, y, m = torch.randn(n), torch.randn(n), torch.randn(16, 200)
    a, b = torch.randn(64, 64, dtype=torch.float16), torch.randn(64, 64, dtype=torch.float16)
    ids, grid = torch.randint(0, 16, (n,), dtype=torch.int32), (4,)
    yield "add", add, grid, (x, y), torch.empty(n), (n,), 256, x + y
    yield "scale", scale, grid, (x,), torch.empty(n), (2.5, n), 256, x * 2.5
    yield "relu", relu, grid, (x,), torch.empty(n), (n,), 256, torch.relu(x)
    yield "gelu", gelu, grid, (x,), torch.empty(n), (n,), 256, torch.nn.functional.gelu(x)
    yield "row_sum", row_sum, (16,), (m,), torch.empty(16), (200,), 256, m.sum(1)
    yield "row_max", row_max, (16,), (m,), torch.empty(16), (200,), 256, m.max(1).values
    yield "softmax", softmax, (16,), (m,), torch.empty(16, 200), (200,), 256, torch.softmax(m, 1)
    yield ("layer_norm", layer_norm, (16,), (m,), torch.empty(16, 200), (200,), 256,
           torch.nn.functional.layer_norm(m, (200,)))
    yield "transpose", transpose, (2, 2), (a,), torch.empty(64, 64, dtype=torch.float16), (64,), 32, a.T
    yield "matmul", matmul, (2, 2), (a, b), torch.empty(64, 64), (64,), 32, a.float() @ b.float()
    yield ("histogram", histogram, grid, (ids,), torch.zeros(16, dtype=torch.int32), (n,), 256,
           torch.bincount(ids, minlength=16).int())
    yield "cumulative", cumulative, (1,), (torch.ones(256),), torch.empty(256), (), 256, torch.arange(1.0, 257)


def main():
    failed = 0
    for name, kernel, grid, inputs, out, scalars, block, expected in cases():
        try:
            result = out.to("cuda")
            kernel[grid](*[t.to("cuda") for t in inputs], result, *scalars, BLOCK=block)
            good = torch.allclose(result.cpu(), expected.to(result.dtype), atol=2e-2, rtol=1e-2)
            print(name, "agrees" if good else "DIFFERS", flush=True)
        except Exception as problem:  # noqa: BLE001  each kernel is tried
            good = False
            print(name, "FAILED", type(problem).__name__, str(problem)[:200].replace("\n", " "), flush=True)
            if "-v" in sys.argv:
                traceback.print_exc()
        failed += not good
    print(failed, "failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
