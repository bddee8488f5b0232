"""Strata from Python: what a GPU's memory hierarchy does with a program, as plain dicts.

    import strata

    flow = strata.predict("app.strata", gpu="h200")
    for launch in flow["launches"]:
        print(launch["kernel"], launch["metrics"]["sm__cycles_elapsed.max"])
    strata.table(flow)          # a pandas DataFrame, or a list of dicts without pandas

Each function returns what the command of the same name prints as JSON, whose schemas are in
docs/formats.md. Results can be given to other functions as they are, or as the paths of files that hold
them. What goes wrong raises strata.Error with the command's own sentence.

predict() and metrics() call the shared library in this process (include/strata/call.h); all else, and these
where there is no library, runs the command. The library is the one STRATA_LIBRARY names (empty: none), else
the one installed beside this module or in the build folder of its source tree, else the system's. The command
is the program STRATA names, in which case no library is used, else `strata` on the path, else the one in the
build folder.
"""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import _library
from .tuning import perf_model, time_of_kernel, tune

__all__ = [
    "Error", "tool", "version", "run", "models", "gpus", "gpu", "trace", "generate", "info", "check",
    "metrics", "predict", "hotspots", "reuse", "sweep", "correlate", "report", "rows", "table", "uses_library",
    "tune", "perf_model", "time_of_kernel",
]


class Error(Exception):
    """A command failed: `code` is its exit code (2 usage, 3 input, 4 not supported here)."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


def tool():
    """The path of the strata program."""
    named = os.environ.get("STRATA")
    built = Path(__file__).resolve().parents[2] / "build" / "tools" / "strata"
    found = named or shutil.which("strata") or (str(built) if built.exists() else None)
    if not found:
        raise Error("there is no strata program: install it, or name it in the variable STRATA.", 4)
    return found


def run(*arguments, codes=(0,)):
    """Runs a command with these words and returns what it prints."""
    words = [tool(), *map(str, arguments)]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    except OSError as problem:
        raise Error(f"{words[0]} cannot be run: {problem.strerror}.", 4) from problem
    if done.returncode not in codes:
        sentence = done.stderr.strip().splitlines()
        raise Error(sentence[-1] if sentence else f"strata ended with exit code {done.returncode}.", done.returncode)
    return done.stdout


def uses_library():
    """Whether predictions are made in this process."""
    return not os.environ.get("STRATA") and _library.load() is not None


def version():
    """For example "strata 0.2.0"."""
    return "strata " + _library.VERSION if uses_library() else run("--version").strip()


# ---- building command lines ----


def _options(given):
    """--launch-count 3 of launch_count=3; lists repeat the option, True is a flag, None and False are nothing."""
    words = []
    for name, value in given.items():
        option = "--" + name.strip("_").replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                words += [option, str(one)]
    return words


def _setting_words(values):
    """key=value for each of a dict or of a list of such words."""
    return [f"{key}={value}" for key, value in values.items()] if isinstance(values, dict) else list(values or [])


def _settings(values):
    return _options({"set": _setting_words(values)})


def _paths(value):
    return [str(value)] if isinstance(value, (str, os.PathLike)) else [str(v) for v in value]


class _Files:
    """Results as files: those that are dicts are written to a folder that is removed at the end."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="strata-")
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def names(self, results):
        if isinstance(results, (dict, str, os.PathLike)):
            results = [results]
        return [self._name(i, r) for i, r in enumerate(results)]

    def _name(self, i, result):
        if not isinstance(result, dict):
            return str(result)
        path = Path(self._folder.name) / f"result-{i}.json"
        path.write_text(json.dumps(result), encoding="utf-8")
        return str(path)


# ---- commands ----


def models():
    """Names of the models and what they do."""
    text = run("predict", "--help").split("\nmodels:\n", 1)[1].split("\n\n", 1)[0]
    return dict((line.split()[0], line.strip().split(None, 1)[1]) for line in text.splitlines())


def gpus():
    """The GPUs there are files for."""
    return json.loads(run("gpu", "list", "--format", "json"))


def gpu(name, set=None):
    """Every value of a GPU with unit and source, and what follows from them."""
    return json.loads(run("gpu", "show", name, *_settings(set), "--format", "json"))


def trace(command, out, **options):
    """Runs a CUDA program (a list of words) on the CPU and records it in the file `out`; returns its output."""
    return run("trace", "-q", "-o", out, *_options(options), "--", *_paths(command))


def generate(kind, out, **values):
    """Writes a synthetic trace: generate("stream", "s.strata", n=4096)."""
    run("generate", kind, *[f"{key}={value}" for key, value in values.items()], "-q", "-o", out)
    return out


def info(traces, **options):
    """What is in traces."""
    return json.loads(run("info", *_paths(traces), *_options(options), "--format", "json"))


def check(traces, **options):
    """The rules every real execution obeys; those that are broken are in the result."""
    return json.loads(run("check", *_paths(traces), *_options(options), "--format", "json", codes=(0, 1)))


_LIBRARY_OPTIONS = {"variant", "kernel_name", "launch_skip", "launch_count", "seed", "jobs", "accelsim_compat", "progress"}


def metrics():
    """Name, unit, definition and aggregation of every metric, as a list of dicts."""
    return _library.metrics() if uses_library() else json.loads(run("metrics", "--format", "json"))["metrics"]


def predict(traces, gpu, model="flow", set=None, **options):
    """Counters of every launch: predict("app.strata", "h200", model="sim", kernel_name="regex:gemm", jobs=4).

    progress=function is called with (launches done, launches) where the library is used."""
    options = {name.strip("_"): value for name, value in options.items() if value is not None}
    if uses_library() and _LIBRARY_OPTIONS.issuperset(options):
        try:
            return json.loads(_library.predict(_paths(traces), str(gpu), model, _setting_words(set), **options))
        except _library.Failure as failure:
            raise Error("strata: " + str(failure), failure.code) from None
    options.pop("progress", None)
    return json.loads(run("predict", *_paths(traces), "--gpu", gpu, "--model", model, *_settings(set), *_options(options), "-q", "--format", "json"))


def reuse(traces, gpu, set=None, **options):
    """Reuse distances and miss-ratio curves: reuse("app.strata", "h200", scope="gpu")."""
    return json.loads(run("reuse", *_paths(traces), "--gpu", gpu, *_settings(set), *_options(options), "-q", "--format", "json"))


def hotspots(traces, gpu, set=None, **options):
    """Which instructions, or source lines, cause the traffic: hotspots("app.strata", "h200", by="line")."""
    return json.loads(run("hotspots", *_paths(traces), "--gpu", gpu, *_settings(set), *_options(options), "-q", "--format", "json"))


def sweep(traces, gpu, vary, model="flow", set=None, **options):
    """A model at many points: sweep("app.strata", "h200", {"l1.ways": [2, 4], "l2.size": "8MiB..64MiB*2"})."""
    axes = [f"{key}=" + (str(v) if isinstance(v, (str, int, float)) else ",".join(map(str, v))) for key, v in vary.items()]
    return json.loads(run("sweep", *_paths(traces), "--gpu", gpu, "--model", model, *_settings(set), *_options({"vary": axes}), *_options(options), "-q", "--format", "json"))


def correlate(predictions, measured, **options):
    """Errors of predictions against measured counters; correlate(flow, "counters.csv", summary=True)."""
    with _Files() as files:
        return json.loads(run("correlate", "--measured", measured, *files.names(predictions), *_options(options), "-q", "--format", "json", codes=(0, 1)))


def report(results, out, measured=None, **options):
    """Writes one HTML page about all these results; returns its path."""
    with _Files() as files:
        run("report", *files.names(results), *_options({"measured": measured, **options}), "-q", "-o", out)
    return out


# ---- tables ----


_units = {}


def _unit(metric):
    if not _units:
        _units.update((m["metric"], m["unit"]) for m in metrics())
    return _units.get(metric, "")


def _prediction_rows(result):
    model = result["model"] + (":" + result["variant"] if result.get("variant") else "")
    card = " ".join([result["gpu"], *result.get("overrides", [])])
    for launch in result["launches"]:
        name = {key: launch.get(key) for key in ("program", "trace", "id", "kernel")}
        for metric, value in launch["metrics"].items():
            yield {**name, "metric": metric, "unit": _unit(metric), "value": value, "model": model, "gpu": card}


def _reuse_rows(result):
    for launch in result["launches"]:
        name = {key: launch.get(key) for key in ("program", "trace", "id", "kernel")}
        for point in launch.get("miss_ratios", []):
            yield {**name, "scope": result["scope"], "unit": result["unit"], "size": point["size"], "miss_ratio": point["miss_ratio"]}


def _hotspot_rows(result):
    for launch in result["launches"]:
        name = {key: launch.get(key) for key in ("program", "trace", "id", "kernel")}
        for site in launch["sites"]:
            yield {**name, "line": None, **site, "gpu": result["gpu"]}


def _sweep_rows(result):
    for point in result["points"]:
        yield {**point["settings"], "status": point["status"], "rank": point.get("rank"), **point.get("metrics", {})}


def _gpu_rows(result):
    for key in result["keys"]:
        yield dict(key)


_ROWS = {"strata.prediction/1": _prediction_rows, "strata.hotspots/1": _hotspot_rows, "strata.reuse/1": _reuse_rows, "strata.sweep/1": _sweep_rows, "strata.gpu/1": _gpu_rows}


def rows(result):
    """A result, or several, as a list of flat dicts: one a launch and metric, a point of a sweep, or a key."""
    if not isinstance(result, dict):
        return [row for one in result for row in rows(one)]
    if result.get("schema") not in _ROWS:
        raise Error(f"there is no table of the schema {result.get('schema')!r}; those known are {', '.join(_ROWS)}.", 2)
    return list(_ROWS[result["schema"]](result))


def _nsight_rows(result):
    if not isinstance(result, dict):
        return [row for one in result for row in _nsight_rows(one)]
    return [{"Annotation": row["program"], "Kernel": row["kernel"], "Metric": row["metric"],
             "Unit": row["unit"], "Value": row["value"], "AvgValue": row["value"], "NumRuns": 1,
             "GPU": row["gpu"], "Host": None, "Source": "model", "Model": row["model"]} for row in _prediction_rows(result)]


def table(result, style="tidy"):
    """The rows as a pandas DataFrame where pandas is installed, else as they are.

    style="nsight" gives predictions the column names of nsight-python's tables (Annotation, Kernel, Metric, Unit,
    Value, AvgValue, GPU), and Source: the annotation is the program, the one run is the model's."""
    found = _nsight_rows(result) if style == "nsight" else rows(result)
    try:
        import pandas
    except ImportError:
        return found
    return pandas.DataFrame(found)
