"use strict";
(function () {
  const data = JSON.parse(document.getElementById("strata-data").textContent);
  const CYCLES = "sm__cycles_elapsed.max", TIME = "gpu__time_duration.sum";
  const L1_RATE = "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct";
  const L2_RATE = "lts__t_sector_srcunit_tex_op_read_hit_rate.pct";
  const DRAM_READ = "dram__bytes_read.sum", DRAM_WRITE = "dram__bytes_write.sum";
  const ROWS_AT_FIRST = 500;

  // ---- small tools ----

  const $ = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  // Words from the data become text nodes and attribute values only, never markup.
  function fill(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {}))
      if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value === true ? "" : value);
    node.append(...children.filter((c) => c !== null && c !== undefined));
    return node;
  }
  const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  function number(value, digits) {
    if (value === undefined || value === null || !isFinite(value)) return "–";
    const d = digits !== undefined ? digits : Number.isInteger(value) || Math.abs(value) >= 1e4 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
    return value.toLocaleString("en-US", { maximumFractionDigits: d, minimumFractionDigits: digits !== undefined ? digits : 0 });
  }
  function scaled(value, units, step) {
    if (value === undefined || value === null) return "–";
    let i = 0;
    while (Math.abs(value) >= step && i + 1 < units.length) { value /= step; i++; }
    return number(value, i ? 2 : Number.isInteger(value) ? 0 : 1) + " " + units[i];
  }
  const bytes = (v) => scaled(v, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
  const time = (v) => scaled(v, ["ns", "µs", "ms", "s"], 1000);
  function signed(v, unit) {
    if (v === null || v === undefined) return "–";
    const text = number(Math.abs(v), 1); // what rounds to zero has no sign
    return (Number(text) === 0 ? "" : v > 0 ? "+" : "−") + text + " " + unit;
  }
  const unitOf = (metric) => data.metrics[metric] ? data.metrics[metric].unit : "";
  const isShare = (metric) => unitOf(metric) === "%" || metric.includes("pct");
  const errorUnit = (metric) => isShare(metric) ? "points" : "%";
  // As `strata correlate` has it: percentages differ by points, all others in percent of the measured value.
  function errorOf(metric, predicted, measured) {
    if (predicted === undefined || measured === undefined || predicted === null || measured === null) return null;
    if (isShare(metric)) return predicted - measured;
    if (measured === 0) return predicted === 0 ? 0 : null;
    return 100 * (predicted / measured - 1);
  }
  function csvText(rows) {
    const field = (v) => {
      const s = v === undefined || v === null ? "" : String(v);
      return /[",\r\n]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s;
    };
    return rows.map((r) => r.map(field).join(",")).join("\n") + "\n";
  }
  function setCsv(link, rows) {
    if (link.href) URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(new Blob([csvText(rows)], { type: "text/csv" }));
  }
  function csvLink(name, rows) {
    const link = el("a", { download: "strata-" + name + ".csv" }, "CSV");
    setCsv(link, rows);
    return link;
  }
  // Links of charts that are drawn again keep their data no longer.
  function clear(node) {
    for (const link of node.querySelectorAll("a[download]")) URL.revokeObjectURL(link.href);
    node.replaceChildren();
  }

  // ---- the launches of all predictions in one list ----

  const modelName = (p) => p.model + (p.variant ? ":" + p.variant : "");
  const gpuName = (p) => [p.gpu].concat(p.overrides || []).join(" ");
  const oneGpu = new Set(data.predictions.map(gpuName)).size === 1;
  // "at::native::softmax" of a mangled name; the whole of it stands in the launch's view.
  function bareName(kernel) {
    const start = /^_ZN?/.exec(kernel), parts = [];
    let rest = start ? kernel.slice(start[0].length) : "";
    for (let found = /^\d+/.exec(rest); found; found = start[0] === "_ZN" ? /^\d+/.exec(rest) : null) {
      const from = found[0].length, length = Number(found[0]);
      parts.push(rest.slice(from, from + length));
      rest = rest.slice(from + length);
    }
    return parts.join("::").replace(/_GLOBAL__N_\w*/g, "(anonymous)") || kernel;
  }
  const launches = [];
  const series = []; // model and GPU, one colour each
  data.predictions.forEach((p, i) => {
    const label = modelName(p) + " on " + gpuName(p) + (data.predictions.some((q) => q.seed !== p.seed) ? " seed " + p.seed : "");
    if (!series.includes(label)) series.push(label);
    p.launches.forEach((l, k) => {
      const at = data.joined ? data.joined[i][k] : null;
      const measured = at === null || at === undefined ? null : data.measured.launches[at].metrics;
      launches.push({ index: launches.length, launch: l, model: modelName(p), gpu: gpuName(p), series: series.indexOf(label), label,
        name: l.program + (l.trace ? "/" + l.trace : ""), metrics: l.metrics, measured });
    });
  });
  const dram = (m) => m[DRAM_READ] === undefined || m[DRAM_WRITE] === undefined ? undefined : m[DRAM_READ] + m[DRAM_WRITE];
  const compared = launches.some((l) => l.measured);

  // ---- overview ----

  function valueColumns(title, metric, get, show, csv) {
    const columns = [{ title, csv, number: true, value: (l) => get(l.metrics), show: (l) => show(get(l.metrics)) }];
    if (!compared) return columns;
    const value = (l) => l.measured ? errorOf(metric, get(l.metrics), get(l.measured)) : null;
    columns.push({ title: "error", label: title + " error", csv: csv + " error (" + errorUnit(metric) + ")", number: true, value,
      magnitude: true, show: (l) => signed(value(l), isShare(metric) ? "pt" : "%") });
    return columns;
  }
  const of = (metric) => (m) => m[metric];
  const percent = (v) => v === undefined ? "–" : number(v, 1) + " %";
  const columns = [
    { title: "Launch", csv: "launch", value: (l) => l.name, show: (l) => l.name.replace(/\.traceg(\.\w+)?$/, ""), header: true },
    { title: "Kernel", csv: "kernel", value: (l) => l.launch.kernel, show: (l) => bareName(l.launch.kernel), kind: "kernel" },
    { title: "Model", csv: "model", value: (l) => l.model },
    ...(oneGpu ? [] : [{ title: "GPU", csv: "gpu", value: (l) => l.gpu }]), // one GPU stands above the table
    ...valueColumns("Cycles", CYCLES, of(CYCLES), (v) => number(v, 0), CYCLES),
    ...valueColumns("Time", TIME, of(TIME), time, TIME + " (ns)"),
    ...valueColumns("L1 hits", L1_RATE, of(L1_RATE), percent, L1_RATE),
    ...valueColumns("L2 hits", L2_RATE, of(L2_RATE), percent, L2_RATE),
    ...valueColumns("DRAM", DRAM_READ, dram, bytes, "dram bytes read and written"),
  ];
  let sortColumn = -1, descending = false, allRows = false, chosen = 0;

  function shownLaunches() {
    const words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const list = launches.filter((l) => {
      const text = (l.name + " " + l.launch.kernel + " " + l.label).toLowerCase();
      return words.every((w) => text.includes(w));
    });
    if (sortColumn < 0) return list;
    const column = columns[sortColumn];
    const key = (l) => { const v = column.value(l); return column.magnitude && v !== null ? Math.abs(v) : v; };
    const missing = (v) => v === undefined || v === null;
    return list.sort((a, b) => {
      const x = key(a), y = key(b);
      if (missing(x) || missing(y)) return missing(x) - missing(y) || a.index - b.index; // unknown stands last either way
      const order = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
      return (descending ? -order : order) || a.index - b.index;
    });
  }
  function overviewHead() {
    const row = el("tr");
    columns.forEach((c, i) => {
      const button = el("button", { type: "button", "aria-label": "Sort by " + (c.label || c.title) }, c.title);
      button.addEventListener("click", () => {
        descending = sortColumn === i ? !descending : Boolean(c.number);
        sortColumn = i;
        drawOverview();
      });
      row.append(el("th", { scope: "col", class: c.number ? "number" : null, title: c.csv }, button));
    });
    $("overview-table").append(el("thead", null, row), el("tbody"));
  }
  function overviewRow(l) {
    const cells = columns.map((c) => {
      const text = c.show ? c.show(l) : c.value(l);
      if (c.header) return el("th", { scope: "row" }, el("a", { href: "#launch-" + l.index }, text));
      return el("td", { class: c.number ? "number" : c.kind || null, title: c.kind ? c.value(l) : null }, text);
    });
    return el("tr", { class: l.index === chosen ? "chosen" : null, "data-launch": l.index }, ...cells);
  }
  function drawOverview() {
    const list = shownLaunches(), rows = allRows ? list : list.slice(0, ROWS_AT_FIRST);
    const heads = $("overview-table").querySelectorAll("thead th");
    heads.forEach((th, i) => i === sortColumn ? th.setAttribute("aria-sort", descending ? "descending" : "ascending") : th.removeAttribute("aria-sort"));
    $("overview-table").querySelector("tbody").replaceChildren(...rows.map(overviewRow));
    $("show-all").hidden = rows.length === list.length;
    $("shown").textContent = rows.length + " of " + launches.length + (launches.length === 1 ? " launch" : " launches");
    setCsv($("overview-csv"), [columns.map((c) => c.csv), ...list.map((l) => columns.map((c) => c.value(l)))]);
  }

  // ---- stacked bars ----

  // groups: [{name, note, parts: [{name, value, colour}]}], all to one scale.
  function stackedBars(title, unit, groups, csvName, note) {
    const sum = (g) => g.parts.reduce((s, p) => s + p.value, 0);
    const most = Math.max(...groups.map(sum)) || 1;
    const bars = el("div", { class: "bars" }), legend = el("ul", { class: "legend" }), known = new Set();
    for (const g of groups) {
      const parts = g.parts.filter((p) => p.value > 0);
      const text = g.name + ": " + (parts.map((p) => p.name + " " + number(p.value)).join(", ") || "nothing") + " " + unit;
      const bar = el("div", { class: "bar", role: "img", "aria-label": text });
      for (const p of parts) {
        bar.append(el("span", { class: "s" + p.colour, style: "width:" + (100 * p.value / most).toFixed(3) + "%", title: p.name + ": " + number(p.value) + " " + unit }));
        const key = p.colour + p.name;
        if (!known.has(key)) legend.append(el("li", null, el("i", { class: "s" + p.colour }), p.name + (groups.length === 1 ? " " + number(p.value) : "")));
        known.add(key);
      }
      bars.append(el("div", { class: "name" }, g.name, el("br"), el("span", { class: "quiet" }, number(sum(g)) + " " + (g.note || unit))), bar);
    }
    const rows = [["bar", "part", unit]];
    groups.forEach((g) => g.parts.forEach((p) => rows.push([g.name, p.name, p.value])));
    const table = el("details", null, el("summary", { class: "quiet" }, "As a table"), tableOf(rows));
    return el("div", null, el("h3", null, title), el("figure", null, bars, legend,
      el("figcaption", null, note ? note + " " : null, csvLink(csvName, rows))), table);
  }
  function tableOf(rows) {
    const cell = (tag) => (v) => el(tag, { class: typeof v === "number" ? "number" : null }, typeof v === "number" ? number(v) : v);
    return el("div", { class: "scroll" }, el("table", null, el("thead", null, el("tr", null, ...rows[0].map(cell("th")))),
      el("tbody", null, ...rows.slice(1).map((r) => el("tr", null, ...r.map(cell("td")))))));
  }
  const absent = (title, words) => el("div", null, el("h3", null, title), el("p", { class: "note" }, words));

  // ---- where the accesses of a launch go ----

  const L1 = "l1tex__t_sectors_pipe_lsu_mem_", L2 = "lts__t_sectors_srcunit_tex_op_";
  const LEVELS = [
    { name: "L1", parts: [["load hits", L1 + "global_op_ld_lookup_hit.sum", 2], ["load misses", L1 + "global_op_ld_lookup_miss.sum", 1],
      ["loads", L1 + "global_op_ld.sum", 0, L1 + "global_op_ld_lookup_hit.sum"],
      ["stores", L1 + "global_op_st.sum", 3], ["atomics", L1 + "global_op_atom.sum", 4], ["reductions", L1 + "global_op_red.sum", 5],
      ["local loads", L1 + "local_op_ld.sum", 6], ["local stores", L1 + "local_op_st.sum", 7]] },
    { name: "L2", parts: [["read hits", L2 + "read_lookup_hit.sum", 2], ["read misses", "strata__l2_read_misses.sum", 1], ["writes", L2 + "write.sum", 3]] },
    { name: "DRAM", parts: [["reads", "dram__sectors_read.sum", 0], ["writes", "dram__sectors_write.sum", 3]] },
  ];
  function levelsOf(metrics, suffix) {
    return LEVELS.map((level) => ({ name: level.name + suffix, note: "sectors", parts: level.parts
      .filter(([, metric, , unless]) => metrics[metric] !== undefined && (!unless || metrics[unless] === undefined))
      .map(([name, metric, colour]) => ({ name, value: metrics[metric], colour })) })).filter((g) => g.parts.length);
  }
  function drawFlow(l) {
    const title = "Where its accesses go";
    const groups = levelsOf(l.metrics, "");
    if (!groups.length) return absent(title, "The model " + l.model + " predicts no sectors.");
    const ld = l.metrics["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], st = l.metrics["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"];
    const requests = [ld !== undefined ? number(ld) + " global load requests" : null, st !== undefined ? number(st) + " global store requests" : null].filter(Boolean);
    const missing = LEVELS.map((x) => x.name).filter((n) => !groups.some((g) => g.name === n));
    const all = l.measured ? groups.flatMap((g) => [g, ...levelsOf(l.measured, " measured").filter((m) => m.name === g.name + " measured")]) : groups;
    return stackedBars(title, "sectors", all, "accesses",
      (requests.length ? requests.join(" and ") + " become these sectors of 32 bytes, all bars to one scale." : "Sectors of 32 bytes, all bars to one scale.") +
      (missing.length ? " The model " + l.model + " says nothing about " + missing.join(" and ") + "." : ""));
  }

  // ---- stalls and latency ----

  const STALL = /^smsp__average_warps_issue_stalled_(.+)_per_issue_active\.ratio$/;
  function stallsOf(metrics) {
    return Object.entries(metrics).flatMap(([name, value]) => {
      const found = STALL.exec(name);
      return found ? [{ name: found[1].replace(/_/g, " "), value }] : [];
    });
  }
  function drawStalls(l) {
    const title = "What its warps wait for", predicted = stallsOf(l.metrics);
    if (!predicted.length) return absent(title, "The model " + l.model + " predicts no stall reasons.");
    const measured = l.measured ? stallsOf(l.measured) : [];
    const most = [...predicted].sort((a, b) => b.value - a.value).slice(0, 7).map((p) => p.name);
    const colour = (p) => ({ ...p, colour: most.includes(p.name) ? most.indexOf(p.name) : 7 });
    const order = (list) => list.map(colour).sort((a, b) => a.colour - b.colour || b.value - a.value);
    const groups = [{ name: "predicted", parts: order(predicted) }];
    const common = measured.filter((m) => predicted.some((p) => p.name === m.name));
    if (common.length) groups.push({ name: "measured", parts: order(common) });
    return stackedBars(title, "warps per issue", groups, "stalls", "Warps that wait for each reason, per issued instruction." +
      (common.length && common.length < predicted.length ? " Only " + common.length + " of the " + predicted.length + " reasons were measured." : ""));
  }
  function drawLatency(l) {
    const title = "Where a load's time goes", latency = (l.launch.detail || {}).latency;
    const parts = Object.entries(latency || {}).filter(([k, v]) => /_cycles$/.test(k) && typeof v === "number")
      .map(([k, value], i) => ({ name: k.replace(/_cycles$/, "").replace(/_/g, " "), value, colour: Math.min(i, 7) }));
    if (!parts.length) return absent(title, "The model " + l.model + " gives no latency.");
    return stackedBars(title, "cycles", [{ name: "average request", parts }], "latency",
      latency.requests !== undefined ? "Average over " + number(latency.requests) + " requests." : "");
  }

  // ---- one launch ----

  function drawMetrics(l) {
    const names = [...new Set([...Object.keys(data.metrics), ...Object.keys(l.metrics)])].filter((n) => l.metrics[n] !== undefined || (l.measured && l.measured[n] !== undefined));
    const head = ["Metric", "Unit", "Predicted"].concat(l.measured ? ["Measured", "Error"] : []);
    const rows = names.map((n) => {
      const measured = l.measured ? l.measured[n] : undefined, error = errorOf(n, l.metrics[n], measured);
      return { n, predicted: l.metrics[n], measured, error, definition: data.metrics[n] ? data.metrics[n].definition + " (" + data.metrics[n].aggregation + ")" : "" };
    });
    const body = rows.map((r) => el("tr", null, el("th", { scope: "row", class: "wide" }, r.n, el("div", { class: "quiet" }, r.definition)), el("td", null, unitOf(r.n)), el("td", { class: "number" }, number(r.predicted)),
      ...(l.measured ? [el("td", { class: "number" }, number(r.measured)), el("td", { class: "number" }, signed(r.error, isShare(r.n) ? "pt" : "%"))] : [])));
    const csv = [["metric", "unit", "predicted", "measured", "error", "error unit", "definition"],
      ...rows.map((r) => [r.n, unitOf(r.n), r.predicted, r.measured, r.error, r.error === null ? "" : errorUnit(r.n), r.definition])];
    return el("div", null, el("h3", null, "All its metrics"), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Metrics of the launch" },
      el("table", null, el("thead", null, el("tr", null, ...head.map((h, i) => el("th", { scope: "col", class: i > 1 ? "number" : null }, h)))), el("tbody", null, ...body))),
      el("p", { class: "note" }, csvLink("metrics", csv)));
  }
  function facts(pairs) {
    return el("dl", { class: "facts" }, ...pairs.flatMap(([k, v]) => [el("dt", null, k), el("dd", null, v)]));
  }
  function drawLaunch() {
    const l = launches[chosen], view = $("launch-view");
    clear(view);
    if (!l) { view.append(el("p", { class: "note" }, "The predictions hold no launch.")); return; }
    $("launch-choice").value = String(chosen);
    const dims = (d) => d.join(" × ");
    const shape = l.launch.grid.some(Boolean) ? dims(l.launch.grid) + " blocks of " + dims(l.launch.block) + " threads" : "unknown (the prediction came as CSV)";
    view.append(facts([["Kernel", l.launch.kernel], ["Grid", shape], ["Model", l.label], ["Cycles", number(l.metrics[CYCLES], 0)], ["Time", time(l.metrics[TIME])]]));
    for (const w of l.launch.warnings || []) view.append(el("p", { class: "note" }, "Note: " + w));
    view.append(drawFlow(l), drawStalls(l), drawLatency(l), drawMetrics(l));
    for (const row of $("overview-table").querySelectorAll("tbody tr")) row.className = Number(row.dataset.launch) === chosen ? "chosen" : "";
  }

  // ---- correlation ----

  function scale(values, share, length) {
    if (share) {
      const high = Math.max(100, ...values), low = Math.min(0, ...values);
      return { at: (v) => length * (v - low) / (high - low), ticks: [0, 20, 40, 60, 80, 100], low, high };
    }
    let low = Math.floor(Math.log10(Math.min(...values))), high = Math.ceil(Math.log10(Math.max(...values)));
    if (low === high) high++;
    const ticks = [];
    for (let e = low, step = Math.ceil((high - low) / 8); e <= high; e += step) ticks.push(Math.pow(10, e));
    return { at: (v) => length * (Math.log10(v) - low) / (high - low), ticks, low: Math.pow(10, low), high: Math.pow(10, high) };
  }
  const tick = (v) => v >= 1e12 ? v / 1e12 + "T" : v >= 1e9 ? v / 1e9 + "G" : v >= 1e6 ? v / 1e6 + "M" : v >= 1e3 ? v / 1e3 + "k" : String(+v.toPrecision(3));
  function drawScatter(metric, points) {
    const share = isShare(metric), size = 420, left = 58, top = 12;
    const s = scale(points.flatMap((p) => [p.measured, p.predicted]), share, size);
    const x = (v) => left + s.at(v), y = (v) => top + size - s.at(v);
    const root = svg("svg", { viewBox: "0 0 " + (left + size + 16) + " " + (top + size + 46), role: "group", "aria-label": "Predicted against measured " + metric });
    const id = "plot-area";
    root.append(svg("clipPath", { id }, svg("rect", { x: left, y: top, width: size, height: size })));
    for (const width of [25, 10]) { // a band on log axes is a strip along the diagonal, and so it is for points
      const a = s.low, b = s.high;
      const up = (v) => share ? v + width : v * (1 + width / 100), down = (v) => share ? v - width : v * (1 - width / 100);
      const corners = [[a, up(a)], [b, up(b)], [b, down(b)], [a, down(a)]].map(([m, p]) => x(m).toFixed(1) + "," + y(p).toFixed(1));
      root.append(svg("polygon", { class: "band", points: corners.join(" "), "clip-path": "url(#" + id + ")" }));
    }
    for (const t of s.ticks) root.append(svg("path", { class: "axis", d: "M" + x(t) + " " + top + "v" + size + "M" + left + " " + y(t) + "h" + size }),
      svg("text", { class: "quiet", x: x(t), y: top + size + 16, "text-anchor": "middle" }, tick(t)),
      svg("text", { class: "quiet", x: left - 6, y: y(t) + 4, "text-anchor": "end" }, tick(t)));
    root.append(svg("path", { class: "diagonal", d: "M" + left + " " + (top + size) + "L" + (left + size) + " " + top }),
      svg("text", { x: left + size / 2, y: top + size + 38, "text-anchor": "middle" }, "measured (" + (unitOf(metric) || "value") + ")"),
      svg("text", { x: 12, y: top + size / 2, "text-anchor": "middle", transform: "rotate(-90 12 " + (top + size / 2) + ")" }, "predicted"));
    for (const p of points) {
      const words = p.l.name + ", " + p.l.label + ": predicted " + number(p.predicted) + ", measured " + number(p.measured);
      root.append(svg("a", { href: "#launch-" + p.l.index, "aria-label": words }, svg("circle", { class: "s" + Math.min(p.l.series, 7), cx: x(p.measured).toFixed(1), cy: y(p.predicted).toFixed(1), r: 4.5, "fill-opacity": .8 }, svg("title", null, words))));
    }
    return root;
  }
  function drawStatistics(metric) {
    const rows = (data.correlation.models || []).flatMap((m) => m.metrics.filter((e) => e.metric === metric).map((e) => {
      const share = isShare(metric);
      return [m.model || m.label || "", e.n, e.n_exact, share ? e.mean_absolute : e.mean_relative_pct, share ? e.median_absolute : e.median_relative_pct, e.bias, e.log_pearson];
    }));
    const cut = (data.correlation.models || []).flatMap((m) => m.metrics).find((e) => e.metric === metric && e.n_below > 0);
    const table = tableOf([["Model", "Launches", "Exact", "Mean error (" + errorUnit(metric) + ")", "Median error", "Bias", "Correlation of logs"], ...rows.map((r) => r.map((v) => v === null || v === undefined ? "–" : v))]);
    const note = cut ? "The statistics leave out launches measured at " + number(cut.above) + " " + cut.unit + " or less, which tell about the launch itself rather than the program." : null;
    return el("div", null, table, note ? el("p", { class: "note" }, note) : null);
  }
  function drawCorrelation(metric) {
    const view = $("correlation-chart"), share = isShare(metric);
    const both = launches.filter((l) => l.measured && l.measured[metric] !== undefined && l.metrics[metric] !== undefined)
      .map((l) => ({ l, predicted: l.metrics[metric], measured: l.measured[metric] }));
    const points = share ? both : both.filter((p) => p.predicted > 0 && p.measured > 0);
    const used = [...new Set(both.map((p) => p.l.series))];
    clear(view);
    view.append(points.length ? el("figure", { class: "scatter" }, drawScatter(metric, points),
      el("ul", { class: "legend" }, ...used.map((s) => el("li", null, el("i", { class: "s" + Math.min(s, 7) }), series[s]))),
      el("figcaption", null, "The bands are 10 and 25 " + (share ? "points" : "% of the measured value") + " wide to each side." +
        (points.length < both.length ? " " + (both.length - points.length) + " launches with a zero on either side have no place on log axes." : "") + " ",
        csvLink("correlation", [["launch", "kernel", "model", "metric", "unit", "measured", "predicted", "error", "error unit"],
          ...both.map((p) => [p.l.name, p.l.launch.kernel, p.l.label, metric, unitOf(metric), p.measured, p.predicted, errorOf(metric, p.predicted, p.measured), errorUnit(metric)])])))
      : el("p", { class: "note" }, "All values are zero on one side."), drawStatistics(metric));
  }
  function startCorrelation() {
    const view = $("correlation-view");
    if (!compared) {
      view.append(el("p", { class: "note" }, "No measured counters were given. `strata report … --measured counters.csv` adds errors and this comparison."));
      return;
    }
    const names = [...new Set(data.correlation.models.flatMap((m) => m.metrics.map((e) => e.metric)))];
    const choice = el("select", { id: "metric-choice" }, ...names.map((n) => el("option", { value: n }, n)));
    choice.value = names.includes(CYCLES) ? CYCLES : names[0];
    choice.addEventListener("change", () => drawCorrelation(choice.value));
    view.append(el("div", { class: "controls" }, el("label", null, "Metric ", choice)), el("div", { id: "correlation-chart" }));
    if (choice.value) drawCorrelation(choice.value);
  }

  // ---- about, and the start ----

  function drawAbout() {
    const list = [["This page", data.tool]];
    data.predictions.forEach((p) => list.push(["Prediction", modelName(p) + " on " + gpuName(p) + ", seed " + p.seed + ", by " + p.tool + ": " + p.launches.length + (p.launches.length === 1 ? " launch" : " launches")]));
    if (data.measured) list.push(["Measured", data.measured.file + " (" + data.measured.layout + "): " + data.measured.launches.length + " launches"]);
    $("about-view").append(facts(list), el("p", { class: "note" }, "Metric names are Nsight Compute's. Errors of percentages are in points (pt), all others in percent of the measured value; a positive error is a prediction that is too high. A dash is unknown, not zero."));
    for (const w of data.correlation && data.correlation.warnings || []) $("about-view").append(el("p", { class: "note" }, "Note: " + w));
  }
  function follow() {
    const found = /^#launch-(\d+)$/.exec(location.hash);
    if (!found || !launches[Number(found[1])]) return;
    chosen = Number(found[1]);
    drawLaunch();
    $("launch").scrollIntoView();
  }
  $("launch-choice").append(...launches.map((l) => el("option", { value: String(l.index) }, l.name + (series.length > 1 ? ", " + l.label : ""))));
  $("launch-choice").addEventListener("change", (e) => { chosen = Number(e.target.value); drawLaunch(); });
  $("filter").addEventListener("input", drawOverview);
  $("show-all").addEventListener("click", () => { allRows = true; drawOverview(); });
  window.addEventListener("hashchange", follow);
  $("subject").textContent = series.join(", ");
  overviewHead();
  drawOverview();
  drawLaunch();
  startCorrelation();
  drawAbout();
  follow();
})();
