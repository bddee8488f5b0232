// One colour a level of the hierarchy, in every chart, badge and diagram.

/** What a part of a chart belongs to, by the words models and limiters use; the first that fits. */
const LEVELS: [RegExp, number][] = [
  [/\bidle\b|\bothers?\b/i, 7],
  [/dram/i, 1],
  [/crossbar|xbar|noc/i, 5],
  [/\bl2\b|partition|atomics/i, 3],
  [/\bl1\b|coalesc/i, 0],
  [/shared|bank conflict|mio|short scoreboard/i, 4],
  [/lsu|load\/store|\blg\b/i, 6],
  [/issue|tensor|pipe|base|selected|math|compute|active|dispatch/i, 2],
];

/** The number of a level's colour (--s0 to --s7); undefined for words of no level. */
export const levelOf = (words: string): number | undefined => LEVELS.find(([pattern]) => pattern.test(words.replace(/_/g, " ")))?.[1];

/** Colours for a list of parts: that of the level, a paler one for the second part of a level, others from what is left. */
export function coloursOf(parts: string[]): string[] {
  const used = new Map<number, number>();
  const free = [7, 2, 6, 4, 5, 0, 3, 1].filter((c) => !parts.some((p) => levelOf(p) === c));
  let next = 0;
  return parts.map((p) => {
    const level = levelOf(p) ?? (free.length ? free[next++ % free.length] : 7);
    const times = used.get(level) ?? 0;
    used.set(level, times + 1);
    return times ? `color-mix(in srgb, var(--s${level}) ${Math.max(30, 100 - 32 * times)}%, var(--card))` : `var(--s${level})`;
  });
}
