"""Choosing among configurations of a program without a GPU: run each in the emulator, predict its time, rank.

    strata.tune(["./app", "{BLOCK}", "{TILE}"], {"BLOCK": [64, 128], "TILE": [4, 8]}, gpu="h200")

ranks all combinations of a CUDA program. For Triton's autotuner:

    @triton.autotune(configs, key=["n"], prune_configs_by={
        "perf_model": strata.perf_model(lambda: kernel, grid=lambda meta: (triton.cdiv(n, meta["BLOCK"]),)), "top_k": 1})

A second model gives its own order; how well the two agree tells how sure the order is.
"""

import itertools
import re
import tempfile
from pathlib import Path

TIME = "gpu__time_duration.sum"
UNSUPPORTED = 4  # exit code of the command: something Strata does not do


def _core():
    import strata

    return strata


def time_of(trace, gpu, model="flow", **options):
    """The predicted time of all launches of a trace, in seconds."""
    launches = _core().predict(trace, gpu=gpu, model=model, **options)["launches"]
    return sum(launch["metrics"][TIME] for launch in launches) * 1e-9


def agreement(first, second):
    """Kendall's tau of two lists of times: 1 the same order, 0 none, -1 the opposite; None with fewer than two."""
    pairs = list(itertools.combinations(range(len(first)), 2))
    if not pairs:
        return None

    def sign(a, b):
        return (a > b) - (a < b)

    return sum(sign(first[i], first[k]) * sign(second[i], second[k]) for i, k in pairs) / len(pairs)


def _fill(words, values):
    names = set(re.findall(r"\{(\w+)\}", " ".join(words)))
    missing = names - set(values)
    if missing or set(values) - names:
        odd = sorted(missing or set(values) - names)
        raise _core().Error(f"tune: {odd[0]} is {'in the command but has no values' if missing else 'not in the command'}"
                            "; write {NAME} in the command for each name that varies.", 2)
    return [re.sub(r"\{(\w+)\}", lambda found: str(values[found.group(1)]), word) for word in words]


def tune(command, vary, gpu="h200", model="flow", second="interval", **trace_options):
    """Ranks the combinations of `vary` (name: values) of a command with {NAME} in its words.

    Returns {"ranking": [{"values", "seconds", "second_opinion"}, ...], "agreement", "same_best"}, fastest first. A
    combination whose program fails is listed last with its "error"."""
    names = list(vary)
    tried = []
    with tempfile.TemporaryDirectory(prefix="strata-tune-") as folder:
        for i, combination in enumerate(itertools.product(*vary.values())):
            values = dict(zip(names, combination))
            words = _fill([str(word) for word in command], values)
            trace = Path(folder) / f"{i}.strata"
            row = {"values": values}
            try:
                _core().trace(words, trace, gpu=gpu, **trace_options)
                row["seconds"] = time_of(trace, gpu, model)
                if second:
                    row["second_opinion"] = time_of(trace, gpu, second)
            except _core().Error as problem:
                row["error"] = str(problem)
            trace.unlink(missing_ok=True)
            tried.append(row)
    return _ranked(tried, second)


def _ranked(tried, second):
    good = sorted((row for row in tried if "error" not in row), key=lambda row: row["seconds"])
    result = {"ranking": good + [row for row in tried if "error" in row]}
    if second and good:
        opinions = [row["second_opinion"] for row in good]
        result["agreement"] = agreement([row["seconds"] for row in good], opinions)
        result["same_best"] = opinions[0] == min(opinions)
    return result


# ---- one kernel, from its code ----


def entry_parameters(ptx, kernel):
    """Types of a kernel's parameters in order, as in its PTX: "u64", "u32", "f32", ..."""
    found = re.search(r"\.entry\s+" + re.escape(kernel) + r"\s*\((.*?)\)", ptx, re.S)
    if not found:
        raise _core().Error(f"the PTX has no kernel {kernel}.", 3)
    return re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)", found.group(1))


def _argument(kind, value):
    """One --arg of `strata trace --ptx`: a tensor-like value becomes a buffer of its size."""
    if hasattr(value, "numel") and hasattr(value, "element_size"):
        integers = not getattr(getattr(value, "dtype", None), "is_floating_point", True)
        return f"buffer:{max(value.numel() * value.element_size(), 16)}={'index' if integers else 'random'}"
    if value is None:
        return "buffer:65536"  # scratch memory that the compiler asks for
    if kind.startswith("f"):
        return f"{kind if kind != 'f16' else 'f32'}:{float(value)!r}"
    return f"{kind.replace('b', 'u').replace('s', 'i')}:{int(value)}"


def time_of_kernel(ptx, kernel, grid, block, arguments, gpu="h200", model="flow", shared_bytes=0, sample_blocks=0, cubin=None, warm=False):
    """Seconds that one launch of a kernel is predicted to take: of its machine code (bytes of a cubin) if that is given
    and can be executed, else of its PTX text. warm: the caches hold what an earlier launch of it left, else they are empty."""
    kinds = entry_parameters(ptx, kernel)
    given = list(arguments) + [None] * (len(kinds) - len(arguments))
    grid = tuple(grid) + (1,) * (3 - len(grid))
    words = ["--kernel", kernel, "--grid", "%d,%d,%d" % grid, "--block", f"{block},1,1", "--shared", shared_bytes, "--gpu", gpu]
    if sample_blocks:
        words += ["--sample-blocks", sample_blocks]
    for kind, value in zip(kinds, given):
        words += ["--arg", _argument(kind, value)]
    with tempfile.TemporaryDirectory(prefix="strata-kernel-") as folder:
        source, trace = Path(folder) / "kernel", Path(folder) / "kernel.strata"
        for code in (cubin, ptx.encode()):
            if not code:
                continue
            source.write_bytes(code)
            try:
                _core().run("trace", "-q", "-o", trace, "--ptx", source, *words)
                return time_of(trace, gpu, model, cache_control="warm" if warm else None)
            except _core().Error as problem:
                if code is not cubin or problem.code != UNSUPPORTED:
                    raise


def perf_model(kernel, grid, gpu="h200", model="flow", sample_blocks=0, warm=False):
    """A `perf_model` for triton.autotune's prune_configs_by: the predicted milliseconds of one configuration.

    `kernel` is a function that returns the @triton.jit function, `grid` the launch's grid as a function of the meta
    arguments. Nothing is launched: the kernel is compiled for the configuration, and its machine code, or its PTX where
    that cannot be executed, runs in the emulator. Triton's own timer empties the L2 before each launch, and so does the
    prediction; warm=True is for kernels that find their data there."""

    def predicted(*positional, **named):
        options = {k: named.pop(k) for k in ("num_warps", "num_stages", "num_ctas") if k in named}
        function = kernel()
        compiled = function.warmup(*positional, **named, **options, grid=(1,))
        values = [named[name] for name in function.arg_names if name in named and name not in _constants(function)]
        return 1e3 * time_of_kernel(compiled.asm["ptx"], compiled.metadata.name, grid(named), 32 * options.get("num_warps", 4),
                                    values, gpu, model, compiled.metadata.shared, sample_blocks, compiled.asm.get("cubin"), warm)

    return predicted


def _constants(function):
    return {p.name for p in getattr(function, "params", []) if getattr(p, "is_constexpr", False)}
