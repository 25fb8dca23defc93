/** The session (0 or 1) that executes the next statement. After the last entry, that session runs to its end. */
export type Schedule = readonly (0 | 1)[];

/**
 * Returns every schedule of two sessions with one switch, then those with two switches, as an even sample up to the
 * maximum. Two switches expose nearly every race; all orders of two times ten statements would be 184,756.
 */
export function schedules(stepsOfFirst: number, stepsOfSecond: number, max: number): Schedule[] {
  const once = [
    ...counts(stepsOfFirst).map((ran) => switching(0, [ran, stepsOfSecond])),
    ...counts(stepsOfSecond).map((ran) => switching(1, [ran, stepsOfFirst])),
  ];
  const twice = [
    ...counts(stepsOfFirst).flatMap((a) =>
      counts(stepsOfSecond).map((b) => switching(0, [a, b, stepsOfFirst - a, stepsOfSecond - b])),
    ),
    ...counts(stepsOfSecond).flatMap((b) =>
      counts(stepsOfFirst).map((a) => switching(1, [b, a, stepsOfSecond - b, stepsOfFirst - a])),
    ),
  ];
  const fromOnce = spread(once, Math.ceil(max / 2));
  return [...fromOnce, ...spread(twice, max - fromOnce.length)].map(scheduleOf);
}

/** 1 … n-1: a switch before the first or after the last statement has no effect. */
function counts(steps: number): number[] {
  return Array.from({ length: Math.max(steps - 1, 0) }, (_, index) => index + 1);
}

/** The session that begins, and how many statements run before each switch. */
interface Switching {
  readonly first: 0 | 1;
  readonly runs: readonly number[];
}

function switching(first: 0 | 1, runs: readonly number[]): Switching {
  return { first, runs };
}

/** Only for chosen ones: two times 40 statements have thousands of schedules with two switches. */
function scheduleOf({ first, runs }: Switching): Schedule {
  return runs.flatMap((length, index) => new Array<0 | 1>(length).fill(((first + index) % 2) as 0 | 1));
}

function spread<T>(all: readonly T[], max: number): T[] {
  if (all.length <= max) return [...all];
  return Array.from({ length: max }, (_, index) => all[Math.floor((index * all.length) / max)] as T);
}
