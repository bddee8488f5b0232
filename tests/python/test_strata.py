"""The Python module against the tool: each function gives the command's JSON, errors are sentences."""
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

SOURCE = Path(os.environ["STRATA_SOURCE"])
sys.path.insert(0, str(SOURCE / "python"))
import strata  # noqa: E402

TRACE = str(SOURCE / "tests" / "data" / "traces" / "strided")
DATA = SOURCE / "tests" / "data"
CYCLES = "sm__cycles_elapsed.max"


class StrataTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_the_version_and_the_models_are_the_tools(self):
        self.assertRegex(strata.version(), r"^strata \d")
        self.assertIn("flow", strata.models())
        self.assertTrue(all(strata.models().values()))

    def test_a_gpu_has_values_with_sources(self):
        keys = {key["key"]: key for key in strata.gpu("h200")["keys"]}
        self.assertEqual(keys["sm.count"]["value"], 132)
        self.assertTrue(keys["sm.count"]["source"])
        changed = {key["key"]: key["value"] for key in strata.gpu("h200", set={"l1.hit": 77})["keys"]}
        self.assertEqual(changed["l1.hit"], 77)

    def test_a_prediction_is_the_json_of_the_command(self):
        result = strata.predict(TRACE, "h200")
        self.assertEqual(result["schema"], "strata.prediction/1")
        self.assertEqual([l["id"] for l in result["launches"]], [1, 2, 3])
        self.assertGreater(result["launches"][0]["metrics"][CYCLES], 0)

    def test_options_become_words(self):
        result = strata.predict([TRACE], "h200", model="coalesce", launch_count=1, set=["l1.ways=8"])
        self.assertEqual(len(result["launches"]), 1)
        self.assertEqual(result["overrides"], ["l1.ways=8"])

    def test_hotspots_are_rows(self):
        rows = strata.rows(strata.hotspots(TRACE, "h200", launch_count=1, top=1))
        self.assertEqual(len(rows), 1)
        self.assertGreater(rows[0]["l1_sectors"], 0)

    def test_a_profile_has_a_curve(self):
        result = strata.reuse(TRACE, "h200", scope="gpu", unit="sector")
        self.assertEqual((result["scope"], result["unit"]), ("gpu", "sector"))
        self.assertIn(1, {row["size"] for row in strata.rows(result)})

    def test_a_sweep_has_all_points(self):
        result = strata.sweep(TRACE, "h200", {"l1.ways": [2, 4], "l1.hit": "30,40"}, model="flow", rank=CYCLES)
        self.assertEqual(len(result["points"]), 4)
        self.assertEqual({row["l1.ways"] for row in strata.rows(result)}, {"2", "4"})

    def test_a_trace_can_be_made_and_looked_at(self):
        out = strata.generate("stream", self.folder / "s.strata")
        self.assertEqual(strata.info(out)["schema"], "strata.info/1")
        self.assertEqual(strata.check(out)["schema"], "strata.check/1")

    def test_results_go_back_in_as_dicts_or_paths(self):
        flow, counters = DATA / "correlate" / "flow.json", DATA / "correlate" / "counters.csv"
        import json
        as_dict = json.loads(flow.read_text())
        self.assertEqual(strata.correlate(flow, counters), strata.correlate([as_dict], counters))
        page = strata.report([as_dict, strata.reuse(TRACE, "h200")], self.folder / "r.html", measured=counters)
        self.assertIn("strata.correlation/1", Path(page).read_text())

    def test_rows_are_flat_and_a_table_needs_no_pandas(self):
        result = strata.predict(TRACE, "h200", model="coalesce")
        rows = strata.rows([result, result])
        self.assertEqual(len(rows), 2 * sum(len(l["metrics"]) for l in result["launches"]))
        self.assertEqual(set(rows[0]), {"program", "trace", "id", "kernel", "metric", "unit", "value", "model", "gpu"})
        self.assertEqual({r["unit"] for r in rows if r["metric"] == "smsp__inst_executed.sum"}, {"inst"})
        with mock.patch.dict(sys.modules, {"pandas": None}):
            self.assertEqual(strata.table(result), strata.rows(result))

    def test_with_pandas_a_table_is_a_frame(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("there is no pandas here")
        frame = strata.table(strata.predict(TRACE, "h200"))
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertIn("metric", frame.columns)

    def test_errors_are_the_commands_sentences(self):
        with self.assertRaises(strata.Error) as caught:
            strata.predict("nowhere.strata", "h200")
        self.assertEqual(caught.exception.code, 3)
        self.assertIn("nowhere.strata", str(caught.exception))
        with self.assertRaises(strata.Error) as caught:
            strata.rows({"schema": "strata.nothing/1"})
        self.assertEqual(caught.exception.code, 2)

    def test_the_library_gives_what_the_command_gives(self):
        by_command = [strata.predict(TRACE, "h200", launch_count=2, jobs=2, set={"l1.ways": 8, "model.schedule": "off"}), strata.metrics()]
        with self.library():
            seen = []
            by_library = [strata.predict(TRACE, "h200", launch_count=2, jobs=2, set={"l1.ways": 8, "model.schedule": "off"}, progress=lambda *p: seen.append(p)),
                          sorted(strata.metrics(), key=lambda m: m["metric"])]
        by_command[1].sort(key=lambda m: m["metric"])
        self.assertEqual(by_library, by_command)
        self.assertEqual(sorted(seen), [(1, 2), (2, 2)])

    def test_errors_of_the_library_are_the_commands_sentences(self):
        for arguments in [("nowhere.strata", "h200"), (TRACE, "no-such-gpu"), (TRACE, "h200", "no-such-model"), (TRACE, "h200", "flow", {"l1.wayz": 3})]:
            with self.assertRaises(strata.Error) as by_command:
                strata.predict(*arguments)
            with self.library(), self.assertRaises(strata.Error) as by_library:
                strata.predict(*arguments)
            self.assertEqual(by_library.exception.code, by_command.exception.code)
            self.assertEqual(str(by_library.exception).split(";")[0].split(" in ")[0], str(by_command.exception).split(";")[0].split(" in ")[0])

    def test_a_table_has_the_columns_of_nsight_python(self):
        result = strata.predict(TRACE, "h200", model="coalesce", launch_count=1)
        with mock.patch.dict(sys.modules, {"pandas": None}):
            row = strata.table(result, style="nsight")[0]
        self.assertLessEqual({"Annotation", "Kernel", "Metric", "Unit", "Value", "AvgValue", "GPU"}, set(row))

    def test_the_example_notebook_runs(self):
        import json
        notebook = json.loads((SOURCE / "examples" / "strata.ipynb").read_text(encoding="utf-8"))
        names = {}
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
        self.assertTrue(Path(names["page"]).exists())
        # a sweep of the L1 by a model that has one: the points are not all the same
        reads = [point["metrics"][names["reads"]] for point in names["sweep"]["points"]]
        self.assertGreater(len(set(reads)), 1, reads)
        Path(names["page"]).unlink()
        Path(names["page"]).parent.rmdir()

    def library(self):
        """The library instead of the command, or a skip."""
        from strata import _library
        changes = mock.patch.dict(os.environ, {"STRATA": "", "STRATA_LIBRARY": os.environ["STRATA_TEST_LIBRARY"],
                                               "STRATA_GPU_PATH": str(SOURCE / "gpus")})
        _library._loaded = None
        with changes:
            if _library.load() is None:
                self.skipTest("this Python cannot load the library")
        return changes

    def test_tuning_ranks_what_it_tried(self):
        def stand_in(words, out, **_):  # a program whose accesses lie n sectors apart
            if words[1] == "0":
                raise strata.Error("the program failed.", 3)
            return strata.generate("strided", out, stride=int(words[1]) * 32)

        with mock.patch.object(strata, "trace", stand_in):
            found = strata.tune(["./app", "{N}"], {"N": [16, 1, 0]}, gpu="h200", second="interval")
            ranking = found["ranking"]
            self.assertEqual([row["values"]["N"] for row in ranking], [1, 16, 0])
            self.assertLess(ranking[0]["seconds"], ranking[1]["seconds"])
            self.assertIn("failed", ranking[2]["error"])
            self.assertIn(found["agreement"], (-1.0, 0.0, 1.0))
            with self.assertRaises(strata.Error) as caught:
                strata.tune(["./app", "{N}"], {"M": [1]})
        self.assertIn("N is in the command but has no values", str(caught.exception))

    def test_a_kernel_of_ptx_has_a_time(self):
        ptx = (DATA / "ptx" / "saxpy.ptx").read_text(encoding="utf-8")

        class Tensor:  # as much of one as is looked at
            def numel(self):
                return 4096

            def element_size(self):
                return 4

        few = strata.time_of_kernel(ptx, "saxpy", (4,), 256, [1024, 2.0, Tensor(), Tensor()])
        many = strata.time_of_kernel(ptx, "saxpy", (4,), 256, [1024, 2.0, Tensor(), Tensor()], gpu="h200", model="flow")
        self.assertLess(strata.time_of_kernel(ptx, "saxpy", (4,), 256, [1024, 2.0, Tensor(), Tensor()], warm=True), few)
        self.assertEqual(few, many)
        self.assertGreater(few, 0)
        with self.assertRaises(strata.Error):
            strata.time_of_kernel(ptx, "no_such", (4,), 256, [])

    def test_machine_code_of_a_kernel_comes_before_its_ptx(self):
        ptx = (DATA / "ptx" / "matmul_nvcc.ptx").read_text(encoding="utf-8")
        cubin = (DATA / "sass" / "matmul_sm90.cubin").read_bytes()

        class Tensor:
            def numel(self):
                return 4096

            def element_size(self):
                return 4

        launch = ("matmul", (4, 4), 16, [Tensor(), Tensor(), Tensor(), 64])
        from_ptx, from_cubin = strata.time_of_kernel(ptx, *launch), strata.time_of_kernel(ptx, *launch, cubin=cubin)
        self.assertNotEqual(from_ptx, from_cubin)
        # machine code of an architecture that cannot be executed leaves the PTX
        other = bytearray(cubin)
        other[0x31] = 120  # e_flags: the architecture is in the second byte
        self.assertEqual(from_ptx, strata.time_of_kernel(ptx, *launch, cubin=bytes(other)))

    def test_the_hook_for_triton_changes_nothing_without_the_stand_in(self):
        import strata.triton

        if not strata.triton.is_standing_in():
            self.assertFalse(strata.triton.offer(b"cubin", "ptx"))

    def test_a_missing_tool_is_told(self):
        with mock.patch.dict(os.environ, {"STRATA": str(self.folder / "no-strata")}):
            with self.assertRaises(strata.Error) as caught:
                strata.version()
        self.assertEqual(caught.exception.code, 4)


if __name__ == "__main__":
    unittest.main()
