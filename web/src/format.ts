// Numbers and tables as text.

export const known = (v: number | null | undefined): v is number => v !== undefined && v !== null && Number.isFinite(v);

export function number(value: number | null | undefined, digits?: number): string {
  if (!known(value)) return "–";
  const size = Math.abs(value);
  const d = digits ?? (Number.isInteger(value) || size >= 1e4 ? 0 : size >= 10 ? 1 : 3);
  return value.toLocaleString("en-US", { maximumFractionDigits: d, minimumFractionDigits: digits ?? 0 });
}

function scaled(value: number | null | undefined, units: string[], step: number): string {
  if (!known(value)) return "–";
  let i = 0;
  while (Math.abs(value) >= step && i + 1 < units.length) {
    value /= step;
    i++;
  }
  return number(value, Number.isInteger(value) ? 0 : value >= 100 ? 0 : 1) + " " + units[i];
}

export const bytes = (v: number | null | undefined) => scaled(v, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
export const time = (v: number | null | undefined) => scaled(v, ["ns", "µs", "ms", "s"], 1000);
export const percent = (v: number | null | undefined) => (known(v) ? number(v, 1) + " %" : "–");

export function signed(v: number | null, unit: string): string {
  if (!known(v)) return "–";
  const text = number(Math.abs(v), 1); // what rounds to zero has no sign
  return (Number(text) === 0 ? "" : v > 0 ? "+" : "−") + text + " " + unit;
}

/** 1.2k, 34M: for ticks and labels. */
export function short(v: number): string {
  const size = Math.abs(v);
  for (const [limit, unit] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]] as const)
    if (size >= limit) return +(v / limit).toPrecision(3) + unit;
  return String(+v.toPrecision(3));
}

export type Cell = string | number | boolean | null | undefined;

export function csvText(rows: Cell[][]): string {
  const field = (v: Cell) => {
    const s = v === undefined || v === null ? "" : String(v);
    return /[",\r\n]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s;
  };
  return rows.map((r) => r.map(field).join(",")).join("\n") + "\n";
}

/** "at::native::softmax" of a mangled name; the whole of it stands in the launch's view. */
export function bareName(kernel: string): string {
  const start = /^_ZN?/.exec(kernel);
  const parts: string[] = [];
  let rest = start ? kernel.slice(start[0].length) : "";
  for (let found = /^\d+/.exec(rest); start && found; found = start[0] === "_ZN" ? /^\d+/.exec(rest) : null) {
    const from = found[0].length;
    const length = Number(found[0]);
    parts.push(rest.slice(from, from + length));
    rest = rest.slice(from + length);
  }
  return parts.join("::").replace(/_GLOBAL__N_\w*/g, "(anonymous)") || kernel;
}
