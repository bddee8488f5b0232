"""The shared library of Strata through its C ABI (include/strata/call.h), where it can be found."""

import ctypes
import ctypes.util
import os
import threading
from pathlib import Path

VERSION = "0.2.0"  # of the header this file mirrors

_PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
_STATUS_CODES = {5: 3, 6: 4, 8: 2, 9: 1}  # strata_status to the exit code of the command; all others are 3


class Call(ctypes.Structure):
    """struct strata_call."""

    _fields_ = [
        ("trace", ctypes.POINTER(ctypes.c_char_p)), ("n_traces", ctypes.c_uint64),
        ("gpu", ctypes.c_char_p), ("model", ctypes.c_char_p), ("variant", ctypes.c_char_p),
        ("set", ctypes.POINTER(ctypes.c_char_p)), ("n_set", ctypes.c_uint64),
        ("kernel_name", ctypes.c_char_p), ("launch_skip", ctypes.c_uint64), ("launch_count", ctypes.c_uint64),
        ("seed", ctypes.c_uint64), ("jobs", ctypes.c_uint32), ("accelsim_compat", ctypes.c_uint32),
        ("progress", _PROGRESS), ("progress_context", ctypes.c_void_p),
        ("stop", ctypes.POINTER(ctypes.c_int32)),
    ]


class _Error(ctypes.Structure):
    """struct strata_error."""

    _fields_ = [("status", ctypes.c_int), ("file", ctypes.c_char * 512), ("line", ctypes.c_uint32),
                ("column", ctypes.c_uint32), ("message", ctypes.c_char * 768)]


class _Metric(ctypes.Structure):
    """struct strata_metric."""

    _fields_ = [(name, ctypes.c_char_p) for name in ("metric", "unit", "definition", "aggregation")]


class Failure(Exception):
    """A call failed: the sentence, and the exit code the command would have."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


def _places():
    """Where the library may be, and the GPU files that belong to it."""
    here = Path(__file__).resolve()
    named = os.environ.get("STRATA_LIBRARY")
    if named is not None:  # empty: use the command
        return [(named, [])] if named else []
    inside = here.parent / "libstrata.so.0"  # a wheel
    if inside.exists():
        return [(str(inside), [here.parent / "gpus"])]
    source = here.parents[2]
    places = [(str(source / "build" / "libstrata.so.0"), [source / "gpus"])]
    for folder in here.parents:  # PREFIX/lib/python3.x/site-packages/strata and the like
        if folder.name in ("lib", "lib64", "local"):
            prefix = folder if folder.name == "local" else folder.parent
            found = sorted(prefix.glob("lib*/libstrata.so.0")) + sorted(prefix.glob("lib/*/libstrata.so.0"))
            places += [(str(path), [prefix / "share" / "strata" / "gpus"]) for path in found]
    by_linker = ctypes.util.find_library("strata")
    return [p for p in places if Path(p[0]).exists()] + ([(by_linker, [])] if by_linker else [])


def _declare(lib):
    lib.strata_version.restype = ctypes.c_char_p
    lib.strata_gpu_add_path.argtypes = [ctypes.c_char_p, ctypes.POINTER(_Error)]
    lib.strata_call_predict.argtypes = [ctypes.POINTER(Call), ctypes.POINTER(ctypes.c_void_p),
                                        ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(_Error)]
    lib.strata_metric_table.argtypes = [ctypes.POINTER(ctypes.c_size_t)]
    lib.strata_metric_table.restype = ctypes.POINTER(_Metric)
    lib.strata_call_free.argtypes = [ctypes.c_void_p]
    lib.strata_error_text.argtypes = [ctypes.POINTER(_Error), ctypes.c_char_p, ctypes.c_uint64]


def _add_gpu_folders(lib, folders):
    """Searched in the order of the command: STRATA_GPU_PATH, then what came with the library."""
    given = [f for f in os.environ.get("STRATA_GPU_PATH", "").split(":") if f]
    shared = [Path(p) / "share" / "strata" / "gpus" for p in ("/usr/local", "/usr")]
    for folder in reversed([*given, *folders, *shared]):
        lib.strata_gpu_add_path(os.fsencode(folder), None)


_loaded = None
_lock = threading.Lock()


def load():
    """The library, or None where there is none of this version."""
    global _loaded
    with _lock:
        if _loaded is None:
            _loaded = False
            for path, folders in _places():
                try:
                    lib = ctypes.CDLL(path)
                    _declare(lib)
                    if lib.strata_version().decode() != VERSION:
                        continue
                except (OSError, AttributeError):
                    continue
                _add_gpu_folders(lib, folders)
                _loaded = lib
                break
    return _loaded or None


def _words(values):
    return (ctypes.c_char_p * len(values))(*[os.fsencode(v) for v in values])


def _run(lib, call, answer):
    text, length, error = ctypes.c_void_p(), ctypes.c_size_t(), _Error()
    status = lib.strata_call_predict(ctypes.byref(call), ctypes.byref(text), ctypes.byref(length), ctypes.byref(error))
    if status == 0:
        answer.append(ctypes.string_at(text, length.value).decode("utf-8"))
        lib.strata_call_free(text)
        return
    sentence = ctypes.create_string_buffer(1400)
    lib.strata_error_text(ctypes.byref(error), sentence, len(sentence))
    answer.append(Failure(sentence.value.decode("utf-8", "replace"), _STATUS_CODES.get(status, 3)))


def predict(traces, gpu, model, settings, variant=None, kernel_name=None, launch_skip=0, launch_count=0, seed=1,
            jobs=1, accelsim_compat=False, progress=None):
    """The JSON text of a prediction. The call runs in a thread of its own, so that Ctrl-C is heard at once; the
    launches that are under way then end by themselves."""
    lib = load()
    optional = lambda word: None if word is None else os.fsencode(word)  # noqa: E731
    stop = ctypes.c_int32(0)
    call = Call(trace=_words(traces), n_traces=len(traces), gpu=os.fsencode(gpu), model=os.fsencode(model),
                variant=optional(variant), set=_words(settings), n_set=len(settings), kernel_name=optional(kernel_name),
                launch_skip=int(launch_skip), launch_count=int(launch_count), seed=int(seed), jobs=int(jobs),
                accelsim_compat=bool(accelsim_compat), stop=ctypes.pointer(stop))
    if progress:
        call.progress = _PROGRESS(lambda _, done, of: progress(done, of))
    answer = []
    worker = threading.Thread(target=_run, args=(lib, call, answer), daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(0.1)
    except BaseException:
        stop.value = 1
        raise
    if isinstance(answer[0], Failure):
        raise answer[0]
    return answer[0]


def metrics():
    """Name, unit, definition and aggregation of every metric."""
    n = ctypes.c_size_t()
    found = load().strata_metric_table(ctypes.byref(n))
    return [{name: getattr(found[i], name).decode("utf-8") for name, _ in _Metric._fields_} for i in range(n.value)]
