// The data inside the page: schema strata.report/2, as docs/formats.md describes it.

export type Detail = Record<string, number | string>;

export interface RawLaunch {
  program: string;
  trace: string;
  id: number;
  kernel: string;
  grid: number[];
  block: number[];
  values: (number | null)[];
  detail?: Detail;
  warnings?: string[];
}

export interface RawPrediction {
  tool: string;
  gpu: string;
  model: string;
  variant?: string;
  seed: number;
  overrides: string[];
  columns: string[];
  launches: RawLaunch[];
}

export interface MetricError {
  metric: string;
  unit?: string;
  error_unit?: string;
  n: number;
  n_exact: number;
  n_below?: number;
  above?: number | null;
  mean_absolute: number | null;
  median_absolute: number | null;
  mean_relative_pct: number | null;
  median_relative_pct: number | null;
  bias: number | null;
  pearson: number | null;
  log_pearson: number | null;
}

/** key, text, unit, source, given by a file or --set, number */
export type GpuKey = [string, string, string, string, boolean, number | null];

export interface Gpu {
  gpu: string;
  description: string;
  overrides: string[];
  keys: GpuKey[];
  totals: [string, number, string, string][];
}

export interface ReuseLaunch {
  program: string;
  trace: string;
  id: number;
  kernel?: string;
  streams?: number;
  accesses?: number;
  first?: number;
  distances?: { from: number; to: number; count: number }[];
  miss_ratios?: { size: number; miss_ratio: number; bound: number }[];
  sweep?: { parameter: string; factor: number; value: number; possible: boolean; miss_ratio: number | null; timed_miss_ratio?: number | null }[];
}

export interface ReuseDocument {
  schema: "strata.reuse/1";
  gpu: string;
  scope: string;
  unit: string;
  engine: string;
  launches: ReuseLaunch[];
}

export interface SweepPoint {
  point: number;
  config_hash: string;
  settings: Record<string, string>;
  status: "done" | "failed";
  rank?: number;
  front?: boolean;
  error?: string;
  metrics: Record<string, number | null>;
  launches?: Record<string, number | null>[];
}

export interface SweepGoal {
  metric: string;
  goal: "min" | "max";
}

export interface Sweep {
  schema: "strata.sweep/1";
  gpu: string;
  model: string;
  variant?: string;
  keys: string[];
  n_points: number;
  n_failed: number;
  rank?: SweepGoal;
  pareto?: SweepGoal[];
  launches: { program: string; trace: string; id: number; kernel?: string }[];
  points: SweepPoint[];
}

export interface Finding {
  rule: string;
  limiter: string;
  cause: boolean;
  title: string;
  remedy: string;
  ideal: string;
  time_ns: number;
  gain_pct: number;
  confidence: string;
  why: string;
  evidence: { name: string; value: number; unit: string }[];
  lines: { line: number; pc: number; instruction: string; share: number; words: string; inlined?: string[] }[];
}

/** strata.advise/1, one launch */
export interface Advice {
  program: string;
  trace: string;
  /** whose lines the findings name */
  file?: string;
  time_ns: number;
  limiter: string;
  peak_pct: Record<string, number>;
  findings: Finding[];
}

export interface Site {
  line?: number;
  /** where code inlined at the line stands, "path:line", outermost first */
  inlined?: string[];
  pc: number;
  access: string;
  instruction: string;
  executed: number;
  lanes: number;
  l1_sectors: number;
  ideal_sectors: number;
  dram_reads: number;
  bank_conflicts: number;
  atomics: number;
  cost: number;
  waited_cycles?: number;
}

export interface Instruction {
  pc: number;
  line?: number;
  inlined?: string[];
  text: string;
  executed?: number;
  cost?: number;
}

/** strata.hotspots/1, one launch */
export interface Hotspots {
  program: string;
  trace: string;
  kernel?: string;
  file?: string;
  source?: string;
  isa?: string;
  code?: Instruction[];
  warp_cycles?: number;
  sites: Site[];
}

/** strata.timeline/1 */
export interface Span {
  event: number;
  kind: string;
  launch?: number;
  bytes?: number;
  name: string;
  stream: number;
  start_us: number;
  end_us: number;
  alone_us: number;
  gap_us: number;
  overlap_us: number;
  sm_share?: number;
  l2_use?: number;
  dram_use?: number;
  limiter?: string;
}
export interface Timeline {
  gpu: string;
  model: string;
  time_us: number;
  launches_us: number;
  copies_us: number;
  idle_us: number;
  sample?: { warp_instructions: number; modelled: number; half_width_us: number };
  spans: Span[];
}

export interface RawDocument {
  file: string;
  content: { schema: string; [member: string]: unknown };
}

export interface RawReport {
  schema: string;
  tool: string;
  metrics: Record<string, { unit: string; definition: string; aggregation: string }>;
  predictions: RawPrediction[];
  gpus: Gpu[];
  documents: RawDocument[];
  /** `runs` and `spread` where launches were measured again: by launch, least and most of what differed. */
  measured?: { file: string; layout: string; columns: string[]; launches: RawLaunch[]; runs?: number; spread?: Record<string, [number, number]>[] };
  joined?: (number | null)[][];
  correlation?: { models?: { label?: string; model?: string; metrics: MetricError[] }[] };
}
